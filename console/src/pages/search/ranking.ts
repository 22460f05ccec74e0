// One ranking that the page shows: what is asked, and of whom.
import { text } from '@strings/search'
import { bodyOf, type Form, type Way } from './body'
import type { Subject } from './subject'

export interface Ranking {
  id: string
  title: string
  /** Its name where there is little room. */
  short: string
  index: string
  way: Way | 'json'
  words: string
  body: Record<string, any>
  /** Of rankings that come from the form. */
  form?: Form
  subject?: Subject
}

/** The rankings that the form asks for. Those by meaning are left out where there is no field for them. */
export function rankingsOf (index: string, form: Form, subject: Subject): Ranking[] {
  const able: Way[] = subject.meanings.length > 0 ? ['words', 'meaning', 'hybrid'] : ['words']
  const ways = form.way === 'all' ? able : able.includes(form.way) ? [form.way] : ['words' as const]
  const one = (way: Way, words: string, short: string, title = short): Ranking => ({ id: short, title, short, index, way, words, form, subject, body: bodyOf(way, form, subject, words) })
  if (form.second === null) return ways.map((way) => one(way, form.words, text.lanes[way]))
  const way = form.way === 'all' ? able.at(-1)! : ways[0]!
  return [one(way, form.words, text.lanes.a, `${text.lanes.a}: ${form.words}`), one(way, form.second, text.lanes.b, `${text.lanes.b}: ${form.second}`)]
}
