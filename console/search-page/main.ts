// The public search page of one index: /search/INDEX?q=words. With &embed=1 it is a part of another page: no heading.
import './style.css'
import { ask, Refusal } from './ask'
import { make } from './elements'
import { facetBlock, resultItem, type Bucket } from './results'
import type { Settings } from './settings'
import { text } from './strings'

const index = decodeURIComponent(location.pathname.split('/search/')[1] ?? '')
const place = new URL(location.href)
const embedded = place.searchParams.get('embed') === '1'
const chosen = new Map([...place.searchParams].filter(([name]) => name.startsWith('f.')).map(([name, value]): [string, string] => [name.slice(2), value]))
const longestWaitMs = 90_000

const heading = make('h1')
const lead = make('p', { class: 'lead' })
const input = make('input', { 'type': 'search', 'name': 'q', 'id': 'q', 'autocomplete': 'off', 'enterkeyhint': 'search' })
const button = make('button', { type: 'submit', class: 'main' }, text.submit)
const form = make('form', { role: 'search' }, make('label', { for: 'q', class: 'hidden' }, text.label), input, button)
const status = make('p', { role: 'status', class: 'status' })
const list = make('ol', { 'class': 'results', 'aria-label': text.results })
const facets = make('aside', { 'aria-label': text.narrow })
const more = make('button', { type: 'button', class: 'more', hidden: '' }, text.more)
const found = make('div', { class: 'found' }, facets, make('div', {}, list, more))

let settings: Settings
let turn = 0
let shown = 0
let timer: ReturnType<typeof setInterval> | undefined

const clock = (ms: number): string => new Date(ms).toLocaleTimeString('en', { hour12: false })

/** Says when the search goes on, and goes on then. */
function waitUntil (until: number, busy: boolean, from: number): void {
  const left = (): number => Math.max(0, Math.ceil((until - Date.now()) / 1000))
  if (until - Date.now() > longestWaitMs) { status.textContent = text.limitedLong(clock(until)); return }
  const say = (): void => { status.textContent = busy ? text.busy(clock(until)) : text.limited(clock(until), left()) }
  say()
  // Not each second: it is read out.
  timer = setInterval(() => {
    if (left() === 0) { clearInterval(timer); void search(from) } else if (left() % 10 === 0) say()
  }, 1000)
}

function explain (error: unknown, from: number): void {
  if (!(error instanceof Refusal)) throw error
  if (error.until !== null) return waitUntil(error.until, error.status === 503, from)
  const { status: code } = error
  status.textContent = code === 0 ? text.unreachable : code === 404 ? text.missing : code === 401 || code === 403 ? text.refused : text.failed(error.message)
}

function remember (words: string): void {
  const query = new URLSearchParams(words ? { q: words } : {})
  for (const [field, value] of chosen) query.set('f.' + field, value)
  if (embedded) query.set('embed', '1')
  history.replaceState(null, '', location.pathname + (query.size > 0 ? '?' + query.toString() : ''))
}

function showFacets (aggregations: Record<string, { buckets: Bucket[] }>): void {
  const choose = (field: string) => (value: string | null): void => {
    if (value === null) chosen.delete(field); else chosen.set(field, value)
    void search(0)
  }
  facets.replaceChildren(...settings.facets.map(({ field, title }, n) => facetBlock(title, aggregations['f' + n]?.buckets ?? [], chosen.get(field), choose(field))).filter((one) => one !== null))
  if (chosen.size === 0) return
  const clear = make('button', { type: 'button', class: 'clear' }, text.clear)
  clear.addEventListener('click', () => { chosen.clear(); void search(0) })
  facets.append(clear)
}

async function search (from: number): Promise<void> {
  const words = input.value.trim()
  clearInterval(timer)
  if (words === '') return
  const mine = ++turn
  remember(words)
  status.textContent = text.searching
  try {
    const answer = await ask('POST', `/search/${encodeURIComponent(index)}/_search`, { words, filters: Object.fromEntries(chosen), from })
    if (mine !== turn) return
    const total = answer.hits.total?.value ?? answer.hits.total ?? answer.hits.hits.length
    const items = answer.hits.hits.map((hit: Parameters<typeof resultItem>[0]) => resultItem(hit, settings))
    if (from === 0) { list.replaceChildren(...items); shown = 0; showFacets(answer.aggregations ?? {}) } else list.append(...items)
    shown += items.length
    more.hidden = shown >= total || items.length === 0
    status.textContent = text.found(total, answer.hits.total?.relation === 'gte', words) + (total === 0 ? ' ' + text.tryOther : '')
    if (from > 0) items[0]?.querySelector('a')?.focus()
  } catch (error) { if (mine === turn) explain(error, from) }
}

async function begin (): Promise<void> {
  const facts = await ask('GET', `/search/${encodeURIComponent(index)}/_page`)
  settings = facts.page
  // An old address may name what is no facet any more.
  for (const field of [...chosen.keys()]) if (!settings.facets.some((facet) => facet.field === field)) chosen.delete(field)
  document.title = text.title(settings.title)
  heading.textContent = settings.title
  lead.textContent = settings.lead
  lead.hidden = settings.lead === ''
  input.placeholder = settings.placeholder
  form.addEventListener('submit', (event) => { event.preventDefault(); void search(0) })
  more.addEventListener('click', () => void search(shown))
  input.value = place.searchParams.get('q') ?? ''
  if (input.value) void search(0)
  else if (!embedded) input.focus()
}

document.documentElement.classList.toggle('is-embedded', embedded)
heading.textContent = index
document.getElementById('search')!.append(make('main', {}, make('header', {}, heading, lead), form, status, found))
begin().catch((error: unknown) => explain(error, 0))
