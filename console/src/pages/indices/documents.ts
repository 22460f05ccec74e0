import { html, useEffect, useMemo, useRef, useState } from '@/ui'
import type { Hit } from '@/api/generated'
import { asProblem, type Problem } from '@/api/problem'
import { api } from '@/api/request'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Failure } from '@/components/failure'
import { TextField } from '@/components/field'
import { Table, type Column } from '@/components/table'
import { go, href, route, setQuery } from '@/shell/router'
import { text } from '@strings/indices'
import { NewDocument } from './new_document'

const { documents: words } = text
const page = 100
/** Later pages have more rows where documents are small: who scrolls through thousands asks often, and searches are limited by the minute. */
const pageMost = 500
const pageChars = 1_000_000
const deepest = 10_000
const cut = 400
const sourceOf = (hit: Hit): string => JSON.stringify(hit._source ?? {})
const short = (whole: string): string => whole.length > cut ? whole.slice(0, cut) + '…' : whole

const columns: readonly Column<Hit>[] = [
  { id: 'id', title: words.id, value: (hit) => hit._id, cell: (hit) => html`<span class="cut">${hit._id}</span>` },
  { id: 'source', title: words.source, value: sourceOf, wide: true, cell: (hit) => html`<code class="muted">${short(sourceOf(hit))}</code>` }
]

interface Found { hits: Hit[], total: number }

export function documentHref (index: string, hit: { _id: string, _routing?: string }): string {
  return href('indices', [index, 'document', hit._id], { routing: hit._routing })
}

/** The documents of an index, some hundreds at a time as they come into sight. */
export function DocumentsTab ({ index }: { index: string }) {
  const query = route.value.query['q'] ?? ''
  const [words_, setWords] = useState(query)
  const [id, setId] = useState('')
  const [found, setFound] = useState<Found>()
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(true)
  const [turn, setTurn] = useState(0)
  const [making, setMaking] = useState(false)

  const ask = async (from: number, size: number, signal?: AbortSignal): Promise<Found> => {
    const answer = await api('POST /{index}/_search', { path: { index }, signal, body: { from, size, track_total_hits: true, query: query.trim() ? { query_string: { query, lenient: true } } as never : { match_all: {} } } })
    return { hits: answer.hits.hits, total: typeof answer.hits.total === 'object' ? answer.hits.total.value : answer.hits.hits.length }
  }
  const stops = useRef(new AbortController())
  useEffect(() => {
    const stop = new AbortController()
    stops.current = stop
    setBusy(true)
    ask(0, page, stop.signal).then((first) => { setFound(first); setProblem(undefined); setBusy(false) }, (error: unknown) => { if (!stop.signal.aborted) { setProblem(asProblem(error)); setBusy(false) } })
    return () => stop.abort()
  }, [index, query, turn])
  const length = useMemo(() => (found?.hits ?? []).slice(0, page).reduce((sum, hit) => sum + sourceOf(hit).length, 0) / page, [found?.hits[0]])
  const left = found ? Math.min(found.total, deepest) - found.hits.length : 0
  const next = Math.min(left, Math.max(page, Math.min(pageMost, Math.floor(pageChars / Math.max(1, length)))))
  const further = (): void => {
    if (!found || busy || left <= 0) return
    setBusy(true)
    // Of a search that was changed meanwhile nothing is put to the new one.
    const { signal } = stops.current
    ask(found.hits.length, next, signal).then((more) => { if (!signal.aborted) { setFound({ total: more.total, hits: [...found.hits, ...more.hits].slice(0, deepest) }); setBusy(false) } }, (error: unknown) => { if (!signal.aborted) { setProblem(asProblem(error)); setBusy(false) } })
  }
  const open = (): void => { if (id.trim()) go('indices', [index, 'document', id.trim()]) }
  const find = (event: Event): void => { event.preventDefault(); setQuery({ q: words_.trim() || null }) }
  const reload = (): void => setTurn((n) => n + 1)
  return html`<div class="find-bar"><form class="inline-form" onSubmit=${find}><${TextField} type="search" label=${words.find} hint=${words.findHint} value=${words_} onInput=${setWords} /><${Button} type="submit" icon="search">${words.findButton}</${Button}></form>
      <form class="inline-form" onSubmit=${(event: Event) => { event.preventDefault(); open() }}><${TextField} label=${words.open} value=${id} onInput=${setId} mono /><${Button} type="submit">${words.openButton}</${Button}></form></div>
    <${Failure} problem=${problem} onRetry=${reload} />
    <${Table} caption=${words.caption} columns=${columns} rows=${found?.hits ?? []} rowKey=${(hit: Hit) => hit._id} rowHref=${(hit: Hit) => documentHref(index, hit)} total=${found?.total} onEnd=${further} busy=${busy} tall
      tools=${html`${left > 0 && html`<${Button} small busy=${busy} onClick=${further}>+${next}</${Button}>`}<${Button} small icon="add" onClick=${() => setMaking(true)}>${words.add}</${Button}>`}
      empty=${problem ? html`<span></span>` : query ? html`<${Empty} icon="search" title=${words.noMatch} />` : html`<${Empty} icon="file" title=${words.none} command=${words.command(index)}>${words.noneText}</${Empty}>`} />
    ${making && html`<${NewDocument} index=${index} onClose=${() => setMaking(false)} />`}`
}
