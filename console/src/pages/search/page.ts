import { html, useEffect, useMemo, useRef, useState } from '@/ui'
import { asProblem } from '@/api/problem'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { CallList } from '@/components/call'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Loading, PageHead } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField, TextField } from '@/components/field'
import { Notice } from '@/components/notice'
import type { Page } from '@/shell/page'
import { go, href, setQuery, type Route } from '@/shell/router'
import { count } from '@/text/numbers'
import { clock } from '@/text/times'
import { text } from '@strings/search'
import { blank, bodyOf, rankings, type Form } from './body'
import { Editor, readBody } from './editor'
import { Lane, ranksOf, type LaneState } from './lane'
import { Options } from './options'
import { rankingsOf, type Ranking } from './ranking'
import { search, searchCall, type Limit } from './run'
import { SavedDialog, type Saved } from './saved'
import { searchable, subjectOf, type Subject } from './subject'

const restMs = 450
const ways = Object.keys(text.ways) as Form['way'][]

/** Runs rankings side by side; a new run stops the one before. */
function useRun () {
  const [lanes, setLanes] = useState<readonly LaneState[]>([])
  const stop = useRef<AbortController | null>(null)
  useEffect(() => () => stop.current?.abort(), [])
  const run = (wanted: readonly Ranking[], keep = false): void => {
    if (!keep) stop.current?.abort()
    const now = new AbortController()
    stop.current = now
    setLanes((before) => {
      const next = wanted.map((ranking): LaneState => ({ ranking, busy: true, result: before.find((lane) => lane.ranking.id === ranking.id && lane.ranking.index === ranking.index)?.result }))
      return keep ? before.map((lane) => next.find((one) => one.ranking.id === lane.ranking.id) ?? lane) : next
    })
    for (const ranking of wanted) {
      const put = (state: Partial<LaneState>): void => { if (!now.signal.aborted) setLanes((all) => all.map((lane) => lane.ranking === ranking ? { ranking, busy: false, ...state } : lane)) }
      search(ranking.index, ranking.body, now.signal).then((result) => put({ result }), (error: unknown) => put({ problem: asProblem(error) }))
    }
  }
  const end = (): void => { stop.current?.abort(); setLanes((all) => all.map((lane) => ({ ...lane, busy: false }))) }
  return { lanes, run, end, clear: () => { stop.current?.abort(); setLanes([]) } }
}

const starter = (form: Form, subject: Subject): string => JSON.stringify(bodyOf(subject.meanings.length > 0 && form.words.trim() ? 'hybrid' : 'words', form, subject, form.words), null, 2)

function Costs ({ list, limit }: { list: readonly Ranking[], limit: Limit | null | undefined }) {
  return html`<p class="muted small" title=${text.costTitle}>${text.cost(list.length, list.reduce((sum, one) => sum + rankings(one.body), 0))}${limit && ' ' + text.limitReset(count(limit.left), count(limit.all), limit.resource, limit.reset === null ? '' : clock(limit.reset))}</p>`
}

