// A row of a table. It is drawn again where its record or the table's own properties changed, and not where the table merely scrolled.
import { Component, classes, html } from '@/ui'
import { text } from '@strings/common'
import type { TableProps } from './table'

interface RowProps<Row> {
  table: TableProps<Row>
  row: Row
  /** As screen readers count, where not all rows are in the page. */
  place?: number
}

function choose<Row> ({ rowKey, selected, onSelect }: TableProps<Row>, row: Row, on: boolean): void {
  const next = new Set(selected)
  if (on) next.add(rowKey(row)); else next.delete(rowKey(row))
  onSelect?.(next)
}

export class TableRow<Row> extends Component<RowProps<Row>> {
  override shouldComponentUpdate ({ table, row, place }: RowProps<Row>): boolean {
    return table !== this.props.table || row !== this.props.row || place !== this.props.place
  }

  cells () {
    const { table: { columns, rowHref, onRow }, row } = this.props
    return columns.map((column, n) => {
      const inside = column.cell ? column.cell(row) : column.value(row) ?? '–'
      const names = classes(column.numeric && 'numeric', column.wide && 'wide', column.extra && 'extra')
      if (n > 0) return html`<td class=${names}>${inside}</td>`
      const linked = rowHref ? html`<a class="row-link" href=${rowHref(row)}>${inside}</a>`
        : onRow ? html`<button type="button" class="row-link" onClick=${() => onRow(row)}>${inside}</button>` : inside
      return html`<th scope="row" class=${names}>${linked}</th>`
    })
  }

  override render () {
    const { table, row, place } = this.props
    const { rowKey, selected, actions } = table
    return html`<tr aria-rowindex=${place} class=${selected?.has(rowKey(row)) ? 'is-selected' : undefined}>
      ${selected && html`<td class="check"><input type="checkbox" aria-label=${text.table.select(rowKey(row))} checked=${selected.has(rowKey(row))}
        onChange=${(event: Event) => choose(table, row, (event.target as HTMLInputElement).checked)} /></td>`}
      ${this.cells()}${actions && html`<td class="row-actions">${actions(row)}</td>`}</tr>`
  }
}
