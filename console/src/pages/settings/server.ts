// The master key, and under which licence the server runs.
import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Facts, Loading, Section, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Notice, toast } from '@/components/notice'
import { text } from '@strings/settings'

const said = text.server

/** How many secrets are sealed anew, as far as this key may count them. */
async function whatIsSealed (): Promise<object> {
  const [access, encryption, connectors, endpoints] = await Promise.all([
    api('GET /_security/object_key').then(({ object_keys: all }) => all.length),
    api('GET /_security/encryption_key').then(({ encryption_keys: all }) => all.length),
    api('GET /_connector', { query: { size: 1000 } }).then(({ count }) => count, () => null),
    api('GET /_inference').then(({ endpoints: all }) => all.filter(({ service }) => ['openai', 'cohere', 'hugging_face'].includes(service)).length, () => null)
  ])
  return { would: { access_keys: access, encryption_keys: encryption, connectors, endpoints_of_other_servers: endpoints } }
}

export function Server () {
  const about = useAsked((signal) => api('GET /', { signal }), [])
  const license = useAsked(async (signal) => (await api('GET /_license', { signal })).license, [])
  const [rotating, setRotating] = useState(false)
  const one = license.value
  return html`<${Section} title=${said.license}><${Failure} problem=${license.problem} onRetry=${license.reload} />
      ${!one ? !license.problem && html`<${Loading} />` : html`<${Facts} rows=${[
        [said.status, html`<${State} tone=${one['status'] === 'active' ? 'good' : 'warning'}>${String(one['status'] ?? '')}</${State}>`], [said.kind, String(one['type'] ?? '')], about.value ? [said.version, `${about.value.version.cairn_version}`] : null,
        one['issued_to'] ? [said.to, String(one['issued_to'])] : null, one['issue_date'] ? [said.issued, html`<${When} exact at=${one['issue_date']} />`] : null, [said.ends, one['expiry_date'] ? html`<${When} exact at=${one['expiry_date']} />` : said.never]]} />`}
      <p class="muted small">${said.licenseText}</p></${Section}>
    <${Section} title=${said.master} lead=${said.masterLead} actions=${html`<${Button} kind="danger" icon="refresh" onClick=${() => setRotating(true)}>${said.rotate}</${Button}>`}><${Notice} kind="warning">${said.masterBackups}</${Notice}></${Section}>
    ${rotating && html`<${Confirm} title=${said.rotateTitle} verb=${said.rotate} typed=${said.rotateTyped} dryRun=${whatIsSealed} action=${() => api('POST /_cairn/master_key/_rotate', { timeout: 0 })} onClose=${() => setRotating(false)} onDone=${() => toast(said.rotated)}><p>${said.rotateText}</p></${Confirm}>`}`
}
