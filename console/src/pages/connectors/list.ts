import { html, useMemo } from '@/ui'
import { useLive } from '@/api/events'
import { useAsked } from '@/api/use'
import { Empty } from '@/components/empty'
import { Loading, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Menu } from '@/components/menu'
import { Button } from '@/components/button'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { bytes, count } from '@/text/numbers'
import { text } from '@strings/connectors'
import { useConnectorActions } from './actions'
import { active, connectors, doing, failed, jobTone, kindOf, lastJobs, looked, nameOf, nextSync, scheduleWords, stateTone, total, figure, type Connector, type SyncJob } from './data'

interface Row { connector: Connector, job: SyncJob | undefined }

/** What a sync that runs is at, or why it waits. */
function nowWords ({ job }: Row): string {
  if (!active(job)) return ''
  const waits = doing(job)
  if (waits) return waits
  if (job!.status !== 'in_progress') return text.job[job!.status] ?? job!.status
  const all = total(job!)
  const done = count(looked(job!)) + (all ? ` / ${count(all)}` : '')
  const read = figure(job!, 'bytes_looked_at')
  return done + (read ? `, ${bytes(read)}` : '')
}

const columns: readonly Column<Row>[] = [
  { id: 'name', title: text.list.name, value: ({ connector }) => nameOf(connector) },
  { id: 'source', title: text.list.source, extra: true, value: ({ connector }) => kindOf(connector.service_type) },
  { id: 'index', title: text.list.index, extra: true, value: ({ connector }) => connector.index_name, cell: ({ connector }) => connector.index_name ? html`<a href=${href('indices', [connector.index_name])}>${connector.index_name}</a>` : '–' },
  {
    id: 'state', title: text.list.state, value: (row) => row.connector.paused ? text.paused : active(row.job) ? nowWords(row) : text.states[row.connector.status] ?? row.connector.status,
    cell: ({ connector, job }) => connector.paused ? html`<${State} tone="warning">${text.paused}</${State}>` : active(job) ? html`<${State} tone=${doing(job) ? 'warning' : jobTone(job!.status)}>${nowWords({ connector, job })}</${State}>`
      : html`<span title=${connector.error ?? connector.last_sync_error ?? undefined}><${State} tone=${stateTone(connector.status)}>${text.states[connector.status] ?? connector.status}</${State}></span>`
  },
  { id: 'failed', title: text.list.failed, numeric: true, value: ({ job }) => job ? failed(job) : null, cell: ({ connector, job }) => job && failed(job) > 0 ? html`<a href=${href('connectors', [connector.id], { tab: 'problems' })}>${count(failed(job))}</a>` : job ? '0' : '–' },
  { id: 'last', title: text.list.last, value: ({ connector }) => connector.last_synced, cell: ({ connector }) => html`<${When} at=${connector.last_synced} />` },
  { id: 'next', title: text.list.next, extra: true, value: ({ connector }) => { const at = nextSync(connector); return at === null ? null : new Date(at).toISOString() }, cell: ({ connector }) => html`<${When} at=${nextSync(connector)} />` },
  { id: 'schedule', title: text.list.schedule, wide: true, extra: true, value: ({ connector }) => scheduleWords(connector), cell: ({ connector }) => html`<span title=${scheduleWords(connector)}>${scheduleWords(connector) || text.schedule.off}</span>` }
]

export function ConnectorList () {
  const live = useLive('jobs')
  const running = live?.jobs.filter(({ kind }) => kind === 'sync').map(({ id }) => id).join() ?? ''
  const all = useAsked(connectors, [running], { every: 30_000 })
  const jobs = useAsked(lastJobs, [running], { every: running ? 3000 : 30_000 })
  const rows = useMemo(() => (all.value ?? []).map((connector): Row => ({ connector, job: jobs.value?.get(connector.id) })), [all.value, jobs.value])
  const { items, dialog } = useConnectorActions(() => { all.reload(); jobs.reload() })
  if (!all.value) return all.problem ? html`<${Failure} problem=${all.problem} onRetry=${all.reload} />` : html`<${Loading} />`
  const add = html`<${Button} kind="main" icon="add" href=${href('connectors', [], { new: 'kind' })}>${text.new}</${Button}>`
  return html`<${Failure} problem=${all.problem ?? jobs.problem} onRetry=${all.reload} />
    <${Table} caption=${text.list.caption} columns=${columns} rows=${rows} rowKey=${({ connector }: Row) => connector.id} rowHref=${({ connector }: Row) => href('connectors', [connector.id])} sort="name" tall
      actions=${({ connector, job }: Row) => html`<${Menu} label=${`${nameOf(connector)}`} items=${items(connector, active(job) ? job : undefined)} />`}
      empty=${html`<${Empty} icon="connectors" title=${text.list.empty} command=${text.list.command} action=${add}>${text.list.emptyText}</${Empty}>`} />${dialog}`
}
