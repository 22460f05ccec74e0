import { html, useState } from '@/ui'
import type { Endpoint } from '@/api/generated'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Empty } from '@/components/empty'
import { Card, Facts, Loading, PageHead, Section, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Menu } from '@/components/menu'
import { Notice } from '@/components/notice'
import { Progress } from '@/components/progress'
import { Table, type Column } from '@/components/table'
import { pending, type Deployment } from '@/pages/inference/data'
import { go, href } from '@/shell/router'
import { bytes, count, none } from '@/text/numbers'
import { text } from '@strings/models'
import { text as inference } from '@strings/inference'
import { Deploy, RemoveModel, ScaleDeployment, StopDeployment } from './actions'
import { models, tasksOf, toneOf, type Row } from './data'

const { one } = text

const deployments: readonly Column<Deployment>[] = [
  { id: 'id', title: one.deployment, value: (row) => row.deployment_id },
  { id: 'state', title: one.state, value: (row) => text.states[row.state] ?? row.state, cell: (row) => html`<span title=${row.reason}><${State} tone=${toneOf(row.state)}>${text.states[row.state] ?? row.state}</${State}></span>` },
  { id: 'allocations', title: one.allocations, numeric: true, value: (row) => row.allocation_status?.allocation_count ?? null, cell: (row) => row.allocation_status ? inference.of(count(row.allocation_status.allocation_count), count(row.allocation_status.target_allocation_count)) : none },
  { id: 'threads', title: one.threads, numeric: true, value: (row) => row.threads_per_allocation ?? null },
  { id: 'queue', title: one.queue, numeric: true, value: pending, cell: (row) => count(pending(row)) },
  { id: 'requests', title: one.requests, numeric: true, value: (row) => row.inference_count ?? null, cell: (row) => count(row.inference_count) },
  { id: 'memory', title: one.memoryNow, numeric: true, value: (row) => row.load_progress?.loaded_bytes ?? null, cell: (row) => bytes(row.load_progress?.loaded_bytes) }
]

const endpoints: readonly Column<Endpoint>[] = [
  { id: 'id', title: one.endpoint, value: (row) => row.inference_id },
  { id: 'task', title: one.task, value: (row) => inference.tasks[row.task_type] ?? row.task_type },
  { id: 'service', title: inference.list.service, value: (row) => row.service, wide: true }
]

type Acting = { kind: 'deploy' | 'remove' } | { kind: 'stop' | 'scale', deployment: Deployment }

/** Deployments that are not ready: how far they are, or why not. */
function Unready ({ list }: { list: readonly Deployment[] }) {
  return html`${list.filter(({ state }) => state === 'starting').map((each) => html`<div class="card" key=${each.deployment_id}>${each.download_progress
    ? html`<${Progress} label=${one.downloading(each.download_progress.source)} done=${each.download_progress.received_bytes} total=${each.download_progress.total_bytes} unit=${bytes} />`
    : html`<${Progress} label=${one.loading(each.deployment_id)} done=${each.load_progress?.loaded_bytes ?? 0} total=${each.load_progress?.total_bytes} unit=${bytes} />`}</div>`)}
    ${list.filter(({ state }) => state === 'failed').map((each) => html`<${Notice} kind="error" title=${each.deployment_id} key=${each.deployment_id}>${each.reason}</${Notice}>`)}`
}

export function One ({ id }: { id: string }) {
  const [moving, setMoving] = useState(false)
  const asked = useAsked(async (signal) => {
    const rows = await models(signal)
    setMoving(rows.some(({ model, deployments: all }) => model.model_id === id && all.some(({ state }) => state === 'starting' || state === 'stopping')))
    return rows
  }, [id], { every: moving ? 2000 : 15_000 })
  const [acting, setActing] = useState<Acting | null>(null)
  const close = (): void => setActing(null)
  const trail = [{ title: text.title, href: href('models') }]
  const row: Row | undefined = asked.value?.find(({ model }) => model.model_id === id)
  if (!row) return html`<${PageHead} title=${id} trail=${trail} />${asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : asked.value ? html`<${Notice} kind="warning">${one.missing}</${Notice}>` : html`<${Loading} />`}`
  const { model, stats } = row
  const dims = (model.inference_config as any)?.text_embedding?.embedding_size
  const actions = html`<${Button} icon="play" onClick=${() => setActing({ kind: 'deploy' })}>${one.deploy}</${Button}><${Button} kind="danger" icon="remove" onClick=${() => setActing({ kind: 'remove' })}>${text.remove.item}</${Button}>`
  const make = html`<${Button} small icon="add" href=${href('inference', [], { new: 1, model: id })}>${one.make}</${Button}>`
  return html`<${PageHead} title=${id} trail=${trail} actions=${actions}>${model.description}</${PageHead}><${Failure} problem=${asked.problem} onRetry=${asked.reload} /><${Unready} list=${row.deployments} />
    <${Card} title=${one.facts}><${Facts} rows=${[[one.kind, html`<code>${model.model_type}</code>`], [one.tasks, tasksOf(model)], [one.size, bytes(model.model_size_bytes)], [one.memory, bytes(stats?.model_size_stats.required_native_memory_bytes)], dims ? [one.dims, count(dims)] : null,
      [one.created, html`<${When} exact at=${model.create_time} />`], model.tags.length > 0 ? [one.tags, model.tags.join(', ')] : null, stats && stats.pipeline_count > 0 ? [one.pipelines, count(stats.pipeline_count)] : null]} />
      <p class="muted small">${one.verify}</p><details><summary>${one.raw}</summary><${Json} value=${model} label=${one.raw} /></details></${Card}>
    <${Section} title=${one.deployments}><${Table} caption=${one.deployments} columns=${deployments} rows=${row.deployments} rowKey=${(each: Deployment) => each.deployment_id} sort="id" filterName="deployment"
      actions=${(deployment: Deployment) => html`<${Menu} label=${deployment.deployment_id} items=${[{ title: text.scale.item, icon: 'edit', onSelect: () => setActing({ kind: 'scale', deployment }) }, { title: text.stop.verb, icon: 'stop', danger: true, onSelect: () => setActing({ kind: 'stop', deployment }) }]} />`}
      empty=${html`<${Empty} icon="models" title=${one.noDeployment}>${one.noDeploymentText}</${Empty}>`} /></${Section}>
    <${Section} title=${one.used} actions=${make}><${Table} caption=${one.used} columns=${endpoints} rows=${row.endpoints} rowKey=${(each: Endpoint) => each.inference_id} rowHref=${(each: Endpoint) => href('inference', [each.inference_id])} sort="id" filterName="endpoint" empty=${html`<${Empty} icon="inference" title=${one.none}>${one.noneText}</${Empty}>`} /></${Section}>
    ${acting?.kind === 'deploy' && html`<${Deploy} id=${id} onClose=${close} onDone=${asked.reload} />`}${acting?.kind === 'remove' && html`<${RemoveModel} row=${row} onClose=${close} onDone=${() => go('models')} />`}
    ${acting?.kind === 'stop' && html`<${StopDeployment} id=${acting.deployment.deployment_id} onClose=${close} onDone=${asked.reload} />`}${acting?.kind === 'scale' && html`<${ScaleDeployment} deployment=${acting.deployment} onClose=${close} onDone=${asked.reload} />`}`
}
