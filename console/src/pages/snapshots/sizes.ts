// What each snapshot wrote anew, and what it shares with earlier ones; how far running ones are.
import { html, useMemo } from '@/ui'
import type { SnapshotStatus } from '@/api/generated'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Section } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Plot } from '@/components/plot'
import { Progress } from '@/components/progress'
import { Table, type Column } from '@/components/table'
import { bytes, count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/snapshots'
import { tookMs, type Snapshot } from './data'

const said = text.sizes
/** The newest of so many are asked for, by one request. */
const most = 60

export interface Size { name: string, started: number, took: number | null, wrote: number | null, shared: number | null, total: number, files: number }

function sizeOf ({ snapshot, stats }: SnapshotStatus): Size {
  const wrote = stats.incremental?.size_in_bytes ?? null
  const total = stats.total.size_in_bytes
  return { name: snapshot, started: stats.start_time_in_millis, took: stats.time_in_millis, wrote, total, shared: wrote === null ? null : Math.max(0, total - wrote), files: stats.total.file_count }
}

export async function statusOf (repository: string, names: readonly string[], signal: AbortSignal): Promise<SnapshotStatus[]> {
  return (await api('GET /_snapshot/{repository}/{snapshot}/_status', { path: { repository, snapshot: names.join(',') }, signal })).snapshots
}

const columns: readonly Column<Size>[] = [
  { id: 'name', title: text.one.name, value: (row) => row.name },
  { id: 'wrote', title: said.wrote, numeric: true, value: (row) => row.wrote, cell: (row) => row.wrote === null ? html`<span class="muted" title=${said.unknown}>–</span>` : bytes(row.wrote) },
  { id: 'shared', title: said.shared, numeric: true, value: (row) => row.shared, cell: (row) => bytes(row.shared) },
  { id: 'total', title: said.total, numeric: true, value: (row) => row.total, cell: (row) => bytes(row.total) },
  { id: 'files', title: said.files, numeric: true, extra: true, value: (row) => row.files, cell: (row) => count(row.files) },
  { id: 'took', title: text.one.took, numeric: true, value: (row) => row.took, cell: (row) => duration(row.took) }
]

/** Bytes and durations of the snapshots that have ended. */
export function Sizes ({ repository, snapshots }: { repository: string, snapshots: readonly Snapshot[] }) {
  const ended = useMemo(() => snapshots.filter((each) => each.state !== 'IN_PROGRESS' && each.start_time_in_millis).sort((a, b) => a.start_time_in_millis! - b.start_time_in_millis!).slice(-most), [snapshots])
  const names = ended.map(({ snapshot }) => snapshot)
  const asked = useAsked(async (signal) => (await statusOf(repository, names, signal)).map(sizeOf).sort((a, b) => a.started - b.started), [repository, names.join()], { when: names.length > 0 })
  const sizes = asked.value
  const times = useMemo(() => (sizes ?? []).map(({ started }) => started), [sizes])
  const series = useMemo(() => [{ label: said.wrote, values: (sizes ?? []).map(({ wrote }) => wrote) }, { label: said.shared, values: (sizes ?? []).map(({ shared }) => shared) }], [sizes])
  const durations = useMemo(() => ({ times: ended.map((each) => each.start_time_in_millis!), series: [{ label: text.one.duration, values: ended.map(tookMs) }] }), [ended])
  if (ended.length === 0) return null
  return html`<${Section} title=${said.title} lead=${snapshots.length > most ? said.newest(most) : said.lead}><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${ended.length > 1 && html`<div class="columns">${sizes && html`<div class="card"><${Plot} title=${said.plot} times=${times} series=${series} unit=${bytes} /></div>`}<div class="card"><${Plot} title=${text.one.durations} times=${durations.times} series=${durations.series} unit=${duration} /></div></div>`}
    ${sizes && html`<${Table} caption=${said.caption} columns=${columns} rows=${sizes} rowKey=${({ name }: Size) => name} filterName="sizes" sort="-name" />`}</${Section}>`
}

/** A snapshot that is being made: bytes and files written so far, of those that it will have written. */
export function Running ({ repository, snapshot }: { repository: string, snapshot: Snapshot }) {
  const asked = useAsked(async (signal) => (await api('GET /_snapshot/{repository}/_status', { path: { repository }, signal, quiet: true })).snapshots.find(({ uuid }) => uuid === snapshot.uuid) ?? null, [repository, snapshot.uuid], { every: 2000 })
  const stats = asked.value?.stats
  const parts = asked.value?.shards_stats
  const done = stats?.processed
  const more = [done && said.filesOf(count(done.file_count), stats.incremental ? count(stats.incremental.file_count) : ''), parts && said.partsOf(count(parts.done), count(parts.total)), text.one.ofIndices(count(snapshot.indices?.length)), duration(tookMs(snapshot))].filter(Boolean).join(' · ')
  return html`<div class="card"><${Progress} label=${text.one.running(snapshot.snapshot)} done=${done?.size_in_bytes ?? 0} total=${done ? stats.incremental?.size_in_bytes : undefined} unit=${bytes} started_ms=${snapshot.start_time_in_millis} /><p class="muted small numeric">${more}</p></div>`
}
