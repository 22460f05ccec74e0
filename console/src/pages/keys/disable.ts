import { html } from '@/ui'
import type { ApiKey } from '@/api/generated'
import { api } from '@/api/request'
import { Confirm } from '@/components/confirm'
import { toast } from '@/components/notice'
import { text } from '@strings/keys'
import { sessions } from './session_list'

/** What is refused while the key is disabled. */
async function whatStops ({ id, access_key_id: accessKey }: ApiKey): Promise<object> {
  const open = await sessions().catch(() => undefined)
  return { would: { [text.disable.dry.key]: id, [text.disable.dry.access]: accessKey ? [accessKey] : [], [text.disable.dry.sessions]: open?.filter(({ key }) => key.id === id).length ?? null } }
}

/** Refuses a key until it is enabled again. */
export function DisableKey ({ apiKey, onClose, onDone }: { apiKey: ApiKey, onClose: () => void, onDone: () => void }) {
  return html`<${Confirm} title=${text.disable.title(apiKey.name)} verb=${text.disable.verb} typed=${apiKey.name} dryRun=${() => whatStops(apiKey)} action=${() => api('PUT /_security/api_key/{id}/_disable', { path: { id: apiKey.id } })} onClose=${onClose} onDone=${() => { toast(text.disable.done(apiKey.name)); onDone() }}>
    <p>${text.disable.text}</p></${Confirm}>`
}

/** Lets a disabled key work again, with all the rights that it had. */
export function EnableKey ({ apiKey, onClose, onDone }: { apiKey: ApiKey, onClose: () => void, onDone: () => void }) {
  return html`<${Confirm} calm title=${text.enable.title(apiKey.name)} verb=${text.enable.verb} typed=${apiKey.name} action=${() => api('PUT /_security/api_key/{id}/_enable', { path: { id: apiKey.id } })} onClose=${onClose} onDone=${() => { toast(text.enable.done(apiKey.name)); onDone() }}>
    <p>${text.enable.text}</p></${Confirm}>`
}
