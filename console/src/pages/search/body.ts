// The bodies of searches that the form stands for.
import type { Subject } from './subject'
import { isTitle } from './subject'

export type Way = 'words' | 'meaning' | 'hybrid'
export type Op = 'is' | 'not' | 'has' | 'from' | 'to' | 'exists'
export interface Filter { field: string, op: Op, value: string }

export interface Form {
  words: string
  /** The other words where two searches are compared. */
  second: string | null
  way: Way | 'all'
  /** Empty: all text fields. */
  fields: string[]
  meaning: string
  fusion: 'linear' | 'rrf'
  weightWords: number
  weightMeaning: number
  constant: number
  window: number
  filters: Filter[]
  size: number
  highlight: boolean
  profile: boolean
}

export const blank: Form = { words: '', second: null, way: 'all', fields: [], meaning: '', fusion: 'linear', weightWords: 1, weightMeaning: 1, constant: 60, window: 100, filters: [], size: 10, highlight: true, profile: false }

type Body = Record<string, any>
/** Marks around what matched: no text has them, so that nothing of a document is taken for one. */
export const marks = { begin: '\ue000', end: '\ue001' }

function clause ({ field, op, value }: Filter): Body {
  switch (op) {
    case 'is': case 'not': return { term: { [field]: value } }
    case 'has': return { match: { [field]: value } }
    case 'from': return { range: { [field]: { gte: value } } }
    case 'to': return { range: { [field]: { lte: value } } }
    case 'exists': return { exists: { field } }
  }
}

function filtered (query: Body, filters: readonly Filter[]): Body {
  const usable = filters.filter(({ field, op, value }) => field && (op === 'exists' || value !== ''))
  if (usable.length === 0) return query
  const not = usable.filter(({ op }) => op === 'not').map(clause)
  const must = usable.filter(({ op }) => op !== 'not').map(clause)
  return { bool: { must: [query], ...(must.length > 0 ? { filter: must } : {}), ...(not.length > 0 ? { must_not: not } : {}) } }
}

export function wordsQuery (form: Form, subject: Subject, words: string): Body {
  const fields = form.fields.length > 0 ? form.fields : subject.texts
  const query = words.trim() === '' ? { match_all: {} } : fields.length > 0 ? { multi_match: { query: words, fields } } : { simple_query_string: { query: words, lenient: true } }
  return filtered(query, form.filters)
}

export function meaningQuery (form: Form, subject: Subject, words: string): Body {
  return filtered({ semantic: { field: form.meaning || subject.meanings[0]!, query: words } }, form.filters)
}

const standard = (query: Body): Body => ({ standard: { query } })

function ranking (way: Way, form: Form, subject: Subject, words: string): Body {
  if (way === 'words') return { query: wordsQuery(form, subject, words) }
  if (way === 'meaning') return { query: meaningQuery(form, subject, words) }
  const lists = [wordsQuery(form, subject, words), meaningQuery(form, subject, words)]
  const rank_window_size = Math.max(form.window, form.size)
  if (form.fusion === 'rrf') return { retriever: { rrf: { rank_constant: form.constant, rank_window_size, retrievers: lists.map(standard) } } }
  const weights = [form.weightWords, form.weightMeaning]
  return { retriever: { linear: { rank_window_size, retrievers: lists.map((query, n) => ({ weight: weights[n], normalizer: 'minmax', retriever: standard(query) })) } } }
}

function highlighting (way: Way, form: Form, subject: Subject): Body {
  const fields: Body = {}
  if (way !== 'meaning') for (const path of subject.texts) fields[path] = isTitle(path) ? { number_of_fragments: 0 } : { fragment_size: 180, number_of_fragments: 2 }
  if (way !== 'words') fields[form.meaning || subject.meanings[0]!] = { number_of_fragments: 2 }
  return { fields }
}

export function bodyOf (way: Way, form: Form, subject: Subject, words: string): Body {
  return {
    size: form.size, ...ranking(way, form, subject, words), ...(form.highlight && words.trim() !== '' ? { highlight: highlighting(way, form, subject) } : {}), ...(form.profile ? { profile: true } : {})
  }
}

/** The same search with marks that only the console knows. */
export function marked (body: Body): Body {
  const highlight = body['highlight'] as Body | undefined
  return highlight && highlight['pre_tags'] === undefined && highlight['post_tags'] === undefined ? { ...body, highlight: { ...highlight, pre_tags: [marks.begin], post_tags: [marks.end] } } : body
}

/** How many searches of an index a body stands for. */
export function rankings (body: Body): number {
  const lists = (retriever: any): number => {
    if (typeof retriever !== 'object' || retriever === null) return 1
    const inside = Object.values(retriever)[0] as any
    if (Array.isArray(inside?.retrievers)) return inside.retrievers.reduce((sum: number, one: any) => sum + lists(one?.retriever ?? one), 0)
    return inside?.retriever ? lists(inside.retriever) : 1
  }
  const knn = body['knn'] === undefined ? 0 : [body['knn']].flat().length
  return body['retriever'] !== undefined ? lists(body['retriever']) : knn + (body['query'] !== undefined || knn === 0 ? 1 : 0)
}
