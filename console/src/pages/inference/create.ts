// A new endpoint: the fields are those that the server tells for the chosen service and task.
import { html, useMemo, useState } from '@/ui'
import type { InferenceService } from '@/api/generated'
import { asProblem } from '@/api/problem'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Card, Loading, PageHead } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, NumberField, RadioField, SecretField, SelectField, TextField } from '@/components/field'
import { Notice, toast } from '@/components/notice'
import { go, href } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/inference'

const { create } = text
type Values = Record<string, string | number | null>

/** Aliases of the own service are left out. */
const offered = (services: readonly InferenceService[]): InferenceService[] => services.filter((one) => one.service === 'cairn' || one.name !== services.find(({ service }) => service === 'cairn')?.name)

/** "rate_limit.requests_per_minute" becomes a member of a member. */
function nested (values: Values): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === '') continue
    const [first, second] = name.split('.') as [string, string?]
    if (second) out[first] = { ...(out[first] as object), [second]: value }; else out[first] = value
  }
  return out
}

interface Local { model: string, threads: number | null, allocations: number | null, adaptive: boolean, low: number | null, high: number | null, element: string, strategy: string, size: number | null, overlap: number | null }

function localSettings (local: Local, task: string): { service_settings: any, chunking_settings?: any } {
  const allocations = local.adaptive ? { adaptive_allocations: { enabled: true, min_number_of_allocations: local.low ?? 0, ...(local.high ? { max_number_of_allocations: local.high } : {}) } } : { num_allocations: local.allocations }
  const embeds = task === 'text_embedding' || task === 'sparse_embedding'
  const sized = local.strategy === 'none' ? {} : { max_chunk_size: local.size, ...(local.strategy === 'sentence' ? { sentence_overlap: local.overlap } : local.strategy === 'word' ? { overlap: local.overlap } : { separator_group: 'plaintext' }) }
  return {
    service_settings: { model_id: local.model, num_threads: local.threads, ...allocations, ...(task === 'text_embedding' && local.element !== 'float' ? { element_type: local.element } : {}) },
    ...(embeds ? { chunking_settings: { strategy: local.strategy, ...sized } } : {})
  }
}

function LocalFields ({ local, set, task, models }: { local: Local, set: (change: Partial<Local>) => void, task: string, models: readonly string[] }) {
  const embeds = task === 'text_embedding' || task === 'sparse_embedding'
  const strategy = (value: string): void => set({ strategy: value, ...(value === 'word' ? { size: 250, overlap: 100 } : value === 'recursive' ? { size: 250 } : { size: 250, overlap: 1 }) })
  return html`<${TextField} label=${create.model} hint=${create.modelHint} value=${local.model} onInput=${(model: string) => set({ model })} suggestions=${models} required mono />
    <div class="form-row"><${SelectField} label=${create.threads} hint=${create.threadsHint} value=${String(local.threads)} choices=${['1', '2', '4', '8', '16', '32']} onInput=${(value: string) => set({ threads: Number(value) })} />
      ${local.adaptive ? html`<${NumberField} label=${create.low} value=${local.low} onInput=${(low: number | null) => set({ low })} min=${0} step=${1} /><${NumberField} label=${create.high} value=${local.high} onInput=${(high: number | null) => set({ high })} min=${1} step=${1} />`
        : html`<${NumberField} label=${create.allocations} hint=${create.allocationsHint} value=${local.allocations} onInput=${(allocations: number | null) => set({ allocations })} min=${1} max=${32} step=${1} required />`}</div>
    <${CheckField} label=${create.adaptive} value=${local.adaptive} onInput=${(adaptive: boolean) => set({ adaptive })} />
    ${task === 'text_embedding' && html`<${SelectField} label=${create.element} value=${local.element} choices=${['float', 'byte', 'bit']} onInput=${(element: string) => set({ element })} />`}
    ${embeds && html`<fieldset class="form"><legend>${create.chunking}</legend><div class="form-row"><${SelectField} label=${create.strategy} value=${local.strategy} choices=${Object.entries(create.strategies).map(([value, label]) => ({ value, label }))} onInput=${strategy} />
      ${local.strategy !== 'none' && html`<${NumberField} label=${create.size} value=${local.size} onInput=${(size: number | null) => set({ size })} min=${10} step=${1} />`}
      ${local.strategy in create.overlapHints && html`<${NumberField} label=${create.overlap} hint=${create.overlapHints[local.strategy]} value=${local.overlap} onInput=${(overlap: number | null) => set({ overlap })} min=${0} step=${1} />`}</div></fieldset>`}`
}

