import { html } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Empty } from '@/components/empty'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Table, type Column } from '@/components/table'
import { bytes, count } from '@/text/numbers'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'

interface Row { name: string, documents: number, deleted: number, bytes: number, memory: number, stored: boolean, searched: boolean }
const { segments: words } = text
const yes = (on: boolean): string => on ? common.yes : common.no

const columns: readonly Column<Row>[] = [
  { id: 'name', title: words.name, value: (row) => row.name, cell: (row) => html`<code>${row.name}</code>` },
  { id: 'documents', title: words.documents, numeric: true, value: (row) => row.documents, cell: (row) => count(row.documents) },
  { id: 'deleted', title: words.deleted, numeric: true, value: (row) => row.deleted, cell: (row) => count(row.deleted) },
  { id: 'bytes', title: words.bytes, numeric: true, value: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
  { id: 'memory', title: words.memory, numeric: true, extra: true, value: (row) => row.memory, cell: (row) => bytes(row.memory) },
  { id: 'stored', title: words.stored, extra: true, value: (row) => yes(row.stored) },
  { id: 'searched', title: words.searched, extra: true, value: (row) => yes(row.searched) }
]

/** The shares of the segments in the bytes of the index, as one bar. */
function Shares ({ rows }: { rows: readonly Row[] }) {
  const all = rows.reduce((total, row) => total + row.bytes, 0)
  if (all === 0 || rows.length < 2) return null
  return html`<div class="segment-bar" aria-hidden="true">${[...rows].sort((a, b) => b.bytes - a.bytes).map((row) => html`<i key=${row.name} title=${`${row.name}: ${bytes(row.bytes)}, ${words.deleted} ${count(row.deleted)}`} style=${{ width: row.bytes / all * 100 + '%' }}><b style=${{ height: row.deleted / Math.max(1, row.documents + row.deleted) * 100 + '%' }}></b></i>`)}</div>`
}

export function SegmentsTab ({ index }: { index: string }) {
  const asked = useAsked((signal) => api('GET /{index}/_segments', { path: { index }, signal }), [index], { every: 10_000 })
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const shards = Object.values((asked.value as any).indices ?? {}).flatMap((one: any) => Object.values(one.shards).flat() as any[])
  const rows = shards.flatMap((shard) => Object.entries(shard.segments as Record<string, any>).map(([name, one]): Row => ({ name, documents: one.num_docs, deleted: one.deleted_docs, bytes: one.size_in_bytes, memory: one.memory_in_bytes, stored: one.committed, searched: one.search })))
  return html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} /><${Shares} rows=${rows} />
    <${Table} caption=${words.caption} columns=${columns} rows=${rows} rowKey=${(row: Row) => row.name} sort="-bytes" empty=${html`<${Empty} icon="snapshots" title=${words.none} />`} />`
}