function Playground ({ index, names, route }: { index: string, names: readonly string[], route: Route }) {
  const given = ways.find((way) => way === route.query['way']) ?? 'all'
  const [form, setForm] = useState<Form>({ ...blank, words: route.query['q'] ?? '', way: given })
  const [json, setJson] = useState<[string, string] | null>(null)
  const [dialog, setDialog] = useState<'copy' | 'saved' | null>(null)
  const asked = useAsked((signal) => subjectOf(index, signal), [index])
  const { lanes, run, end } = useRun()
  const subject = asked.value
  const asJson = route.query['mode'] === 'json'
  const comparing = form.second !== null
  const change = (changes: Partial<Form>): void => setForm((before) => ({ ...before, ...changes }))

  // The editor begins with what the form asks for.
  useEffect(() => { if (asJson && subject && json === null) setJson([starter(form, subject), starter(form, subject)]) }, [asJson, subject])
  const list = useMemo((): Ranking[] => {
    if (!subject) return []
    if (!asJson) return rankingsOf(index, form, subject)
    return (json ?? []).slice(0, comparing ? 2 : 1).map((source, n): Ranking => {
      const title = comparing ? [text.lanes.a, text.lanes.b][n]! : text.lanes.json
      return { id: 'json' + title, title, short: title, index, way: 'json', words: '', subject, body: readBody(source).body ?? {} }
    })
  }, [subject, asJson, json, form, index])
  const wrong = asJson && (json ?? []).slice(0, comparing ? 2 : 1).some((source) => readBody(source).body === undefined)
  // Meaning needs words; without, only words are asked, which then give every document.
  const able = list.filter((ranking) => ranking.way === 'json' || ranking.way === 'words' || ranking.words.trim() !== '')
  const start = (): void => {
    if (wrong || able.length === 0) return
    setQuery({ q: form.words || null, way: form.way === 'all' ? null : form.way })
    run(able)
  }
  useEffect(() => { if (subject && route.query['q'] && !asJson) run(able) }, [subject])
  // A weight that was moved is tried at once, by the hybrid alone.
  const weights = `${form.weightWords} ${form.weightMeaning} ${form.fusion}`
  const tried = useRef(weights)
  useEffect(() => {
    if (tried.current === weights || asJson) return
    const timer = setTimeout(() => {
      tried.current = weights
      const again = able.filter(({ way, id }) => way === 'hybrid' && lanes.some((lane) => lane.ranking.id === id))
      if (again.length > 0) run(again, true)
    }, restMs)
    return () => clearTimeout(timer)
  }, [weights])

  const load = (one: Saved): void => {
    setForm({ ...blank, ...one.form })
    setJson(one.json)
    if (one.index !== index && names.includes(one.index)) go('search', [one.index], { mode: one.json ? 'json' : null, q: one.form.words })
    else setQuery({ mode: one.json ? 'json' : null, q: one.form.words || null, way: one.form.way === 'all' ? null : one.form.way })
  }
  const busy = lanes.some((lane) => lane.busy)
  const limit = lanes.map((lane) => lane.result?.limit).filter((one) => one !== null && one !== undefined).sort((a, b) => a.left - b.left)[0]
  const ranks = lanes.map((lane) => ({ title: lane.ranking.short, lane, ranks: ranksOf(lane) }))
  const submit = (event: Event): void => { event.preventDefault(); start() }
  const noMeaning = subject && subject.meanings.length === 0
  const segment = (on: boolean, title: string, onClick: () => void, disabled = false) => html`<button type="button" key=${title} aria-pressed=${on} disabled=${disabled} onClick=${onClick}>${title}</button>`
  return html`<form class="card playground" onSubmit=${submit}>
      <div class="ask-row"><${SelectField} label=${text.index} value=${index} choices=${names.includes(index) ? names : [index, ...names]} onInput=${(next: string) => go('search', [next], { q: form.words, way: route.query['way'], mode: route.query['mode'] })} />
        ${asJson ? html`<span></span>` : html`<${TextField} type="search" label=${text.words} placeholder=${text.placeholder} value=${form.words} onInput=${(words: string) => change({ words })} autofocus />`}
        ${busy ? html`<${Button} icon="stop" onClick=${end}>${text.stop}</${Button}>` : html`<${Button} kind="main" type="submit" icon="search" disabled=${!subject || wrong}>${text.run}</${Button}>`}</div>
      ${!asJson && form.second !== null && html`<${TextField} type="search" label=${text.second} value=${form.second} onInput=${(second: string) => change({ second })} />`}
      <div class="bar"><div class="bar-start"><div class="segments" role="group" aria-label=${text.mode}>${segment(!asJson, text.form, () => setQuery({ mode: null }))}${segment(asJson, text.json, () => setQuery({ mode: 'json' }))}</div>
          ${!asJson && html`<div class="segments" role="group" aria-label=${text.way}>${ways.map((way) => segment(form.way === way, text.ways[way], () => change({ way }), noMeaning && way !== 'words' && way !== 'all'))}</div>`}
          <${Button} small kind="quiet" icon="table" aria-pressed=${comparing} onClick=${() => change({ second: comparing ? null : form.words })}>${text.compare}</${Button}></div>
        <div class="bar-end"><${Button} small kind="quiet" icon="code" onClick=${() => setDialog('copy')}>${text.copy}</${Button}><${Button} small kind="quiet" icon="download" onClick=${() => setDialog('saved')}>${text.saved}</${Button}></div></div>
      ${asJson && json && subject && html`<div class="columns">${json.slice(0, comparing ? 2 : 1).map((source, n) => html`<${Editor} key=${n} index=${index} label=${comparing ? [text.editor.a, text.editor.b][n] : text.editor.label} value=${source} fields=${subject.fields.map(({ path }) => path)} onRun=${start}
        onInput=${(value: string) => setJson((before) => n === 0 ? [value, before![1]] : [before![0], value])} />`)}</div><div><${Button} small kind="quiet" icon="refresh" onClick=${() => setJson([starter(form, subject), starter(form, subject)])}>${text.editor.fromForm}</${Button}></div>`}
      ${!asJson && subject && html`<${Options} form=${form} subject=${subject} onChange=${change} />`}
      ${able.length > 0 && html`<${Costs} list=${able} limit=${limit} />`}</form>
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />${asked.busy && !subject && html`<${Loading} />`}
    ${noMeaning && !asJson && html`<${Notice} kind="info" action=${html`<${Button} small href=${href('indices', [index])}>${text.addMeaning}</${Button}>`}>${text.noMeaning}</${Notice}>`}
    ${lanes.length === 0 ? subject && html`<p class="muted">${text.before}</p>` : html`<div class=${`lanes lanes-${lanes.length}`}>${ranks.map(({ lane, title }) => html`<${Lane} key=${lane.ranking.id} lane=${lane} onRetry=${start} others=${ranks.filter((other) => other.title !== title && other.lane.result)} />`)}</div>`}
    ${dialog === 'copy' && html`<${Dialog} size="side" title=${text.copyDialog.title} onClose=${() => setDialog(null)}><${CallList} list=${list.map((ranking) => searchCall(index, ranking.body))} /></${Dialog}>`}
    ${dialog === 'saved' && html`<${SavedDialog} now=${{ index, form, json: asJson ? json : null }} onLoad=${load} onClose=${() => setDialog(null)} />`}`
}

/** #/search/INDEX?q=WORDS&way=hybrid&mode=json */
function Search ({ route }: { route: Route }) {
  const asked = useAsked(searchable, [])
  const names = asked.value
  const index = route.path[0] ?? names?.[0]
  return html`<${PageHead} title=${text.title}>${text.lead}</${PageHead}>
    ${!names ? asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
      : index === undefined ? html`<${Empty} icon="search" title=${text.none} command=${text.command}>${text.noneText}</${Empty}>` : html`<${Playground} key=${index} index=${index} names=${names} route=${route} />`}`
}

export const page: Page = { id: 'search', Component: Search }
