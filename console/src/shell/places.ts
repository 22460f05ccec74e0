// What the search box finds: the pages, and the names of things that pages show.
import { api } from '@/api/request'
import { root } from '@/api/root'
import type { IconName } from '@/components/icon'
import { all, child, readXml, textOf } from '@/pages/objects/xml'
import type { text } from '@strings/shell'
import { pages } from './pages'
import { href } from './router'

type Kind = keyof typeof text.search.kinds
export interface Place { kind: Kind, name: string, href: string, icon: IconName, words?: string }

const freshMs = 30_000
const most = 12
let known: Promise<readonly Place[]> | undefined
let askedAt = 0

const has = (page: string): boolean => pages.some(({ id }) => id === page)

/** The names of one kind; none where the key may not list them, or where no page shows them. */
async function names (kind: Kind, page: string, icon: IconName, ask: () => Promise<string[]>, to: (name: string) => string): Promise<Place[]> {
  if (!has(page)) return []
  return (await ask().catch(() => [])).map((name) => ({ kind, name, href: to(name), icon }))
}

const quiet = { quiet: true }
const buckets = async (): Promise<string[]> => {
  const answer = await fetch(root + '/_cairn/objects/', { cache: 'no-store' })
  if (!answer.ok) return []
  return all(child(readXml(await answer.text()), 'Buckets'), 'Bucket').map((bucket) => textOf(bucket, 'Name'))
}

/** All names, asked at most every half minute and only when somebody searches. */
export function loadNames (): Promise<readonly Place[]> {
  if (known && Date.now() - askedAt < freshMs) return known
  askedAt = Date.now()
  known = Promise.all([
    names('index', 'indices', 'indices', async () => (await api('GET /_cat/indices', { ...quiet, query: { format: 'json', h: 'index' } as never }) as any).map((row: any) => row.index), (name) => href('indices', [name])),
    names('connector', 'connectors', 'connectors', async () => (await api('GET /_connector', { ...quiet, query: { size: 1000 } as never }) as any).results.map((one: any) => one.id), (name) => href('connectors', [name])),
    names('bucket', 'objects', 'objects', buckets, (name) => href('objects', [name])),
    names('key', 'keys', 'keys', async () => (await api('GET /_security/api_key', quiet) as any).api_keys.filter((one: any) => !one.invalidated).map((one: any) => one.name), (name) => href('keys', [], { filter: name })),
    names('endpoint', 'inference', 'inference', async () => (await api('GET /_inference', quiet) as any).endpoints.map((one: any) => one.inference_id), (name) => href('inference', [name])),
    names('repository', 'snapshots', 'snapshots', async () => Object.keys(await api('GET /_snapshot', quiet) as any), (name) => href('snapshots', [name]))
  ]).then((all) => all.flat())
  return known
}

const ofPages = pages.map((page): Place => ({ kind: 'page', name: page.title, href: href(page.id), icon: page.icon, words: page.words }))

/** Places whose names hold all words; those that begin with them first. */
export function findPlaces (text: string, names: readonly Place[]): readonly Place[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return ofPages.slice(0, most)
  const rank = (place: Place): number => {
    const name = place.name.toLowerCase()
    if (name.startsWith(words[0]!)) return 0
    return words.every((word) => name.includes(word)) ? 1 : 2
  }
  return [...ofPages, ...names].filter((place) => words.every((word) => (place.name + ' ' + (place.words ?? '')).toLowerCase().includes(word)))
    .map((place) => ({ place, at: rank(place) })).sort((a, b) => a.at - b.at).slice(0, most).map(({ place }) => place)
}
