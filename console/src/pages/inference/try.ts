// A box to try an endpoint in, one for each task.
import { html, useEffect, useRef, useState, type ComponentChildren } from '@/ui'
import { api } from '@/api/request'
import { useAction, type Doing } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Card } from '@/components/facts'
import { Failure } from '@/components/failure'
import { NumberField, SelectField, TextArea, TextField } from '@/components/field'
import { count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/inference'
import type { Endpoint } from './data'
import { streamText, type Ended } from './stream'
import { RankResult, TokenResult, VectorResult } from './vector'

const words = text.try
const types = Object.entries(words.types).map(([value, label]) => ({ value, label }))

function Box ({ doing, onRun, children, answer, took, extra }: { doing: Doing, onRun: () => void, children: ComponentChildren, answer: ComponentChildren, took: number | null, extra?: ComponentChildren }) {
  return html`<div class="columns"><${Card}><form class="form" onSubmit=${(event: Event) => { event.preventDefault(); onRun() }}>${children}
      <div class="bar-start"><${Button} kind="main" type="submit" icon="play" busy=${doing.busy}>${words.run}</${Button}>${extra}</div><p class="muted small">${words.inputHint}</p></form></${Card}>
    <${Card} title=${html`${words.answer}${took !== null && html` <span class="muted small numeric">${words.took(duration(took))}</span>`}`}><${Failure} problem=${doing.problem} /><div class="stack try-answer" aria-live="polite" aria-busy=${doing.busy}>${answer}</div></${Card}></div>`
}

/** Runs a question and takes its time. */
function useTimed<T> (): { doing: Doing, value: T | undefined, took: number | null, run: (ask: () => Promise<T>) => void } {
  const [doing, act] = useAction()
  const [state, setState] = useState<{ value: T | undefined, took: number | null }>({ value: undefined, took: null })
  const run = (ask: () => Promise<T>): void => void act(async () => {
    const begun = performance.now()
    const value = await ask()
    setState({ value, took: performance.now() - begun })
  })
  return { doing, ...state, run }
}

const whole = (value: unknown) => html`<details><summary>${words.whole}</summary><${Json} value=${value} label=${words.whole} /></details>`
const at = (endpoint: Endpoint) => ({ path: { task_type: endpoint.task_type, inference_id: endpoint.inference_id } })

function TryDense ({ endpoint }: { endpoint: Endpoint }) {
  const [input, setInput] = useState(words.samples.text_embedding)
  const [other, setOther] = useState('')
  const [type, setType] = useState('')
  const { doing, value, took, run } = useTimed<any>()
  const ask = (): void => run(() => api('POST /_inference/{task_type}/{inference_id}', { ...at(endpoint), body: { input: other.trim() ? [input, other] : input, ...(type ? { input_type: type as 'search' } : {}) } }))
  const vectors = (value?.text_embedding ?? value?.text_embedding_bytes ?? value?.text_embedding_bits ?? []).map((one: any) => one.embedding)
  return html`<${Box} doing=${doing} onRun=${ask} took=${took} answer=${value && html`<${VectorResult} vectors=${vectors} />${whole(value)}`}>
    <${TextArea} label=${words.input} value=${input} onInput=${setInput} rows=${3} required /><${TextArea} label=${words.other} hint=${words.otherHint} value=${other} onInput=${setOther} rows=${2} />
    <${SelectField} label=${words.inputType} value=${type} choices=${types} onInput=${setType} /></${Box}>`
}

function TrySparse ({ endpoint }: { endpoint: Endpoint }) {
  const [input, setInput] = useState(words.samples.sparse_embedding)
  const { doing, value, took, run } = useTimed<any>()
  const ask = (): void => run(() => api('POST /_inference/{task_type}/{inference_id}', { ...at(endpoint), body: { input } }))
  const one = value?.sparse_embedding?.[0]
  return html`<${Box} doing=${doing} onRun=${ask} took=${took} answer=${one && html`<${TokenResult} tokens=${one.embedding} truncated=${one.is_truncated} />${whole(value)}`}><${TextArea} label=${words.input} value=${input} onInput=${setInput} rows=${4} required /></${Box}>`
}

function TryRerank ({ endpoint }: { endpoint: Endpoint }) {
  const [query, setQuery] = useState(words.samples.query)
  const [documents, setDocuments] = useState(words.samples.documents)
  const { doing, value, took, run } = useTimed<{ answer: any, list: string[] }>()
  const ask = (): void => {
    const list = documents.split('\n').filter((line) => line.trim() !== '')
    if (list.length > 0) run(async () => ({ list, answer: await api('POST /_inference/{task_type}/{inference_id}', { ...at(endpoint), body: { query, input: list } }) }))
  }
  return html`<${Box} doing=${doing} onRun=${ask} took=${took} answer=${value && html`<${RankResult} ranked=${value.answer.rerank ?? []} documents=${value.list} />${whole(value.answer)}`}>
    <${TextField} label=${words.query} value=${query} onInput=${setQuery} required /><${TextArea} label=${words.documents} hint=${words.documentsHint} value=${documents} onInput=${setDocuments} rows=${6} required /></${Box}>`
}

function TryText ({ endpoint }: { endpoint: Endpoint }) {
  const chat = endpoint.task_type === 'chat_completion'
  const [input, setInput] = useState(words.samples[chat ? 'chat_completion' : 'completion'])
  const [system, setSystem] = useState('')
  const [most, setMost] = useState<number | null>(256)
  const [heat, setHeat] = useState<number | null>(null)
  const [written, setWritten] = useState('')
  const [ended, setEnded] = useState<Ended & { took?: number, first?: number | null }>({})
  const [doing, act] = useAction()
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])
  const settings = { ...(most ? { max_completion_tokens: most } : {}), ...(heat !== null ? { temperature: heat } : {}) }
  const ask = (): void => void act(async () => {
    const signal = (stop.current = new AbortController()).signal
    const begun = performance.now()
    let first: number | null = null
    setWritten('')
    setEnded({})
    const body = chat ? { messages: [...(system.trim() ? [{ role: 'system', content: system }] : []), { role: 'user', content: input }], ...settings } : { input, task_settings: settings }
    const end = await streamText(endpoint.task_type, endpoint.inference_id, body, signal, (piece) => { first ??= performance.now() - begun; setWritten((before) => before + piece) })
    setEnded({ ...end, first, took: performance.now() - begun })
  })
  const facts = [ended.first ? `${words.first} ${duration(ended.first)}` : '', ended.usage ? words.usage(count(ended.usage.prompt_tokens), count(ended.usage.completion_tokens)) : '', ended.finish ? `${words.finish} ${ended.finish}` : ''].filter(Boolean)
  return html`<${Box} doing=${doing} onRun=${ask} took=${ended.took ?? null} extra=${doing.busy && html`<${Button} icon="stop" onClick=${() => stop.current?.abort()}>${words.stop}</${Button}>`}
      answer=${html`${(written || ended.took !== undefined) && html`<p class="try-text">${written || html`<span class="muted">${words.nothing}</span>`}</p>`}${facts.length > 0 && html`<p class="muted small">${facts.join(' · ')}</p>`}`}>
    ${chat && html`<${TextArea} label=${words.system} hint=${words.systemHint} value=${system} onInput=${setSystem} rows=${2} />`}
    <${TextArea} label=${chat ? words.prompt : words.input} value=${input} onInput=${setInput} rows=${6} required />
    <div class="form-row"><${NumberField} label=${words.most} value=${most} onInput=${setMost} min=${1} step=${1} /><${NumberField} label=${words.temperature} value=${heat} onInput=${setHeat} min=${0} max=${2} step="any" /></div></${Box}>`
}

export function Try ({ endpoint }: { endpoint: Endpoint }) {
  const boxes = { text_embedding: TryDense, sparse_embedding: TrySparse, rerank: TryRerank, completion: TryText, chat_completion: TryText } as Record<string, typeof TryDense>
  const One = boxes[endpoint.task_type]
  return One ? html`<p class="muted">${text.taskHints[endpoint.task_type]}</p><${One} endpoint=${endpoint} />` : null
}
