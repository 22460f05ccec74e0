// A table that filters, sorts, exports, and stays fluent with 100,000 rows: only those that are seen are in the page, and those that go are used for those that come.
import { classes, html, useEffect, useMemo, useState, type ComponentChildren } from '@/ui'
import { text } from '@strings/common'
import { route, setQuery } from '@/shell/router'
import { Button } from './button'
import { Icon } from './icon'
import { TableRow } from './row'
import { csv, saveFile } from './save'
import { useOverflow, useWindow } from './window'

export type CellValue = string | number | boolean | null | undefined

export interface Column<Row> {
  id: string
  title: string
  /** What is sorted, filtered and exported. */
  value: (row: Row) => CellValue
  /** What is shown, where it is not the value as text. One line high. */
  cell?: (row: Row) => ComponentChildren
  /** Stands right, in figures of one width. */
  numeric?: boolean
  /** Takes the room that is left, and is cut where it is too long. */
  wide?: boolean
  /** Not shown on narrow screens; the row's page and the exports have it. */
  extra?: boolean
}

export interface TableProps<Row> {
  /** Names the table to screen readers and its exported files. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** Where the first cell of a row leads. */
  rowHref?: (row: Row) => string
  /** Or what choosing a row does. */
  onRow?: (row: Row) => void
  /** Buttons or a menu at the end of a row. */
  actions?: (row: Row) => ComponentChildren
  /** The column to sort by at first; "-bytes" falls. */
  sort?: string
  /** Shown instead of the table where there are no rows at all. */
  empty?: ComponentChildren
  /** How many rows there are where only the first were fetched. */
  total?: number
  /** Beside the filter: buttons of the whole list. */
  tools?: ComponentChildren
  /** Keys of chosen rows: gives each row a check box. */
  selected?: ReadonlySet<string>
  onSelect?: (keys: ReadonlySet<string>) => void
  /** The filter's name in the place's query, so that a link keeps it. Null: kept by the table alone. */
  filterName?: string | null
  /** Asks for more rows when the end comes into sight. */
  onEnd?: () => void
  busy?: boolean
  /** Height of the scrolling part. */
  tall?: boolean
}

const rowHeight = 36
const windowedFrom = 150
/** A list of which more may come scrolls by itself earlier: its end must be able to come into sight. */
const windowedWithMore = 50

const isNone = (value: CellValue): boolean => value === null || value === undefined || value === ''

/** As people sort: figures by their value, case and accents do not count. Made once a row: a collator would be asked at each of a million comparisons. */
function sortKey (value: CellValue): string {
  const said = String(value)
  // A time of the server sorts as it is.
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(said)) return said
  const plain = said.toLowerCase()
  const bare = /^[\x00-\x7f]*$/.test(plain) ? plain : plain.normalize('NFD').replace(/\p{M}/gu, '')
  return bare.replace(/\d+/g, (digits) => { const figure = digits.replace(/^0+(?=\d)/, ''); return '0' + String.fromCharCode(0x20 + Math.min(90, figure.length)) + figure })
}

/** Rows that hold all words, sorted by a column; rows without a value come last either way. */
export function arrange<Row> (rows: readonly Row[], columns: readonly Column<Row>[], words: string, sort: string): readonly Row[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const kept = wanted.length === 0 ? rows : rows.filter((row) => {
    const all = columns.map((column) => column.value(row) ?? '').join('\u0000').toLowerCase()
    return wanted.every((word) => all.includes(word))
  })
  const sign = sort.startsWith('-') ? -1 : 1
  const column = columns.find(({ id }) => id === (sign < 0 ? sort.slice(1) : sort))
  if (!column) return kept
  const all = kept.map((row) => ({ row, value: column.value(row) }))
  const given = all.filter(({ value }) => !isNone(value))
  const numbers = given.every(({ value }) => typeof value === 'number')
  const sorted = numbers
    ? (given as { row: Row, value: number }[]).sort((a, b) => sign * (a.value - b.value))
    : given.map(({ row, value }) => ({ row, key: sortKey(value) })).sort((a, b) => a.key < b.key ? -sign : a.key > b.key ? sign : 0)
  return [...sorted, ...all.filter(({ value }) => isNone(value))].map(({ row }) => row)
}

function Head<Row> ({ column, sort, onSort }: { column: Column<Row>, sort: string, onSort: (sort: string) => void }) {
  const state = sort === column.id ? 'ascending' : sort === '-' + column.id ? 'descending' : undefined
  const next = state === 'ascending' ? '-' + column.id : column.id
  return html`<th scope="col" aria-sort=${state} class=${classes(column.numeric && 'numeric', column.wide && 'wide', column.extra && 'extra')}>
    <button type="button" class="sort" onClick=${() => onSort(next)}>${column.title}<${Icon} name=${state === 'ascending' ? 'up' : state === 'descending' ? 'down' : 'sort'} /></button></th>`
}

