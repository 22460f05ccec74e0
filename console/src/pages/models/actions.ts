// Dialogs of models and deployments: delete, deploy, stop, scale.
import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Facts } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, NumberField, SelectField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import type { Deployment } from '@/pages/inference/data'
import { text as common } from '@strings/common'
import { text } from '@strings/models'
import type { Row } from './data'

const names = (all: readonly string[]): string => all.join(', ') || common.none

/** Asks before a model goes, and says who uses it. */
export function RemoveModel ({ row, onClose, onDone }: { row: Row, onClose: () => void, onDone: () => void }) {
  const [force, setForce] = useState(false)
  const id = row.model.model_id
  const ask = (query: { force?: boolean, dry_run?: boolean }) => api('DELETE /_ml/trained_models/{model_id}', { path: { model_id: id }, query })
  const used = row.endpoints.length + row.deployments.length > 0
  return html`<${Confirm} title=${text.remove.title(id)} verb=${text.remove.verb} typed=${id} onClose=${onClose} onDone=${() => { toast(text.remove.done(id)); onDone() }}
    dryRun=${() => ask({ dry_run: true })} action=${() => ask(force ? { force } : {})}><p>${text.remove.text}</p>
    <${Facts} rows=${[[text.one.used, names(row.endpoints.map((one) => one.inference_id))], [text.one.deployments, names(row.deployments.map((one) => one.deployment_id))]]} />
    ${used && html`<${CheckField} label=${text.remove.force} value=${force} onInput=${setForce} />`}</${Confirm}>`
}

export function Deploy ({ id, onClose, onDone }: { id: string, onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState(`${id}-1`)
  const [allocations, setAllocations] = useState<number | null>(1)
  const [threads, setThreads] = useState('1')
  const [starting, run] = useAction()
  const start = (): void => void run(() => api('POST /_ml/trained_models/{model_id}/deployment/_start', { path: { model_id: id }, query: { deployment_id: name, number_of_allocations: allocations ?? 1, threads_per_allocation: threads, wait_for: 'starting' } }))
    .then((done) => { if (done) { toast(text.deploy.done(name)); onClose(); onDone() } })
  return html`<${Dialog} size="small" title=${text.deploy.title(id)} onClose=${onClose} onSubmit=${start} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${starting.busy} disabled=${!name || !allocations}>${text.deploy.verb}</${Button}>`}>
    <p class="muted">${text.deploy.lead}</p><${Failure} problem=${starting.problem} /><${TextField} label=${text.deploy.id} hint=${text.deploy.idHint} value=${name} onInput=${(value: string) => setName(value.trim())} required mono />
    <div class="form-row"><${NumberField} label=${text.deploy.allocations} value=${allocations} onInput=${setAllocations} min=${1} max=${32} step=${1} /><${SelectField} label=${text.deploy.threads} value=${threads} onInput=${setThreads} choices=${['1', '2', '4', '8', '16', '32']} /></div></${Dialog}>`
}

export function StopDeployment ({ id, onClose, onDone }: { id: string, onClose: () => void, onDone: () => void }) {
  const [force, setForce] = useState(false)
  return html`<${Confirm} title=${text.stop.title(id)} verb=${text.stop.verb} onClose=${onClose} onDone=${() => { toast(text.stop.done(id)); onDone() }}
    action=${() => api('POST /_ml/trained_models/{model_id}/deployment/_stop', { path: { model_id: id }, query: force ? { force: true } : {} })}><p>${text.stop.text}</p><${CheckField} label=${text.stop.force} value=${force} onInput=${setForce} /></${Confirm}>`
}

export function ScaleDeployment ({ deployment, onClose, onDone }: { deployment: Deployment, onClose: () => void, onDone: () => void }) {
  const [wanted, setWanted] = useState<number | null>(deployment.allocation_status?.target_allocation_count ?? 1)
  const [saving, run] = useAction()
  const id = deployment.deployment_id
  const save = (): void => void run(() => api('POST /_ml/trained_models/{model_id}/deployment/_update', { path: { model_id: id }, query: { number_of_allocations: wanted ?? 1 } })).then((done) => { if (done) { toast(text.scale.done); onClose(); onDone() } })
  return html`<${Dialog} size="small" title=${text.scale.title(id)} onClose=${onClose} onSubmit=${save} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${saving.busy} disabled=${!wanted}>${text.scale.verb}</${Button}>`}>
    <${Failure} problem=${saving.problem} /><${NumberField} label=${text.scale.label} value=${wanted} onInput=${setWanted} min=${1} max=${32} step=${1} /></${Dialog}>`
}
