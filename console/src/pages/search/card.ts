// One hit.
import { html, useState } from '@/ui'
import type { Hit } from '@/api/generated'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Tag } from '@/components/facts'
import { documentHref } from '@/pages/indices/documents'
import { decimal } from '@/text/numbers'
import { text } from '@strings/search'
import { around, Marked, unmarked } from './highlight'
import type { Ranking } from './ranking'
import { isTitle, textAt, titleOf } from './subject'
import { Why } from './why'

const most = 280
const shownTags = 3

/** Pieces of the document: those with matches, else the beginning of its longest text. */
function snippets (hit: Hit, titlePath: string | undefined, title: string): string[] {
  const found = Object.entries(hit.highlight ?? {}).filter(([path]) => path !== titlePath).flatMap(([, pieces]) => pieces).filter((piece) => unmarked(piece).trim() !== title.trim())
  if (found.length > 0) return found.slice(0, 2).map((piece) => around(piece, most))
  const texts = Object.entries(hit._source ?? {}).filter(([path, value]) => path !== titlePath && typeof value === 'string').map(([, value]) => value as string)
  const longest = texts.sort((a, b) => b.length - a.length)[0]
  return longest ? [around(longest, most)] : []
}

/** Short values that tell hits apart: keywords, numbers, dates. */
function tagsOf (hit: Hit, ranking: Ranking): string[] {
  const fields = ranking.subject?.fields.filter(({ type, sub, path }) => !sub && !isTitle(path) && ['keyword', 'integer', 'long', 'date', 'boolean', 'double', 'float', 'short'].includes(type)) ?? []
  return fields.map(({ path }) => ({ path, value: textAt(hit._source, path) })).filter(({ value }) => value !== '' && value.length <= 60).slice(0, shownTags).map(({ path, value }) => `${path}: ${value}`)
}

export function HitCard ({ hit, rank, ranking, others }: { hit: Hit, rank: number, ranking: Ranking, /** The hit's ranks in the other rankings; null: not among theirs. */ others: readonly { title: string, rank: number | null }[] }) {
  const [why, setWhy] = useState(false)
  const [raw, setRaw] = useState(false)
  const named = titleOf(hit._source, ranking.subject?.texts ?? [])
  const title = named?.title ?? hit._id
  const marked = named && hit.highlight?.[named.path]?.[0]
  const shown = snippets(hit, named?.path, title)
  return html`<li class="hit"><div class="hit-head"><span class="hit-rank numeric" aria-hidden="true">${rank}</span>
      <h3><a href=${documentHref(hit._index, hit)}>${marked ? html`<${Marked} text=${marked} />` : title}</a></h3><span class="hit-score numeric" title=${text.score}>${decimal(hit._score)}</span></div>
    ${shown.map((piece, n) => html`<p key=${n} class="hit-text"><${Marked} text=${piece} /></p>`)}
    <div class="hit-foot"><span class="tags">${named && html`<${Tag}>${hit._id}</${Tag}>`}${tagsOf(hit, ranking).map((tag) => html`<${Tag} key=${tag}>${tag}</${Tag}>`)}
      ${others.map((other) => html`<span key=${other.title} class=${other.rank === null ? 'hit-other is-missing' : 'hit-other'}>${other.rank === null ? text.missing(other.title) : text.also(other.title, other.rank)}</span>`)}</span>
      <span class="hit-buttons"><${Button} small kind="quiet" aria-expanded=${raw} onClick=${() => setRaw(!raw)}>${text.source}</${Button}>${hit._score !== null && html`<${Button} small kind="quiet" aria-expanded=${why} onClick=${() => setWhy(!why)}>${why ? text.why.hide : text.why.show}</${Button}>`}</span></div>
    ${why && html`<${Why} ranking=${ranking} hit=${hit} />`}${raw && html`<${Json} value=${hit._source ?? hit} label=${text.source} />`}</li>`
}
