import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Facts, Figure, Loading, PageHead, Section, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Table, type Column } from '@/components/table'
import { Tabs } from '@/components/tabs'
import { go, href } from '@/shell/router'
import { count, decimal, none, rate } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/inference'
import { deploymentOf, deployments, figuresOf, inputMs, isBuiltIn, isRemote, lastMinute, lookAtMetrics, modelCpu, pending, stateOf, toneOf, type Deployment, type DeploymentNode, type Endpoint, type Figures as Counted, type Look } from './data'
import { DeploymentProgress } from './loading'
import { RemoveEndpoint } from './remove'
import { Settings } from './settings'
import { Try } from './try'

const { one } = text

function Head ({ endpoint, deployment, figures, look }: { endpoint: Endpoint, deployment: Deployment | undefined, figures: Counted | undefined, look: Look | undefined }) {
  const status = deployment?.allocation_status
  const state = stateOf({ endpoint, deployment })
  const model = endpoint.service_settings.model_id?.replace(/-quotes$/, '')
  return html`<dl class="figures"><${Figure} name=${text.list.state} value=${html`<span class="endpoint-state"><${State} tone=${toneOf(state)}>${text.states[state] ?? state}</${State}></span>`} />
    ${!isRemote(endpoint) && html`<${Figure} name=${one.allocations} value=${count(status?.allocation_count ?? 0)}>${one.target(count(status?.target_allocation_count ?? 0))}</${Figure}>
      <${Figure} name=${one.queue} value=${count(pending(deployment) ?? 0)}>${deployment?.queue_capacity && one.queueOf(count(deployment.queue_capacity))}</${Figure}>`}
    <${Figure} name=${one.requests} value=${count(figures?.requests)}>${figures?.perSecond !== null && figures?.perSecond !== undefined ? `${one.rate} ${rate(figures.perSecond)}` : one.since}</${Figure}>
    <${Figure} name=${one.latency} value=${duration(figures?.p50)}>${figures?.p99 ? `${one.p99} ${duration(figures.p99)}` : one.p50}</${Figure}>
    ${figures && figures.prompt + figures.generated > 0 && html`<${Figure} name=${one.tokens} value=${count(figures.generated)}>${one.generated}, ${count(figures.prompt)} ${one.prompt}${figures.tokensPerSecond ? `, ${rate(figures.tokensPerSecond)}` : ''}</${Figure}>`}
    ${look && model && !isRemote(endpoint) && html`<${Figure} name=${one.cpu} value=${duration(modelCpu(look, model) * 1000)}>${one.cpuOf(model)}</${Figure}>`}</dl>`
}

const nodeColumns: readonly Column<DeploymentNode>[] = [
  { id: 'node', title: one.node, value: (row) => Object.values(row.node)[0]?.name ?? null },
  { id: 'state', title: text.list.state, value: (row) => text.states[row.routing_state.routing_state] ?? row.routing_state.routing_state, cell: (row) => html`<span title=${row.routing_state.reason}><${State} tone=${toneOf(row.routing_state.routing_state)}>${text.states[row.routing_state.routing_state] ?? row.routing_state.routing_state}</${State}></span>` },
  { id: 'allocations', title: one.allocations, numeric: true, value: (row) => row.number_of_allocations },
  { id: 'inputs', title: one.inputs, numeric: true, value: (row) => row.inference_count, cell: (row) => count(row.inference_count) },
  { id: 'batch', title: one.batch, numeric: true, value: (row) => row.average_inference_time_ms ?? null, cell: (row) => row.average_inference_time_ms ? duration(row.average_inference_time_ms) : none }
]

function More ({ deployment }: { deployment: Deployment | undefined }) {
  if (!deployment) return html`<p class="muted">${text.states['idle']}</p>`
  const steps = deployment.text_steps
  return html`<div class="columns"><div class="card"><${Facts} rows=${[
    [one.batch, inputMs(deployment) ? duration(inputMs(deployment)) : none], [one.lastMinute, lastMinute(deployment) === null ? none : count(lastMinute(deployment))], [one.peak, count(deployment.peak_throughput_per_minute)],
    [one.errors, count(deployment.error_count)], [one.refused, count(deployment.rejected_execution_count)],
    steps?.['steps'] ? [one.steps, decimal((steps['texts_in_steps'] ?? 0) / steps['steps'])] : null, steps ? [one.kv, count(steps['kv_pages'])] : null]} /></div></div>
    ${(deployment.nodes?.length ?? 0) > 1 && html`<${Section} title=${one.nodes}><${Table} caption=${one.nodes} columns=${nodeColumns} rows=${deployment.nodes} rowKey=${(each: DeploymentNode) => Object.keys(each.node)[0] ?? ''} sort="node" filterName="node" /></${Section}>`}`
}

export function One ({ id }: { id: string }) {
  const asked = useAsked(async (signal) => (await api('GET /_inference/{inference_id}', { path: { inference_id: id }, signal })).endpoints[0], [id], { every: 30_000 })
  const [ready, setReady] = useState(true)
  const running = useAsked(async (signal) => { const all = await deployments(signal); setReady(all.get(id)?.state !== 'starting'); return all }, [id], { every: ready ? 10_000 : 2000 })
  const metrics = useAsked(lookAtMetrics, [id], { every: 10_000 })
  const [removing, setRemoving] = useState(false)
  const endpoint = asked.value
  const trail = [{ title: text.title, href: href('inference') }]
  if (!endpoint) return html`<${PageHead} title=${id} trail=${trail} />${asked.problem ? html`<${Failure} problem=${asked.problem} title=${asked.problem.kind === 'missing' ? one.missing : undefined} onRetry=${asked.reload} />` : html`<${Loading} />`}`
  const deployment = running.value?.get(deploymentOf(endpoint))
  const figures = metrics.value && figuresOf(id, metrics.value.now, metrics.value.before)
  const reload = (): void => { asked.reload(); running.reload() }
  return html`<${PageHead} title=${id} trail=${trail} actions=${html`<${Button} kind="danger" icon="remove" onClick=${() => setRemoving(true)}>${text.removeItem}</${Button}>`}>${text.tasks[endpoint.task_type]} · ${endpoint.service} · ${endpoint.service_settings.model_id ?? endpoint.service_settings.url}${isBuiltIn(endpoint) && ` · ${text.preconfigured}`}</${PageHead}>
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${Head} endpoint=${endpoint} deployment=${deployment} figures=${figures} look=${metrics.value?.now} /><${DeploymentProgress} deployment=${deployment} />
    <${Tabs} label=${one.tabs.label} tabs=${[
      { id: 'try', title: one.tabs.try, content: () => html`<${Try} endpoint=${endpoint} />` },
      { id: 'settings', title: one.tabs.settings, content: () => html`<${Settings} endpoint=${endpoint} deployment=${deployment} onSaved=${reload} />` },
      !isRemote(endpoint) && { id: 'figures', title: one.tabs.figures, content: () => html`<${More} deployment=${deployment} />` }].filter(Boolean)} />
    ${removing && html`<${RemoveEndpoint} endpoint=${endpoint} onClose=${() => setRemoving(false)} onDone=${() => isBuiltIn(endpoint) ? reload() : go('inference')} />`}`
}
