// What each list gives to the score of a hit of a hybrid: the server explains lists one by one, so both are asked for again.
import { api } from '@/api/request'
import { decimal } from '@/text/numbers'
import { text } from '@strings/search'
import { meaningQuery, wordsQuery, type Form } from './body'
import type { Subject } from './subject'

interface List { rank: Map<string, number>, score: Map<string, number>, low: number, high: number }
export interface Lists { words: List, meaning: List }
export interface Part { name: string, value: number, note?: string }

const key = (hit: { _index: string, _id: string }): string => hit._index + '\u0000' + hit._id

async function list (index: string, query: object, size: number, signal?: AbortSignal): Promise<List> {
  const answer = await api('POST /{index}/_search', { path: { index }, signal, body: { size, query: query as never, _source: false } })
  const hits = answer.hits.hits
  const scores = hits.map((hit) => hit._score ?? 0)
  return { rank: new Map(hits.map((hit, n) => [key(hit), n + 1])), score: new Map(hits.map((hit) => [key(hit), hit._score ?? 0])), low: Math.min(...scores), high: Math.max(...scores) }
}

export async function listsOf (index: string, form: Form, subject: Subject, words: string): Promise<Lists> {
  const size = Math.max(form.window, form.size)
  const [byWords, byMeaning] = await Promise.all([list(index, wordsQuery(form, subject, words), size), list(index, meaningQuery(form, subject, words), size)])
  return { words: byWords, meaning: byMeaning }
}

function part (of: List, form: Form, weight: number, hit: string, name: (rank: number | null) => string): Part {
  const rank = of.rank.get(hit)
  if (rank === undefined) return { name: name(null), value: 0 }
  if (form.fusion === 'rrf') return { name: name(rank), value: 1 / (form.constant + rank), note: text.why.rrf(form.constant, rank) }
  const score = of.score.get(hit)!
  const normal = of.high > of.low ? (score - of.low) / (of.high - of.low) : 1
  return { name: name(rank), value: normal * weight, note: text.why.linear(decimal(score), decimal(normal), decimal(weight)) }
}

export function partsOf (lists: Lists, form: Form, hit: { _index: string, _id: string }): Part[] {
  return [part(lists.words, form, form.weightWords, key(hit), text.why.words), part(lists.meaning, form, form.weightMeaning, key(hit), text.why.meaning)]
}