function RemoteFields ({ service, task, values, onValues, wrong }: { service: InferenceService, task: string, values: Values, onValues: (values: Values) => void, wrong: boolean }) {
  const entries = Object.entries(service.configurations).filter(([, one]) => one.supported_task_types.includes(task as never)).sort(([, a], [, b]) => Number(b.required) - Number(a.required))
  return html`<${Notice}>${create.remoteNote}</${Notice}><div class="connector-form form">${entries.map(([name, one]) => {
    const common = { key: name, label: one.label, hint: one.description, required: one.required, error: wrong && one.required && !values[name] ? create.required : undefined, onInput: (value: string | number | null) => onValues({ ...values, [name]: value }) }
    return one.sensitive ? html`<${SecretField} ...${common} autocomplete="new-password" value=${String(values[name] ?? '')} />` : one.type === 'int' ? html`<${NumberField} ...${common} value=${(values[name] as number | null) ?? null} step=${1} />` : html`<${TextField} ...${common} value=${String(values[name] ?? '')} />`
  })}</div>`
}

export function Create ({ model }: { /** The model that the form begins with. */ model?: string }) {
  const services = useAsked(async (signal) => offered(await api('GET /_inference/_services', { signal })), [])
  const models = useAsked(async (signal) => (await api('GET /_ml/trained_models', { query: { size: 1000 }, signal })).trained_model_configs.map(({ model_id: id }) => id), [])
  const [service, setService] = useState('cairn')
  const [task, setTask] = useState('text_embedding')
  const [id, setId] = useState('')
  const [values, setValues] = useState<Values>({})
  const [local, setLocal] = useState<Local>({ model: model ?? 'cairn-mini', threads: 1, allocations: 1, adaptive: false, low: 0, high: 4, element: 'float', strategy: 'sentence', size: 250, overlap: 1 })
  const [tried, setTried] = useState(false)
  const [making, run] = useAction()
  const chosen = services.value?.find((one) => one.service === service)
  const tasks = chosen?.task_types ?? []
  const now = tasks.includes(task as never) ? task : tasks[0] ?? task
  const missing = useMemo(() => service === 'cairn' ? !local.model : Object.entries(chosen?.configurations ?? {}).some(([name, one]) => one.required && one.supported_task_types.includes(now as never) && !values[name]), [service, local, values, chosen, now])
  const head = html`<${PageHead} title=${create.title} trail=${[{ title: text.title, href: href('inference') }]} actions=${html`<${Button} href=${href('inference')}>${common.cancel}</${Button}>`} />`
  if (!services.value) return html`${head}${services.problem ? html`<${Failure} problem=${services.problem} onRetry=${services.reload} />` : html`<${Loading} />`}`
  const make = (): void => {
    setTried(true)
    if (!id || missing) return
    const body = service === 'cairn' ? { service, ...localSettings(local, now) } : { service, service_settings: nested(values) as any }
    // A model of this server loads in the background, and the endpoint's page shows how far it is.
    void run(async () => {
      try {
        await api('PUT /_inference/{task_type}/{inference_id}', { path: { task_type: now, inference_id: id }, query: { timeout: service === 'cairn' ? '0s' : '30s' }, body })
      } catch (error) { if (asProblem(error).type !== 'model_deployment_timeout_exception') throw error }
    }).then((done) => { if (done) { toast(create.made(id)); go('inference', [id]) } })
  }
  return html`${head}<${Card}><form class="form endpoint-form" onSubmit=${(event: Event) => { event.preventDefault(); make() }} novalidate>
    <div class="form-row"><${SelectField} label=${create.service} value=${service} choices=${services.value.map((one) => ({ value: one.service, label: one.service === 'cairn' ? create.local : one.name }))} onInput=${(value: string) => { setService(value); setValues({}) }} />
      <${TextField} label=${create.id} hint=${create.idHint} value=${id} onInput=${(value: string) => setId(value.trim())} required mono autofocus error=${tried && !id ? create.required : undefined} /></div>
    <${RadioField} label=${create.task} value=${now} onInput=${setTask} choices=${tasks.map((value) => ({ value, label: text.tasks[value] ?? value, hint: text.taskHints[value] }))} />
    ${service === 'cairn' ? html`<${LocalFields} local=${local} set=${(change: Partial<Local>) => setLocal({ ...local, ...change })} task=${now} models=${models.value ?? []} />` : chosen && html`<${RemoteFields} service=${chosen} task=${now} values=${values} onValues=${setValues} wrong=${tried} />`}
    <${Failure} problem=${making.problem} /><div><${Button} kind="main" type="submit" busy=${making.busy}>${create.make}</${Button}></div></form></${Card}>`
}
