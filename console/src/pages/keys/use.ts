import { html } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Card, Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Bars } from '@/components/plot'
import { count } from '@/text/numbers'
import { text } from '@strings/keys'

/** Who asked how much, as the limits count it. */
export function Use () {
  const asked = useAsked((signal) => api('GET /_cairn/limits/_top', { signal, query: { resource: 'core', size: 30 } }), [], { every: 5000 })
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const rows = asked.value.identities.map((one) => ({ name: one.identity, value: one.used ?? 0 }))
  return html`<${Card} title=${text.use.title}><p class="muted">${text.use.lead}</p>${rows.length === 0 ? html`<p>${text.use.none}</p>` : html`<${Bars} label=${text.use.title} rows=${rows} unit=${count} />`}</${Card}>`
}
