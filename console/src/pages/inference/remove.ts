import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { Confirm } from '@/components/confirm'
import { CheckField } from '@/components/field'
import { toast } from '@/components/notice'
import { text } from '@strings/inference'
import { isBuiltIn, type Endpoint } from './data'

/** Asks before an endpoint goes; the dry run tells what uses it. */
export function RemoveEndpoint ({ endpoint, onClose, onDone }: { endpoint: Endpoint, onClose: () => void, onDone: () => void }) {
  const [force, setForce] = useState(isBuiltIn(endpoint))
  const { inference_id: id, task_type: task } = endpoint
  const ask = (query: Record<string, boolean>) => api('DELETE /_inference/{task_type}/{inference_id}', { path: { task_type: task, inference_id: id }, query })
  return html`<${Confirm} title=${text.remove.title(id)} verb=${text.remove.verb} typed=${id} onClose=${onClose} dryRun=${() => ask({ dry_run: true })} action=${() => ask(force ? { force: true } : {})}
    onDone=${() => { toast(text.remove.done(id)); onDone() }}><p>${isBuiltIn(endpoint) ? text.remove.builtIn : text.remove.text}</p>
    ${!isBuiltIn(endpoint) && html`<${CheckField} label=${text.remove.force} value=${force} onInput=${setForce} />`}</${Confirm}>`
}
