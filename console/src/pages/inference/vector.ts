import { html } from '@/ui'
import { Bars } from '@/components/plot'
import { Facts } from '@/components/facts'
import { count, decimal } from '@/text/numbers'
import { text } from '@strings/inference'

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((all, value, n) => all + value * (b[n] ?? 0), 0)
const norm = (a: readonly number[]): number => Math.sqrt(dot(a, a))
const drawn = 1024

/** Each number as a bar above or below the middle. */
function Picture ({ vector, label }: { vector: readonly number[], label: string }) {
  const shown = vector.slice(0, drawn)
  const most = Math.max(...shown.map(Math.abs)) || 1
  return html`<svg class="vector" viewBox="0 0 ${shown.length} 60" preserveAspectRatio="none" role="img" aria-label=${label}>
    <line x1="0" x2=${shown.length} y1="30" y2="30" />${shown.map((value, n) => { const height = Math.abs(value) / most * 29; return html`<rect key=${n} x=${n + 0.1} width="0.8" y=${value < 0 ? 30 : 30 - height} height=${height} class=${value < 0 ? 'is-negative' : undefined} />` })}</svg>`
}

/** A dense vector: its size, its length, its picture; with a second one, how near both are. */
export function VectorResult ({ vectors }: { vectors: readonly (readonly number[])[] }) {
  const [one, other] = vectors
  if (!one) return null
  const facts = [[text.try.dims, count(one.length)], [text.try.norm, decimal(norm(one))], [text.try.lowest, decimal(Math.min(...one))], [text.try.highest, decimal(Math.max(...one))],
    other ? [text.try.cosine, html`<strong>${decimal(dot(one, other) / (norm(one) * norm(other) || 1))}</strong>`] : null] as const
  return html`<${Facts} rows=${facts} /><div><h3>${text.try.vector}</h3><${Picture} vector=${one} label=${`${text.try.vector}: ${one.slice(0, 8).map(decimal).join(', ')} …`} />${other && html`<${Picture} vector=${other} label=${text.try.other} />`}</div>`
}

const listed = 40

export function TokenResult ({ tokens, truncated }: { tokens: Record<string, number>, truncated: boolean }) {
  const rows = Object.entries(tokens).sort(([, a], [, b]) => b - a).map(([name, value]) => ({ name, value }))
  if (rows.length === 0) return html`<p class="muted">${text.try.noTokens}</p>`
  return html`<h3>${text.try.tokens}</h3>${rows.length > listed && html`<p class="muted small">${text.try.tokensMore(listed, rows.length)}</p>`}<${Bars} label=${text.try.tokens} rows=${rows.slice(0, listed)} />${truncated && html`<p class="muted small">${text.try.truncated}</p>`}`
}

export function RankResult ({ ranked, documents }: { ranked: readonly { index: number, relevance_score: number }[], documents: readonly string[] }) {
  return html`<h3>${text.try.ranking}</h3><ol class="list ranked">${ranked.map((one, n) => html`<li key=${one.index}><span class="rank-place numeric">${n + 1}</span><span class="rank-text">${documents[one.index]}<span class="rank-bar" aria-hidden="true"><i style=${{ width: Math.max(0, Math.min(1, one.relevance_score)) * 100 + '%' }}></i></span></span>
    <span class="numeric rank-score"><span class="hidden">${text.try.score} </span>${decimal(one.relevance_score)}</span></li>`)}</ol>`
}
