import { html } from '@/ui'
import { api } from '@/api/request'
import type { Overview } from '@/api/topics'
import { useAsked } from '@/api/use'
import { Figure } from '@/components/facts'
import { bytes, count, none, rate } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/overview'

const each = (value: number | null | undefined): string => value === null || value === undefined ? none : rate(value)

/** The numbers of this moment. */
export function Figures ({ live }: { live: Overview | undefined }) {
  const stats = useAsked((signal) => api('GET /_cluster/stats', { signal }), [], { every: 15_000 })
  const indices = (stats.value as any)?.indices
  const { figures } = text
  return html`<dl class="figures">
    <${Figure} name=${figures.requests} value=${each(live?.requests_per_second)}>${figures.perSecond}</${Figure}>
    <${Figure} name=${figures.errors} value=${each(live?.errors_per_second)}>${figures.perSecond}</${Figure}>
    <${Figure} name=${figures.limited} value=${each(live?.limited_per_second)}>${figures.perSecond}</${Figure}>
    <${Figure} name=${figures.latency} value=${duration(live?.latency_ms.p50)}>${live?.latency_ms.p99 ? figures.latencyNote(duration(live.latency_ms.p99)) : figures.perSecond}</${Figure}>
    <${Figure} name=${figures.documents} value=${count(indices?.docs?.count)}>${indices && figures.inIndices(count(indices.count), indices.count === 1 ? figures.index : figures.indices)}</${Figure}>
    <${Figure} name=${figures.bytes} value=${bytes(indices?.store?.size_in_bytes)} />
  </dl>`
}
