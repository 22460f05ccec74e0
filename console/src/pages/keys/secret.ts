import { html, useState } from '@/ui'
import { Button } from '@/components/button'
import { Code, CopyButton } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { SecretField } from '@/components/field'
import { Notice } from '@/components/notice'
import { moment } from '@/text/times'
import { text } from '@strings/keys'

export interface Secret { name: string, id?: string, encoded?: string, objects?: { access_key_id: string, secret_access_key?: string }, /** Until when the old secret holds; 0: no longer. */ previousUntil?: number }

const said = text.made

/** Shows a secret, once. It closes by its button, or by closing it twice. */
export function ShowSecret ({ secret, onClose }: { secret: Secret, onClose: () => void }) {
  const [sure, setSure] = useState(false)
  const shown = (label: string, value: string) => html`<div class="secret-row"><${SecretField} label=${label} value=${value} fixed /><${CopyButton} small=${false} value=${value} /></div>`
  return html`<${Dialog} title=${said.title(secret.name)} onClose=${() => { if (sure) onClose(); else setSure(true) }} footer=${html`<${Button} kind="main" onClick=${onClose}>${said.done}</${Button}>`}>
    <${Notice} kind="warning">${said.once}${sure && html` <strong role="alert">${said.sure}</strong>`}</${Notice}>
    ${secret.previousUntil !== undefined && html`<p class="muted">${secret.previousUntil > Date.now() ? said.old(moment(secret.previousUntil)) : said.oldNow}</p>`}
    ${secret.encoded && shown(said.encoded, secret.encoded)}
    ${secret.objects && html`<div class="secret-row"><div class="field"><span class="field-label">${said.access}</span><code>${secret.objects.access_key_id}</code></div><${CopyButton} small=${false} value=${secret.objects.access_key_id} /></div>`}
    ${secret.objects?.secret_access_key && shown(said.secret, secret.objects.secret_access_key)}
    ${secret.encoded && html`<p class="field-label">${said.use}</p><${Code} label=${said.use} value=${`curl -H "Authorization: ApiKey $KEY" ${location.origin}/`} wrap />`}</${Dialog}>`
}
