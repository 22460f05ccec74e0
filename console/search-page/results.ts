// What was found, as a list; and the values by which it can be narrowed down.
import { make, marked, webAddress } from './elements'
import type { Settings } from './settings'
import { text } from './strings'

interface Hit { _id: string, _source?: Record<string, unknown>, highlight?: Record<string, string[]> }

/** A value at a dotted name; the first of several. */
function valueAt (source: Record<string, unknown> | undefined, name: string): unknown {
  const found = source?.[name] ?? name.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], source)
  return Array.isArray(found) ? found[0] : found
}

const shorten = (value: string): string => value.length > 320 ? value.slice(0, 320).replace(/\s+\S*$/, '') + ' …' : value

export function resultItem (hit: Hit, settings: Settings): HTMLElement {
  const title = hit.highlight?.[settings.title_field]?.[0] ?? String(valueAt(hit._source, settings.title_field) ?? hit._id ?? text.untitled)
  const address = webAddress(valueAt(hit._source, settings.url_field))
  const heading = make('h2', {}, address ? make('a', { href: address, rel: 'noopener noreferrer', target: '_top' }, ...marked(title)) : make('span', {}, ...marked(title)))
  const passages = hit.highlight?.[settings.text_field] ?? [shorten(String(valueAt(hit._source, settings.text_field) ?? ''))]
  return make('li', {}, heading, address ? make('p', { class: 'address' }, address) : null, make('p', {}, ...marked(passages.join(' … '))))
}

export interface Bucket { key: string | number, key_as_string?: string, doc_count: number }

export function facetBlock (title: string, buckets: readonly Bucket[], chosen: string | undefined, choose: (value: string | null) => void): HTMLElement | null {
  if (buckets.length === 0) return null
  return make('fieldset', {}, make('legend', {}, title), ...buckets.map((bucket) => {
    const value = String(bucket.key)
    const on = chosen === value
    const button = make('button', { 'type': 'button', 'aria-pressed': String(on) }, make('span', {}, bucket.key_as_string ?? value), make('span', { class: 'count' }, String(bucket.doc_count)))
    button.addEventListener('click', () => choose(on ? null : value))
    return button
  }))
}
