import { html, useEffect, useRef, useState } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading, PageHead } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, NumberField, SelectField, TextArea } from '@/components/field'
import { Notice } from '@/components/notice'
import type { Page } from '@/shell/page'
import { pages } from '@/shell/pages'
import { href, setQuery, type Route } from '@/shell/router'
import { searchable, subjectOf } from '@/pages/search/subject'
import { text } from '@strings/chat'
import { useConversation } from './conversation'
import { TurnView } from './turn'

const quoting = 'cairn-mini-quotes'
interface Choice { id: string, model: string }

async function chatEndpoints (signal: AbortSignal): Promise<Choice[]> {
  const answer = await api('GET /_inference', { signal })
  return answer.endpoints.filter(({ task_type }) => task_type === 'chat_completion').map((one) => ({ id: one.inference_id, model: String((one.service_settings as { model_id?: string }).model_id ?? '') }))
}

function Conversation ({ endpoints, names, route }: { endpoints: readonly Choice[], names: readonly string[], route: Route }) {
  // A model of one's own comes before the one that ships.
  const endpoint = endpoints.find(({ id }) => id === route.query['endpoint']) ?? endpoints.find(({ model }) => model !== quoting) ?? endpoints[0]!
  const index = names.find((name) => name === route.query['index']) ?? names[0]!
  const subject = useAsked((signal) => subjectOf(index, signal), [index])
  const [question, setQuestion] = useState('')
  const [size, setSize] = useState(4)
  const [most, setMost] = useState(300)
  const [temperature, setTemperature] = useState(0)
  const [instructions, setInstructions] = useState(text.system)
  const [earlier, setEarlier] = useState(8)
  const [withBefore, setWithBefore] = useState(true)
  const field = useRef<HTMLDivElement>(null)
  const { turns, busy, ask, end, clear } = useConversation()
  const foot = useRef<HTMLDivElement>(null)
  const last = turns.at(-1)
  useEffect(() => { if (turns.length > 0) foot.current?.scrollIntoView({ block: 'end' }) }, [turns.length, last?.phase])
  const toField = (): void => field.current?.querySelector('textarea')?.focus()
  // The model that quotes takes what people said before for a source, so it gets the question alone.
  const sent = endpoint.model === quoting ? 0 : earlier
  const start = (words: string): void => { if (words.trim() && subject.value && !busy) void ask({ endpoint: endpoint.id, index, subject: subject.value, question: words.trim(), size, most, temperature, instructions, earlier: sent, withBefore }) }
  const submit = (event?: Event): void => { event?.preventDefault(); if (busy || !question.trim() || !subject.value) return; start(question); setQuestion(''); toField() }
  const anew = (): void => { clear(); setQuestion(''); toField() }
  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); submit() }
    if (event.key === 'Escape' && busy) { event.preventDefault(); end() }
    if (event.key === 'ArrowUp' && question === '' && last) { event.preventDefault(); setQuestion(last.question) }
  }
  return html`<div class="form-row chat-choices"><${SelectField} label=${text.index} value=${index} choices=${names} onInput=${(next: string) => setQuery({ index: next })} />
      <${SelectField} label=${text.endpoint} value=${endpoint.id} choices=${endpoints.map(({ id, model }) => ({ value: id, label: model ? `${id} (${model})` : id }))} onInput=${(next: string) => setQuery({ endpoint: next })} /></div>
    ${endpoint.model === quoting && html`<${Notice} kind="info" action=${pages.some(({ id }) => id === 'models') && html`<${Button} small href=${href('models')}>${text.models}</${Button}>`}>${text.quotes}</${Notice}>`}
    <${Failure} problem=${subject.problem} onRetry=${subject.reload} />
    ${subject.value?.meanings.length === 0 && html`<p class="muted">${text.wordsOnly}</p>`}
    ${turns.length === 0 ? html`<${Empty} icon="chat" title=${text.empty}>${text.emptyText(index)}</${Empty}>` : html`<div class="turns">${turns.map((turn) => html`<${TurnView} key=${turn.id} turn=${turn} onAgain=${() => start(turn.question)} />`)}</div>`}
    <form class="card chat-form" onSubmit=${submit}><div ref=${field} onKeyDown=${keys}><${TextArea} label=${text.question} hint=${text.keys} rows=${2} placeholder=${text.placeholder} value=${question} onInput=${setQuestion} /></div>
      <details class="options"><summary>${text.options}</summary><div class="form chat-options"><div class="form-row"><${NumberField} label=${text.passages} value=${size} min=${1} max=${20} step=${1} onInput=${(value: number | null) => setSize(Math.max(1, Math.min(20, value ?? 4)))} />
          <${NumberField} label=${text.most} value=${most} min=${1} step=${1} onInput=${(value: number | null) => setMost(value ?? 300)} /><${NumberField} label=${text.temperature} value=${temperature} min=${0} max=${2} step="any" onInput=${(value: number | null) => setTemperature(value ?? 0)} /></div>
        ${endpoint.model === quoting ? html`<p class="muted small">${text.earlierNone}</p>` : html`<${NumberField} label=${text.earlier} hint=${text.earlierHint} value=${earlier} min=${0} max=${50} step=${1} onInput=${(value: number | null) => setEarlier(Math.max(0, Math.min(50, value ?? 8)))} />`}
        <${CheckField} label=${text.withBefore} hint=${text.withBeforeHint} value=${withBefore} onInput=${setWithBefore} />
        <${TextArea} label=${text.instructions} hint=${text.instructionsHint} value=${instructions} onInput=${setInstructions} rows=${3} /></div></details>
      <div class="bar"><div class="bar-start">${busy ? html`<${Button} icon="stop" onClick=${end}>${text.stop}</${Button}>` : html`<${Button} kind="main" icon="chat" type="submit" disabled=${!subject.value}>${text.ask}</${Button}>`}</div>
        ${turns.length > 0 && html`<div class="bar-end"><${Button} kind="quiet" small icon="add" onClick=${anew}>${text.anew}</${Button}></div>`}</div></form><div ref=${foot}></div>`
}

/** #/chat?index=books&endpoint=.cairn-chat */
function Chat ({ route }: { route: Route }) {
  const endpoints = useAsked(chatEndpoints, [])
  const names = useAsked(searchable, [])
  const problem = endpoints.problem ?? names.problem
  const reload = (): void => { endpoints.reload(); names.reload() }
  return html`<${PageHead} title=${text.title}>${text.lead}</${PageHead}>
    ${!endpoints.value || !names.value ? problem ? html`<${Failure} problem=${problem} onRetry=${reload} />` : html`<${Loading} />`
      : endpoints.value.length === 0 ? html`<${Empty} icon="inference" title=${text.noEndpoint} command=${text.endpointCommand}>${text.noEndpointText}</${Empty}>`
        : names.value.length === 0 ? html`<${Empty} icon="indices" title=${text.noIndex} command=${text.indexCommand}>${text.noIndexText}</${Empty}>`
          : html`<${Conversation} endpoints=${endpoints.value} names=${names.value} route=${route} />`}`
}

export const page: Page = { id: 'chat', Component: Chat }
