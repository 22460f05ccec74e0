import { html } from '@/ui'
import { Notice } from '@/components/notice'
import { Progress } from '@/components/progress'
import { bytes } from '@/text/numbers'
import { text } from '@strings/inference'
import type { Deployment } from './data'

/** How far a deployment is that is not ready: fetching, then loading; why, where it failed. */
export function DeploymentProgress ({ deployment }: { deployment: Deployment | undefined }) {
  if (!deployment || deployment.state === 'started') return null
  if (deployment.state === 'failed') return html`<${Notice} kind="error" title=${text.one.failed}>${deployment.reason}</${Notice}>`
  const { download_progress: fetched, load_progress: loaded } = deployment
  return html`<div class="card" >${fetched && html`<${Progress} label=${`${text.one.downloading}: ${fetched.source}`} done=${fetched.received_bytes} total=${fetched.total_bytes} unit=${bytes} />`}
    ${!fetched && html`<${Progress} label=${text.one.loading} done=${loaded?.loaded_bytes ?? 0} total=${loaded?.total_bytes} unit=${bytes} />`}${deployment.reason && html`<p class="muted">${deployment.reason}</p>`}</div>`
}
