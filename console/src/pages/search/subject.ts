// What can be searched, and what an index offers to search in.
import { api } from '@/api/request'
import { fieldsOf, type Field } from '@/pages/indices/fields'

/** Names of open indices, aliases and data streams; hidden ones are left out. */
export async function searchable (signal: AbortSignal): Promise<string[]> {
  const answer = await api('GET /_resolve/index/{index}', { path: { index: '*' }, signal, query: { expand_wildcards: 'open' } }) as any
  const names = [...answer.data_streams, ...answer.indices, ...answer.aliases].map((one: { name: string }) => one.name)
  return [...new Set<string>(names)].sort()
}

export interface Subject {
  /** Text fields that are not below another. */
  texts: string[]
  /** Fields of semantic_text. */
  meanings: string[]
  /** All fields, for filters and suggestions. */
  fields: Field[]
}

export async function subjectOf (index: string, signal: AbortSignal): Promise<Subject> {
  const answer = await api('GET /{index}/_mapping', { path: { index }, signal })
  const all = new Map<string, Field>()
  for (const one of Object.values(answer)) for (const field of fieldsOf((one as any).mappings)) if (!all.has(field.path)) all.set(field.path, field)
  const fields = [...all.values()]
  const of = (type: string): string[] => fields.filter((field) => field.type === type && !field.sub).map(({ path }) => path)
  return { fields, texts: of('text'), meanings: of('semantic_text') }
}

const titles = ['title', 'name', 'subject', 'heading', 'headline', 'file', 'path']
export const isTitle = (path: string): boolean => titles.includes(path.toLowerCase())

/** The value at a path of a document; arrays are looked into. */
export function valueAt (source: unknown, path: string): unknown {
  if (typeof source !== 'object' || source === null) return undefined
  const whole = (source as Record<string, unknown>)[path]
  if (whole !== undefined) return whole
  let at: unknown = source
  for (const step of path.split('.')) {
    if (Array.isArray(at)) at = at[0]
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<string, unknown>)[step]
  }
  return at
}

export function textAt (source: unknown, path: string): string {
  const found = valueAt(source, path)
  if (Array.isArray(found)) return found.filter((one) => typeof one === 'string' || typeof one === 'number').join(' · ')
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : ''
}

/** What a hit is called: its title where it has one, else its id. */
export function titleOf (source: unknown, texts: readonly string[]): { path: string, title: string } | undefined {
  const keys = typeof source === 'object' && source !== null ? Object.keys(source) : []
  for (const wanted of titles) {
    const path = texts.find((text) => text.toLowerCase() === wanted) ?? keys.find((key) => key.toLowerCase() === wanted)
    const title = path ? textAt(source, path) : ''
    if (title) return { path: path!, title }
  }
  return undefined
}
