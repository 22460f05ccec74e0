import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Card, Facts } from '@/components/facts'
import { Failure } from '@/components/failure'
import { NumberField, SecretField } from '@/components/field'
import { toast } from '@/components/notice'
import { href } from '@/shell/router'
import { count } from '@/text/numbers'
import { text } from '@strings/inference'
import { deploymentOf, isBuiltIn, isRemote, type Deployment, type Endpoint } from './data'

const update = (endpoint: Endpoint, settings: object) => api('PUT /_inference/{task_type}/{inference_id}/_update', { path: { task_type: endpoint.task_type, inference_id: endpoint.inference_id }, body: { service_settings: settings } })

function Scale ({ endpoint, deployment, onSaved }: { endpoint: Endpoint, deployment: Deployment | undefined, onSaved: () => void }) {
  const now = deployment?.allocation_status?.target_allocation_count ?? endpoint.service_settings.num_allocations ?? 1
  const [wanted, setWanted] = useState<number | null>(Number(now))
  const [saving, run] = useAction()
  const shared = deploymentOf(endpoint) !== endpoint.inference_id
  const save = (): void => { if (wanted) void run(() => update(endpoint, { num_allocations: wanted })).then((done) => { if (done) { toast(text.scale.saved(count(wanted))); onSaved() } }) }
  return html`<${Card} title=${text.scale.title}><p class="muted">${isBuiltIn(endpoint) ? text.scale.builtIn : shared ? html`<a href=${href('inference', [deploymentOf(endpoint)])}>${text.scale.shared(deploymentOf(endpoint))}</a>` : text.scale.lead}</p>
    ${!isBuiltIn(endpoint) && !shared && html`${endpoint.service_settings.adaptive_allocations?.enabled && html`<p class="muted">${text.scale.adaptive}</p>`}
      <form class="form narrow" onSubmit=${(event: Event) => { event.preventDefault(); save() }}><${NumberField} label=${text.scale.label} value=${wanted} onInput=${setWanted} min=${1} max=${32} step=${1} /><${Failure} problem=${saving.problem} />
        <div><${Button} type="submit" busy=${saving.busy} disabled=${!wanted}>${text.scale.save}</${Button}></div></form>`}</${Card}>`
}

function Remote ({ endpoint, onSaved }: { endpoint: Endpoint, onSaved: () => void }) {
  const before = endpoint.service_settings
  const perMinute = (before.rate_limit?.['requests_per_minute'] ?? null) as number | null
  const [key, setKey] = useState('')
  const [limit, setLimit] = useState<number | null>(perMinute)
  const [tokens, setTokens] = useState<number | null>(before.max_input_tokens ?? null)
  const [saving, run] = useAction()
  const changes = { ...(key ? { api_key: key } : {}), ...(limit !== perMinute && limit ? { rate_limit: { requests_per_minute: limit } } : {}), ...(tokens !== (before.max_input_tokens ?? null) && tokens ? { max_input_tokens: tokens } : {}) }
  const save = (): void => void run(() => update(endpoint, changes)).then((done) => { if (done) { toast(text.remote.saved); setKey(''); onSaved() } })
  return html`<${Card} title=${text.remote.title}><form class="form" onSubmit=${(event: Event) => { event.preventDefault(); save() }}>
    <${SecretField} label=${text.remote.key} hint=${text.remote.keyHint} value=${key} onInput=${setKey} autocomplete="new-password" />
    <${NumberField} label=${text.remote.limit} value=${limit} onInput=${setLimit} min=${1} step=${1} />${endpoint.task_type === 'text_embedding' && html`<${NumberField} label=${text.remote.tokens} value=${tokens} onInput=${setTokens} min=${1} step=${1} />`}
    <${Failure} problem=${saving.problem} /><div><${Button} type="submit" busy=${saving.busy} disabled=${Object.keys(changes).length === 0}>${text.remote.save}</${Button}></div></form></${Card}>`
}

export function Settings ({ endpoint, deployment, onSaved }: { endpoint: Endpoint, deployment: Deployment | undefined, onSaved: () => void }) {
  const s = endpoint.service_settings
  const adaptive = s.adaptive_allocations
  const chunking = endpoint.chunking_settings
  const fact = (name: string, value: unknown) => value === undefined || value === null ? null : [name, String(value)] as const
  return html`<div class="columns"><${Card} title=${text.one.settings}><${Facts} rows=${[
      [text.list.task, text.tasks[endpoint.task_type]], [text.list.service, endpoint.service],
      s.model_id ? [text.list.model, isRemote(endpoint) ? s.model_id : html`<a href=${href('models', [s.model_id.replace(/-quotes$/, '')])}>${s.model_id}</a>`] : null,
      isRemote(endpoint) ? [text.one.url, s.url ?? '–'] : [text.one.deployment, html`<code>${deploymentOf(endpoint)}</code>`], isRemote(endpoint) ? [text.one.key, text.one.keySet] : null,
      fact(text.one.threads, s.num_threads), adaptive?.enabled ? [text.one.adaptive, text.one.from(count(adaptive.min_number_of_allocations ?? 0), count(adaptive.max_number_of_allocations ?? 32))] : null,
      fact(text.one.dims, s.dimensions), fact(text.one.similarity, s.similarity), fact(text.one.element, s.element_type), fact(text.one.limit, s.rate_limit?.['requests_per_minute']),
      chunking ? [text.one.chunking, Object.entries(chunking).map(([name, value]) => `${name.replaceAll('_', ' ')} ${Array.isArray(value) ? value.join(' ') : value}`).join(', ')] : null]} />
      <details><summary>${text.one.raw}</summary><${Json} value=${endpoint} label=${text.one.raw} /></details></${Card}>
    ${isRemote(endpoint) ? html`<${Remote} endpoint=${endpoint} onSaved=${onSaved} />` : html`<${Scale} key=${deployment?.allocation_status?.target_allocation_count} endpoint=${endpoint} deployment=${deployment} onSaved=${onSaved} />`}</div>`
}