function exportRows<Row> (kind: 'csv' | 'json', name: string, columns: readonly Column<Row>[], rows: readonly Row[]): void {
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, '-') + '.' + kind
  if (kind === 'csv') {
    saveFile(file, csv(columns.map(({ title }) => title), rows.map((row) => columns.map((column) => column.value(row)))), 'text/csv')
  } else {
    const objects = rows.map((row) => Object.fromEntries(columns.map((column) => [column.id, column.value(row) ?? null])))
    saveFile(file, JSON.stringify(objects, null, 1) + '\n', 'application/json')
  }
}

export function Table<Row> (props: TableProps<Row>) {
  const { caption, columns, rows, rowKey, empty, total, tools, selected, onSelect, filterName = 'filter', actions } = props
  const [own, setOwn] = useState('')
  const words = filterName === null ? own : route.value.query[filterName] ?? ''
  const setWords = (value: string): void => { if (filterName === null) setOwn(value); else setQuery({ [filterName]: value || null }) }
  const [sort, setSort] = useState(props.sort ?? '')
  const shown = useMemo(() => arrange(rows, columns, words, sort), [rows, columns, words, sort])
  const windowed = shown.length >= (props.onEnd ? windowedWithMore : windowedFrom)
  const { scroller, window } = useWindow(shown.length, rowHeight, windowed)
  useOverflow(scroller, actions !== undefined)
  const slice = windowed ? shown.slice(window.first, window.last) : shown
  const atEnd = windowed && window.last >= shown.length
  useEffect(() => { if (atEnd) props.onEnd?.() }, [atEnd, shown.length])
  const width = columns.length + (actions ? 1 : 0) + (selected ? 1 : 0)
  if (rows.length === 0 && empty && !props.busy) return html`${tools && html`<div class="table-tools"><div class="bar-end">${tools}</div></div>`}${empty}`

  const allChosen = shown.length > 0 && shown.every((row) => selected?.has(rowKey(row)))
  const space = (pixels: number) => pixels > 0 && html`<tr aria-hidden="true" class="space"><td colspan=${width} style=${{ height: pixels + 'px' }}></td></tr>`

  return html`<div class="table-block">
    <div class="table-tools">
      <label class="table-filter"><span class="hidden">${text.table.filterHint}: ${caption}</span><${Icon} name="search" />
        <input type="search" placeholder=${text.table.filter} value=${words} onInput=${(event: InputEvent) => setWords((event.target as HTMLInputElement).value)} /></label>
      <span class="muted table-count" aria-live="polite">${selected && selected.size > 0 ? text.table.selected(selected.size) : text.table.rows(shown.length, rows.length)}</span>
      <div class="bar-end">${tools}
        <${Button} small kind="quiet" icon="download" aria-label=${`${text.table.export} ${text.table.csv}: ${caption}`} onClick=${() => exportRows('csv', caption, columns, shown)}>${text.table.csv}</${Button}>
        <${Button} small kind="quiet" icon="download" aria-label=${`${text.table.export} ${text.table.json}: ${caption}`} onClick=${() => exportRows('json', caption, columns, shown)}>${text.table.json}</${Button}>
      </div>
    </div>
    ${total !== undefined && total > rows.length && html`<p class="muted small">${text.table.partial(rows.length, total)}</p>`}
    <div class=${classes('table-scroll', windowed && 'is-windowed', props.tall && 'is-tall')} ref=${scroller} role="region" aria-label=${caption} tabindex="0">
      <table aria-rowcount=${windowed ? shown.length + 1 : undefined} aria-busy=${props.busy || undefined}>
        <caption class="hidden">${caption}</caption>
        <thead><tr aria-rowindex=${windowed ? 1 : undefined}>
          ${selected && html`<td class="check"><input type="checkbox" aria-label=${text.table.selectAll} checked=${allChosen}
            onChange=${() => onSelect?.(allChosen ? new Set() : new Set(shown.map(rowKey)))} /></td>`}
          ${columns.map((column) => html`<${Head} key=${column.id} column=${column} sort=${sort} onSort=${setSort} />`)}
          ${actions && html`<td class="row-actions"><span class="hidden">${text.table.actions}</span></td>`}
        </tr></thead>
        <tbody>
          ${space(window.before)}
          ${slice.map((row, n) => html`<${TableRow} key=${windowed ? (window.first + n) % slice.length : rowKey(row)} table=${props} row=${row} place=${windowed ? window.first + n + 2 : undefined} />`)}
          ${space(window.after)}
          ${shown.length === 0 && html`<tr><td colspan=${width} class="muted">${props.busy ? text.loading : text.table.noMatch}</td></tr>`}
        </tbody>
      </table>
    </div>
  </div>`
}
