import { html, useMemo, useState } from '@/ui'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading, PageHead, Section, State, Tag, type Tone } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Tabs } from '@/components/tabs'
import { HistoryPlots, RangeChoice, type HistoryPlot } from '@/components/history_plot'
import { Table, type Column } from '@/components/table'
import { href, route, setQuery } from '@/shell/router'
import { bytes, count, rate } from '@/text/numbers'
import { text } from '@strings/indices'
import { text as more } from '@strings/templates'
import { IndexMenu } from './actions'
import { Analyze } from './analyze'
import { CreateDialog } from './create'
import { indexRows, type IndexRow } from './data'
import { meaningOf } from './fields'
import { Scripts } from './scripts'
import { Templates } from './templates'
import { Work } from './work'

const tones: Record<string, Tone> = { green: 'good', yellow: 'warning', red: 'bad' }
const { columns: names } = text
const healthOf = (row: IndexRow): string => row.open ? (text.health as Record<string, string>)[row.health] ?? row.health : text.health.closed

const columns: readonly Column<IndexRow>[] = [
  { id: 'name', title: names.name, value: (row) => row.name },
  { id: 'documents', title: names.documents, numeric: true, value: (row) => row.documents, cell: (row) => count(row.documents) },
  { id: 'bytes', title: names.bytes, numeric: true, value: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
  { id: 'health', title: names.health, value: healthOf, cell: (row) => html`<${State} tone=${row.open ? tones[row.health] ?? 'off' : 'off'}>${healthOf(row)}</${State}>` },
  { id: 'fields', title: names.fields, numeric: true, extra: true, value: (row) => row.fields.length },
  { id: 'meaning', title: names.meaning, wide: true, extra: true, value: (row) => row.meaning.map((field) => `${field.path} (${meaningOf(field)})`).join(', '), cell: (row) => row.meaning.length === 0 ? html`<span class="muted">–</span>` : html`<span class="tags one-line">${row.meaning.map((field) => html`<${Tag} key=${field.path} title=${String(field.more['inference_id'] ?? field.type)}>${field.path}: ${meaningOf(field)}</${Tag}>`)}</span>` },
  { id: 'shards', title: names.shards, numeric: true, extra: true, value: (row) => row.shards },
  { id: 'aliases', title: names.aliases, extra: true, value: (row) => row.aliases.join(', ') }
]

const perSecond = (value: number | null): string => value === null ? '–' : rate(value)
const plots: readonly HistoryPlot[] = [
  { title: text.plots.documents, unit: perSecond, series: [{ metric: 'documents_per_second', label: text.plots.written }, { metric: 'deleted_documents_per_second', label: text.plots.deleted }] },
  { title: text.plots.merges, unit: (value) => count(value), series: [{ metric: 'merges_running', label: text.plots.running }] }
]

export function IndexList () {
  const hidden = route.value.query['hidden'] === '1'
  const asked = useAsked((signal) => indexRows(hidden, signal), [hidden], { every: 15_000 })
  const [making, setMaking] = useState(route.value.query['new'] === '1')
  const rows = asked.value
  const all = useMemo(() => rows?.map(({ name }) => name) ?? [], [rows])
  const create = html`<${Button} kind="main" icon="add" onClick=${() => setMaking(true)}>${text.create}</${Button}>`
  const list = () => html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />${!rows && asked.busy && html`<${Loading} />`}
    <${Work} />
    ${rows && html`<div class="indices-table"><${Table} caption=${text.caption} columns=${columns} rows=${rows} rowKey=${(row: IndexRow) => row.name} rowHref=${(row: IndexRow) => href('indices', [row.name])} sort="name"
      actions=${(row: IndexRow) => html`<${IndexMenu} subject=${row} names=${all} onDone=${asked.reload} onGone=${asked.reload} />`}
      tools=${html`<${Button} small kind="quiet" icon="eye" aria-pressed=${hidden} onClick=${() => setQuery({ hidden: hidden ? null : 1 })}>${text.hidden}</${Button}>`}
      empty=${html`<${Empty} icon="indices" title=${text.empty} command=${text.command}>${text.emptyText}</${Empty}>`} /></div>
      ${rows.length > 0 && html`<${Section} title=${text.plots.title} lead=${text.plots.lead} actions=${html`<${RangeChoice} />`}><${HistoryPlots} plots=${plots} /></${Section}>`}`}`
  return html`<${PageHead} title=${text.title} actions=${create}>${text.lead}</${PageHead}>
    <${Tabs} label=${more.tabs.label} tabs=${[
      { id: 'indices', title: more.tabs.indices, content: list },
      { id: 'templates', title: more.tabs.templates, content: () => html`<${Templates} />` },
      { id: 'scripts', title: more.tabs.scripts, content: () => html`<${Scripts} />` },
      { id: 'analyze', title: more.tabs.analyze, content: () => html`<${Analyze} names=${(rows ?? []).filter(({ open }) => open).map(({ name }) => name)} />` }]} />
    ${making && html`<${CreateDialog} onClose=${() => { setMaking(false); setQuery({ new: null }) }} onDone=${asked.reload} />`}`
}
