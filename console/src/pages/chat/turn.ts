import { html, useState, type ComponentChildren } from '@/ui'
import { Button } from '@/components/button'
import { CallList } from '@/components/call'
import { CopyButton } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { documentHref } from '@/pages/indices/documents'
import { count, rate } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/chat'
import { going, type Turn } from './conversation'
import type { Passage } from './passages'

const linkOf = (passage: Passage): string => documentHref(passage.index, { _id: passage.id, _routing: passage.routing })

/** The answer as text; numbers of sources lead to them. A number that no source has stays text. */
function Answer ({ turn }: { turn: Turn }): ComponentChildren {
  return turn.answer.split(/(\[\d+\])/).map((piece, n) => {
    const number = n % 2 === 1 ? Number(piece.slice(1, -1)) : 0
    const passage = turn.passages[number - 1]
    return passage ? html`<a key=${n} class="cite" href=${linkOf(passage)} aria-label=${text.source(number, passage.title)} title=${passage.title}>${piece}</a>` : piece
  })
}

function speed (turn: Turn): string {
  const seconds = (turn.wrote ?? 0) / 1000
  if (turn.usage) return text.tokens(count(turn.usage.completion_tokens), seconds > 0 ? rate(turn.usage.completion_tokens / seconds) : '–')
  return turn.pieces > 0 ? text.about(count(turn.pieces), seconds > 0 ? rate(turn.pieces / seconds) : '–') : ''
}

function Costs ({ turn }: { turn: Turn }) {
  const parts = [turn.found !== undefined ? text.found(duration(Math.round(turn.found))) : '', turn.first !== undefined ? text.first(duration(Math.round(turn.first))) : '', speed(turn), turn.usage ? text.prompt(count(turn.usage.prompt_tokens)) : '', turn.endpoint]
  return html`<p class="muted small numeric">${parts.filter(Boolean).join(' · ')}</p>`
}

function Sources ({ turn }: { turn: Turn }) {
  if (turn.passages.length === 0) return null
  const cited = new Set([...turn.answer.matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number)))
  return html`<div class="sources"><h3 class="muted">${text.sources(turn.passages.length)}</h3><ol>${turn.passages.map((passage, n) => html`<li key=${passage.index + passage.id} class=${cited.has(n + 1) ? 'source is-cited' : 'source'}>
    <details><summary><span class="source-number numeric">[${n + 1}]</span><span class="source-title">${passage.title}</span>${cited.has(n + 1) && html`<span class="tag">${text.cited}</span>`}</summary><p class="source-text">${passage.text}</p></details>
    <a href=${linkOf(passage)} class="small">${passage.id}</a></li>`)}</ol></div>`
}

/** The answer with its sources, as text to paste. */
const pasted = (turn: Turn): string => [turn.answer, turn.passages.map(({ title, id }, n) => `[${n + 1}] ${title} (${id})`).join('\n')].filter(Boolean).join('\n\n')

export function TurnView ({ turn, onAgain }: { turn: Turn, onAgain: () => void }) {
  const [code, setCode] = useState(false)
  const under = going(turn)
  return html`<article class="turn"><h2 class="turn-question">${turn.question}</h2>
    ${turn.looked !== '' && html`<p class="muted small">${text.looked(turn.looked)}</p>`}
    <div class="turn-answer" aria-live="polite" aria-busy=${under}>
      ${turn.phase === 'finding' && html`<p class="muted">${text.finding}</p>`}${turn.phase === 'waiting' && html`<p class="muted">${text.waiting}</p>`}
      ${turn.answer !== '' && html`<p class=${under ? 'answer is-going' : 'answer'}><${Answer} turn=${turn} /></p>`}
      ${turn.phase === 'done' && turn.passages.length === 0 && html`<p class="muted">${text.nothing}</p>`}
      ${turn.phase === 'stopped' && html`<p class="muted">${text.stopped}</p>`}${turn.finish === 'length' && html`<p class="muted">${text.cut}</p>`}
      ${turn.leftOut > 0 && html`<p class="muted small">${text.leftOut(turn.sent, turn.leftOut)}</p>`}</div>
    <${Failure} problem=${turn.problem} title=${turn.answer === '' ? undefined : text.streamFailed} onRetry=${onAgain} />
    <${Costs} turn=${turn} /><${Sources} turn=${turn} />
    ${!under && html`<div class="turn-tools">${turn.answer !== '' && html`<${CopyButton} value=${pasted(turn)} label=${text.copyAnswer} />`}<${Button} kind="quiet" small icon="code" onClick=${() => setCode(true)}>${text.asCode}</${Button}></div>`}
    ${code && html`<${Dialog} size="side" title=${text.codeTitle} onClose=${() => setCode(false)}><p class="muted">${text.codeText}</p><${CallList} list=${turn.calls} /></${Dialog}>`}</article>`
}
