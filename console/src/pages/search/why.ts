// Why a hit stands where it stands. Asked for when somebody wants to know.
import { html } from '@/ui'
import type { Hit } from '@/api/generated'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Bars } from '@/components/plot'
import { decimal } from '@/text/numbers'
import { text } from '@strings/search'
import { listsOf, partsOf, type Lists } from './contributions'
import { ExplanationView } from './explanation'
import type { Ranking } from './ranking'

const lists = new WeakMap<Ranking, Promise<Lists>>()

/** The two lists behind a hybrid, asked for once for all its hits. */
function listsBehind (ranking: Ranking): Promise<Lists> {
  let known = lists.get(ranking)
  if (!known) {
    known = listsOf(ranking.index, ranking.form!, ranking.subject!, ranking.words)
    known.catch(() => lists.delete(ranking))
    lists.set(ranking, known)
  }
  return known
}

function Hybrid ({ ranking, hit }: { ranking: Ranking, hit: Hit }) {
  const asked = useAsked(() => listsBehind(ranking), [ranking])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<p class="muted small">${text.why.costs}</p><${Loading} />`
  const parts = partsOf(asked.value, ranking.form!, hit)
  const sum = parts.reduce((total, { value }) => total + value, 0)
  const off = Math.abs(sum - (hit._score ?? 0))
  return html`<${Bars} label=${text.why.label} rows=${parts.map((part) => ({ ...part, note: part.note ?? '' }))} /><p class="muted small">${text.why.sum(decimal(sum))}${off > 0.001 * Math.max(1, sum) && ' ' + text.why.differs(decimal(off))}</p>`
}

function Single ({ query, hit }: { query: object, hit: Hit }) {
  const asked = useAsked((signal) => api('POST /{index}/_explain/{id}', { path: { index: hit._index, id: hit._id }, signal, body: { query: query as never }, query: hit._routing ? { routing: hit._routing } : {} }), [hit._index, hit._id, JSON.stringify(query)])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const explanation = asked.value.explanation
  return asked.value.matched && explanation ? html`<${ExplanationView} explanation=${explanation} />` : html`<p class="muted">${text.why.none}</p>`
}

export function Why ({ ranking, hit }: { ranking: Ranking, hit: Hit }) {
  if (hit._explanation) return html`<div class="why"><${ExplanationView} explanation=${hit._explanation} /></div>`
  const inside = ranking.way === 'hybrid' ? html`<${Hybrid} ranking=${ranking} hit=${hit} />`
    : ranking.body['query'] ? html`<${Single} query=${ranking.body['query']} hit=${hit} />` : html`<p class="muted">${text.why.custom}</p>`
  return html`<div class="why">${inside}</div>`
}
