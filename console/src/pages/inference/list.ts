import { html, useMemo, useState } from '@/ui'
import { useLive } from '@/api/events'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Menu } from '@/components/menu'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { count, none, rate } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/inference'
import { deploymentOf, deployments, figuresOf, lookAtMetrics, pending, stateOf, toneOf, type Endpoint, type Row } from './data'
import { RemoveEndpoint } from './remove'

const each = (value: number | null | undefined): string => value === null || value === undefined ? none : rate(value)
const target = ({ deployment }: Row) => deployment?.allocation_status

const columns: readonly Column<Row>[] = [
  { id: 'id', title: text.list.id, value: ({ endpoint }) => endpoint.inference_id },
  { id: 'task', title: text.list.task, value: ({ endpoint }) => text.tasks[endpoint.task_type] ?? endpoint.task_type },
  { id: 'model', title: text.list.model, value: ({ endpoint }) => String(endpoint.service_settings.model_id ?? endpoint.service_settings.url ?? '') },
  { id: 'state', title: text.list.state, value: (row) => text.states[stateOf(row)] ?? stateOf(row), cell: (row) => html`<span title=${row.deployment?.reason}><${State} tone=${toneOf(stateOf(row))}>${text.states[stateOf(row)] ?? stateOf(row)}</${State}></span>` },
  { id: 'allocations', title: text.list.allocations, numeric: true, value: (row) => target(row)?.allocation_count ?? null, cell: (row) => { const now = target(row); return now ? text.of(count(now.allocation_count), count(now.target_allocation_count)) : none } },
  { id: 'queue', title: text.list.queue, numeric: true, value: ({ deployment }) => pending(deployment), cell: ({ deployment }) => count(pending(deployment)) },
  { id: 'perSecond', title: text.list.perSecond, numeric: true, value: ({ figures }) => figures?.perSecond ?? null, cell: ({ figures }) => each(figures?.perSecond) },
  { id: 'p99', title: text.list.p99, numeric: true, extra: true, value: ({ figures }) => figures?.p99 ?? null, cell: ({ figures }) => duration(figures?.p99) },
  { id: 'service', title: text.list.service, extra: true, value: ({ endpoint }) => endpoint.service }
]

export function EndpointList () {
  const live = useLive('jobs')?.jobs.filter(({ kind }) => kind === 'deployment').map(({ id, state }) => id + state).join() ?? ''
  const endpoints = useAsked(async (signal) => (await api('GET /_inference', { signal })).endpoints, [], { every: 30_000 })
  const running = useAsked(deployments, [live], { every: 15_000 })
  const metrics = useAsked(lookAtMetrics, [], { every: 10_000 })
  const [removing, setRemoving] = useState<Endpoint | null>(null)
  const rows = useMemo(() => (endpoints.value ?? []).map((endpoint): Row => ({
    endpoint, deployment: running.value?.get(deploymentOf(endpoint)), figures: metrics.value && figuresOf(endpoint.inference_id, metrics.value.now, metrics.value.before)
  })), [endpoints.value, running.value, metrics.value])
  if (!endpoints.value) return endpoints.problem ? html`<${Failure} problem=${endpoints.problem} onRetry=${endpoints.reload} />` : html`<${Loading} />`
  return html`<${Failure} problem=${endpoints.problem ?? running.problem} onRetry=${endpoints.reload} />
    <${Table} caption=${text.list.caption} columns=${columns} rows=${rows} rowKey=${({ endpoint }: Row) => endpoint.inference_id} rowHref=${({ endpoint }: Row) => href('inference', [endpoint.inference_id])} sort="id" tall
      actions=${({ endpoint }: Row) => html`<${Menu} label=${endpoint.inference_id} items=${[{ title: text.open, icon: 'right', href: href('inference', [endpoint.inference_id]) }, { title: text.removeItem, icon: 'remove', danger: true, onSelect: () => setRemoving(endpoint) }]} />`}
      empty=${html`<${Empty} icon="inference" title=${text.list.empty} command=${text.list.command} action=${html`<${Button} kind="main" icon="add" href=${href('inference', [], { new: 1 })}>${text.new}</${Button}>`}>${text.list.emptyText}</${Empty}>`} />
    ${removing && html`<${RemoveEndpoint} endpoint=${removing} onClose=${() => setRemoving(null)} onDone=${endpoints.reload} />`}`
}
