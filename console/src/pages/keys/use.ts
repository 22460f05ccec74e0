import { html, useMemo } from '@/ui'
import { asProblem } from '@/api/problem'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Card, Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Bars, Plot } from '@/components/plot'
import { count } from '@/text/numbers'
import { text } from '@strings/keys'
import { hoursUntil, seriesOf, totalOf, type Counted } from './requests'

const listed = 30
const drawn = 4

/** Keys of both ports. Access keys are for who may see them. */
async function keysCounted (signal: AbortSignal): Promise<Counted[]> {
  const query = { with_requests: true }
  const [keys, access] = await Promise.all([
    api('GET /_security/api_key', { signal, query: { ...query, active_only: true } }),
    api('GET /_security/object_key', { signal, query }).catch((error: unknown) => { if (asProblem(error).kind === 'forbidden') return { object_keys: [] }; throw error })
  ])
  return [...keys.api_keys.map((key) => ({ label: `${key.name} (${key.id.slice(0, 6)})`, requests: key.requests ?? [] })),
    ...access.object_keys.map((key) => ({ label: key.access_key_id, requests: key.requests ?? [] }))]
}

function ByKey () {
  const asked = useAsked(keysCounted, [], { every: 30_000 })
  const hours = useMemo(() => hoursUntil(Date.now()), [asked.value])
  const used = useMemo(() => (asked.value ?? []).map((key) => ({ key, total: totalOf(key, hours) })).filter(({ total }) => total > 0).sort((a, b) => b.total - a.total), [asked.value, hours])
  const series = useMemo(() => used.slice(0, drawn).map(({ key }) => seriesOf(key, hours)), [used, hours])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const rows = used.slice(0, listed).map(({ key, total }) => ({ name: key.label, value: total }))
  return html`<${Card} title=${text.use.byKey}><p class="muted">${text.use.byKeyLead(drawn)}</p>
    ${rows.length === 0 ? html`<p>${text.use.noneByKey}</p>` : html`<${Plot} title=${text.use.byHour} times=${hours} series=${series} unit=${count} /><${Bars} label=${text.use.byKey} rows=${rows} unit=${count} />`}</${Card}>`
}

/** Who asked how much, as the limits count it. */
function ByIdentity () {
  const asked = useAsked((signal) => api('GET /_cairn/limits/_top', { signal, query: { resource: 'core', size: listed } }), [], { every: 5000 })
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const rows = asked.value.identities.map((one) => ({ name: one.identity, value: one.used ?? 0 }))
  return html`<${Card} title=${text.use.title}><p class="muted">${text.use.lead}</p>${rows.length === 0 ? html`<p>${text.use.none}</p>` : html`<${Bars} label=${text.use.title} rows=${rows} unit=${count} />`}</${Card}>`
}

export function Use () {
  return html`<${ByKey} /><${ByIdentity} />`
}
