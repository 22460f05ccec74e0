// The server's explanation of a score: its parts as bars, and the whole calculation as a tree.
import { html, type VNode } from '@/ui'
import type { Explanation } from '@/api/generated'
import { Bars } from '@/components/plot'
import { decimal } from '@/text/numbers'
import { text } from '@strings/search'
import type { Part } from './contributions'

/** A leaf in few words: weight(body:scroll in 51) is "body: scroll". */
function nameOf (description: string): string {
  const weight = /^weight\((?:[\w.]+\()?([^\s:()]+):(.+?)\)? in \d+\)/.exec(description)
  if (weight) return `${weight[1]}: ${weight[2]}`
  const vector = /VectorSimilarity:([\w.]+)/.exec(description)
  if (vector) return `${vector[1]}: ${text.why.likeness}`
  return description.replace(/,? (result|product|computed as .*) of:$/, '').slice(0, 80)
}

/** The parts that a score is put together of: sums are taken apart, of a maximum the best part counts. */
export function partsOfExplanation (one: Explanation, counted = true): Part[] {
  const details = (one.details ?? []) as Explanation[]
  const sum = /^(sum of|max of|max plus|.*sum of:?$)/.test(one.description)
  if (!sum || details.length === 0) return [{ name: nameOf(one.description), value: one.value, note: counted ? undefined : text.why.notCounted }]
  const most = /^max of/.test(one.description) ? Math.max(...details.map(({ value }) => value)) : null
  return details.flatMap((detail) => partsOfExplanation(detail, counted && (most === null || detail.value === most)))
}

function Node ({ one, open }: { one: Explanation, open?: boolean }): VNode {
  const details = (one.details ?? []) as Explanation[]
  const line = html`<b class="numeric">${decimal(one.value)}</b> ${one.description}`
  return details.length === 0 ? html`<div class="why-leaf">${line}</div>` : html`<details open=${open}><summary>${line}</summary><div class="why-inside">${details.map((detail, n) => html`<${Node} key=${n} one=${detail} open=${open} />`)}</div></details>`
}

export function ExplanationView ({ explanation }: { explanation: Explanation }) {
  const parts = partsOfExplanation(explanation)
  const notes = parts.some(({ note }) => note !== undefined)
  return html`<${Bars} label=${text.why.label} rows=${parts.map((part) => notes ? { ...part, note: part.note ?? '' } : part)} />
    <details class="why-tree"><summary>${text.why.tree}</summary><${Node} one=${explanation} open /></details>`
}
