import { html, useEffect, useRef, useState } from '@/ui'
import { asProblem, type Problem } from '@/api/problem'
import { api } from '@/api/request'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField, TextField } from '@/components/field'
import { Table, type Column } from '@/components/table'
import { setQuery } from '@/shell/router'
import { text } from '@strings/audit'
import { Detail } from './detail'
import { resultOf, resultText, tones, whoOf, type Line } from './line'
import { ResultPlot } from './result_plot'

const columns: readonly Column<Line>[] = [
  { id: 'time', title: text.list.time, value: (row) => row['@timestamp'], cell: (row) => html`<${When} exact at=${row['@timestamp']} />` },
  { id: 'who', title: text.list.who, value: whoOf },
  { id: 'result', title: text.list.result, value: resultText, cell: (row) => html`<${State} tone=${tones[resultOf(row)]}>${resultText(row)}</${State}>` },
  { id: 'action', title: text.list.action, value: (row) => row.action },
  { id: 'path', title: text.list.path, wide: true, value: (row) => `${row['request.method'] ?? ''} ${row['url.path'] ?? ''}`.trim(), cell: (row) => html`<code title=${row['url.path']}>${row['request.method']} ${row['url.path']}</code>` },
  { id: 'from', title: text.list.from, value: (row) => row['origin.address'], extra: true },
  { id: 'status', title: text.list.status, numeric: true, value: (row) => row['http.status'], extra: true },
  { id: 'number', title: text.list.number, numeric: true, value: (row) => row['chain.number'], extra: true }
]
const names = ['span', 'since', 'until', 'identity', 'operation', 'outcome', 'resource'] as const
type Search = Partial<Record<typeof names[number], string>>
const spanMs: Record<string, number> = { '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000, '30d': 30 * 86_400_000 }
const pageSize = 500
const looksMost = 8

/** Times of the form are those of who looks. */
const iso = (local: string | undefined): string | undefined => local ? new Date(local).toISOString() : undefined

interface Found { lines: readonly Line[], next: number | undefined, busy: boolean, problem: Problem | undefined }

export function Log ({ query }: { query: Readonly<Record<string, string>> }) {
  const given: Search = Object.fromEntries(names.map((name) => [name, query[name] ?? '']))
  const [search, setSearch] = useState<Search>({ ...given, span: query['span'] ?? '' })
  const [state, setState] = useState<Found>({ lines: [], next: undefined, busy: true, problem: undefined })
  const [shown, setShown] = useState<Line | undefined>(undefined)
  const [turn, setTurn] = useState(0)
  const stops = useRef(new AbortController())
  const asking = useRef(false)

  const load = async (before: readonly Line[], from: number | undefined, signal: AbortSignal): Promise<void> => {
    asking.current = true
    const since = given.span === 'own' ? iso(given.since) : given.span && spanMs[given.span] ? new Date(Date.now() - spanMs[given.span]!).toISOString() : undefined
    const until = given.span === 'own' ? iso(given.until) : undefined
    let lines = before
    let next = from
    try {
      // An answer looks at 16 MB of log: what is rare may need more than one.
      for (let look = 0; look < looksMost; look++) {
        const answer = await api('GET /_cairn/audit', { signal, quiet: look > 0, query: { size: pageSize, since, until, before: next, identity: given.identity || undefined, operation: given.operation || undefined, outcome: given.outcome || undefined, resource: given.resource || undefined } })
        lines = [...lines, ...answer.events as unknown as Line[]]
        next = answer.next
        if (next === undefined || lines.length - before.length >= pageSize / 2) break
      }
      if (!signal.aborted) setState({ lines, next, busy: false, problem: undefined })
    } catch (error) {
      if (!signal.aborted) setState({ lines, next, busy: false, problem: asProblem(error) })
    } finally { if (!signal.aborted) asking.current = false }
  }
  const wanted = names.map((name) => given[name]).join('\n')
  useEffect(() => {
    const stop = new AbortController()
    stops.current = stop
    setSearch(given)
    setState((now) => ({ ...now, busy: true }))
    void load([], undefined, stop.signal)
    return () => stop.abort()
  }, [wanted, turn])
  const reload = (): void => setTurn((n) => n + 1)
  const submit = (): void => {
    setQuery(Object.fromEntries(names.map((name) => [name, search[name] || null])))
    reload()
  }
  const more = (): void => { if (state.next !== undefined && !asking.current) void load(state.lines, state.next, stops.current.signal) }
  const field = (name: typeof names[number]) => ({ value: search[name] ?? '', onInput: (value: string) => setSearch({ ...search, [name]: value }) })
  const choices = (of: Record<string, string>) => Object.entries(of).map(([value, label]) => ({ value, label }))
  const { form } = text
  if (state.problem?.kind === 'forbidden') return html`<${Empty} icon="lock" title=${text.forbidden.title} command=${text.forbidden.command}>${text.forbidden.text}</${Empty}>`
  return html`<form class="form" onSubmit=${(event: Event) => { event.preventDefault(); submit() }}><div class="form-row">
      <${SelectField} label=${form.since} ...${field('span')} choices=${choices(form.spans)} /><${TextField} label=${form.identity} hint=${form.identityHint} ...${field('identity')} mono /><${TextField} label=${form.operation} hint=${form.operationHint} ...${field('operation')} mono />
      <${SelectField} label=${form.outcome} ...${field('outcome')} choices=${choices(form.outcomes)} /><${TextField} label=${form.resource} hint=${form.resourceHint} ...${field('resource')} mono /></div>
      ${search.span === 'own' && html`<div class="form-row narrow"><${TextField} type="datetime-local" label=${form.from} ...${field('since')} /><${TextField} type="datetime-local" label=${form.until} ...${field('until')} /></div>`}
      <div class="bar-start"><${Button} kind="main" type="submit" icon="search" busy=${state.busy}>${form.search}</${Button}>${names.some((name) => given[name]) && html`<${Button} kind="quiet" onClick=${() => setQuery(Object.fromEntries(names.map((name) => [name, null])))}>${form.clear}</${Button}>`}</div></form>
    <${Failure} problem=${state.problem} onRetry=${reload} />
    ${state.lines.length > 0 && html`<${ResultPlot} lines=${state.lines} />`}
    ${state.busy && state.lines.length === 0 ? html`<${Loading} />` : html`<${Table} caption=${text.list.caption} columns=${columns} rows=${state.lines} rowKey=${(row: Line) => String(row['chain.number'] ?? row['@timestamp'] + row['url.path'])} onRow=${setShown} onEnd=${more} busy=${state.busy} tall
      empty=${!state.problem && html`<${Empty} icon="audit" title=${text.list.none} command=${text.list.command}>${text.list.noneText}</${Empty}>`} />`}
    ${state.next !== undefined && html`<div class="bar"><p class="muted small">${text.list.loaded(state.lines.length)}</p><div class="bar-end"><${Button} small onClick=${more}>${text.list.more}</${Button}></div></div>`}
    ${shown && html`<${Detail} line=${shown} onClose=${() => setShown(undefined)} />`}`
}
