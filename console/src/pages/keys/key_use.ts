import { html, useMemo } from '@/ui'
import type { ApiKey } from '@/api/generated'
import { asProblem } from '@/api/problem'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Section } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Plot } from '@/components/plot'
import { count } from '@/text/numbers'
import { text } from '@strings/keys'
import { hoursUntil, seriesOf, type Counted } from './requests'

/** How often one key was used, and the access key that goes with it. */
export function KeyUse ({ apiKey }: { apiKey: ApiKey }) {
  const { id, name, access_key_id: pair } = apiKey
  const asked = useAsked(async (signal): Promise<Counted[]> => {
    const query = { with_requests: true }
    const own = (await api('GET /_security/api_key', { signal, query: { ...query, id } })).api_keys[0]
    const keys = [{ label: name, requests: own?.requests ?? [] }]
    if (!pair) return keys
    const access = await api('GET /_security/object_key', { signal, query }).catch((error: unknown) => { if (asProblem(error).kind === 'forbidden') return undefined; throw error })
    const found = access?.object_keys.find((one) => one.access_key_id === pair)
    return found ? [...keys, { label: pair, requests: found.requests ?? [] }] : keys
  }, [id], { every: 30_000 })
  const hours = useMemo(() => hoursUntil(Date.now()), [asked.value])
  const series = useMemo(() => (asked.value ?? []).map((one) => seriesOf(one, hours)), [asked.value, hours])
  return html`<${Section} title=${text.use.byHour}><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${asked.value && html`<${Plot} title=${text.use.byHour} times=${hours} series=${series} unit=${count} />`}</${Section}>`
}
