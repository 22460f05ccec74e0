// Where the console is: a page, what follows in its path, and a query, all in the fragment: #/indices/books?tab=mapping
import { signal } from '@/ui'

export interface Route {
  page: string
  /** The decoded segments that follow the page. */
  path: string[]
  query: Readonly<Record<string, string>>
}

function decode (segment: string): string {
  try { return decodeURIComponent(segment) } catch { return segment }
}

export function parseRoute (fragment: string): Route {
  const text = fragment.replace(/^#?\/?/, '')
  const mark = text.indexOf('?')
  const segments = (mark < 0 ? text : text.slice(0, mark)).split('/').map(decode)
  const query = Object.fromEntries(new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)))
  return { page: segments[0] || 'overview', path: segments.slice(1).filter((s) => s !== ''), query }
}

/** The current place; set by the browser's history alone. */
export const route = signal<Route>(parseRoute(location.hash))
addEventListener('hashchange', () => { route.value = parseRoute(location.hash) })

export type Query = Record<string, string | number | boolean | null | undefined>

/** A link to a place: `href('indices', ['books'], { tab: 'mapping' })`. Segments and values are encoded here. */
export function href (page: string, path: readonly string[] = [], query: Query = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '')
  const search = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return '#/' + [page, ...path].map(encodeURIComponent).join('/') + (search ? '?' + search : '')
}

export function go (page: string, path: readonly string[] = [], query: Query = {}): void {
  location.hash = href(page, path, query)
}

/** Changes the query of the current place without a new step in the history. Null takes a name away. */
export function setQuery (changes: Query): void {
  const { page, path, query } = route.value
  const to = href(page, path, { ...query, ...changes })
  if (to === location.hash) return
  history.replaceState(null, '', to)
  route.value = parseRoute(to)
}
