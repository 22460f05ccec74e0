// The one way in which the console asks the server.
// Reads wait and ask again by themselves where the server says when to come back; changes never do.
import { signal } from '@/ui'
import { comeBack, Problem, problemOf } from './problem'
import { csrfToken, sessionEnded, sessionUsed } from './session'
import { recordCall } from './calls'
import { root } from './root'
import type { Operations } from './generated'

export type RouteName = Extract<keyof Operations, string>
export type Answer<R extends RouteName> = Operations[R]['answer']
type Named<K extends string, T> = keyof T extends never ? { [k in K]?: T } : { [k in K]: T }

export interface Options {
  signal?: AbortSignal
  headers?: Record<string, string>
  /** Background work: not shown among the calls of the page. */
  quiet?: boolean
  /** Milliseconds until the console gives up; 0 never. Default: a minute. */
  timeout?: number
}
export type Input<R extends RouteName> = Named<'path', Operations[R]['path']> &
  { query?: Operations[R]['query'], body?: Operations[R]['body'] } & Options

/** Set while the limits or a busy server make requests wait; what the notice on top shows. */
export const waiting = signal<{ until: number, reason: string, kind: 'limited' | 'busy' } | null>(null)
/** False while the server does not answer at all. */
export const reachable = signal(true)

const longestWaitMs = 5 * 60_000
const attempts = 4
let probing = false

/** Asks every two seconds until the server is there again. */
function probe (): void {
  if (probing) return
  probing = true
  const look = async (): Promise<void> => {
    const there = await fetch(root + '/_health/live', { cache: 'no-store' }).then((r) => r.ok, () => false)
    if (!there) { setTimeout(look, 2000); return }
    probing = false
    reachable.value = true
  }
  setTimeout(look, 2000)
}

function sleep (ms: number, stop?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stop?.aborted) return reject(new Problem('stopped', 'stopped'))
    const timer = setTimeout(resolve, ms)
    stop?.addEventListener('abort', () => { clearTimeout(timer); reject(new Problem('stopped', 'stopped')) }, { once: true })
  })
}

async function untilAllowed (stop?: AbortSignal): Promise<void> {
  while (waiting.value) {
    const left = waiting.value.until - Date.now()
    // Requests that waited do not all come back in the same moment.
    if (left > 0) await sleep(left + Math.random() * 400, stop)
    if (waiting.value && waiting.value.until <= Date.now()) waiting.value = null
  }
}

function wait (problem: Problem): boolean {
  if (problem.until === null || problem.until - Date.now() > longestWaitMs) return false
  waiting.value = { until: problem.until, reason: problem.reason, kind: problem.kind === 'busy' ? 'busy' : 'limited' }
  return true
}

function stops (options: Options): AbortSignal | undefined {
  const ms = options.timeout ?? 60_000
  const all = [options.signal, ms > 0 ? AbortSignal.timeout(ms) : undefined].filter((s) => s !== undefined)
  return all.length > 1 ? AbortSignal.any(all) : all[0]
}

async function once (method: string, url: string, body: BodyInit | undefined, options: Options): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json', ...options.headers }
  const token = csrfToken()
  if (token) headers['X-Cairn-CSRF'] = token
  try {
    const response = await fetch(root + url, { method, headers, body, signal: stops(options), cache: 'no-store', credentials: 'same-origin' })
    reachable.value = true
    return response
  } catch (error) {
    if (options.signal?.aborted) throw new Problem('stopped', 'stopped')
    if (error instanceof DOMException && error.name === 'TimeoutError') throw new Problem('unreachable', 'the server did not answer in time')
    reachable.value = false
    probe()
    throw new Problem('unreachable', 'the server does not answer')
  }
}

/** Sends one request. Answers with a status of 400 and above are thrown as a Problem. `url` begins with a slash and is encoded. */
export async function send (method: string, url: string, body?: BodyInit, options: Options = {}): Promise<Response> {
  const reads = method === 'GET' || method === 'HEAD' || /\/(_search|_msearch|_count|_explain|_analyze|_dry_run|_preview)\b/.test(url)
  for (let attempt = 1; ; attempt++) {
    if (reads) await untilAllowed(options.signal)
    const response = await once(method, url, body, options)
    if (response.ok || response.status === 304) {
      sessionUsed()
      return response
    }
    const problem = await problemOf(response)
    if (problem.kind === 'signed_out') sessionEnded()
    const mayAgain = (problem.kind === 'limited' || problem.kind === 'busy') && wait(problem)
    if (!mayAgain || !reads || attempt >= attempts) throw problem
  }
}

/** Fills the names in braces of a path template. */
export function fillPath (template: string, values: Record<string, string> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined || value === '') throw new Problem('refused', `the path ${template} needs ${name}`)
    return encodeURIComponent(value)
  })
}

export function queryText (query: object | undefined): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]): [string, string] => [name, Array.isArray(value) ? value.join(',') : String(value)])
  return pairs.length > 0 ? '?' + new URLSearchParams(pairs).toString() : ''
}

/** Asks one route of the program: `api('GET /{index}/_mapping', { path: { index } })`. Gives the parsed JSON of the answer. */
export async function api<R extends RouteName> (route: R, ...input: keyof Operations[R]['path'] extends never ? [Input<R>?] : [Input<R>]): Promise<Answer<R>> {
  const given = (input[0] ?? {}) as Options & { path?: Record<string, string>, query?: object, body?: unknown }
  const [method, template] = route.split(' ') as [string, string]
  const url = fillPath(template, given.path) + queryText(given.query)
  const text = typeof given.body === 'string'
  const body = given.body === undefined ? undefined : text || given.body instanceof Blob ? given.body as string | Blob : JSON.stringify(given.body)
  const headers = body === undefined ? given.headers : { 'Content-Type': text ? 'application/x-ndjson' : 'application/json', ...given.headers }
  if (!given.quiet) recordCall({ method, url, body: given.body })
  const response = await send(method, url, body, { ...given, headers })
  const kind = response.headers.get('content-type') ?? ''
  if (response.status === 204 || method === 'HEAD') return undefined as Answer<R>
  return (kind.includes('json') ? await response.json() : await response.text()) as Answer<R>
}

export { comeBack }
