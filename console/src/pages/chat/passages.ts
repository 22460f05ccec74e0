// Finds the passages that a question is answered from: by words and by meaning, put together by rank.
import type { Hit } from '@/api/generated'
import type { Call } from '@/api/calls'
import { api } from '@/api/request'
import type { Subject } from '@/pages/search/subject'
import { titleOf } from '@/pages/search/subject'

export interface Passage { index: string, id: string, routing?: string, title: string, text: string }

const longest = 1600
const fragments = 2

export function passageBody (subject: Subject, question: string, size: number): Record<string, any> {
  const byWords = subject.texts.length > 0 ? { multi_match: { query: question, fields: subject.texts } } : { simple_query_string: { query: question, lenient: true } }
  const field = subject.meanings[0]
  const marks = { pre_tags: [''], post_tags: [''] }
  if (field === undefined) {
    const fields = Object.fromEntries(subject.texts.map((path) => [path, { fragment_size: 600, number_of_fragments: fragments }]))
    return { size, query: byWords, ...(subject.texts.length > 0 ? { highlight: { ...marks, order: 'score', fields } } : {}) }
  }
  return {
    size, retriever: { rrf: { rank_window_size: Math.max(size, 50), retrievers: [{ standard: { query: byWords } }, { standard: { query: { semantic: { field, query: question } } } }] } },
    highlight: { ...marks, fields: { [field]: { number_of_fragments: fragments, order: 'score' } } }
  }
}

/** The pieces that matched, else the beginning of the document's texts. */
function textOf (hit: Hit, title: string): string {
  const pieces = [...new Set(Object.values(hit.highlight ?? {}).flat().map((piece) => piece.trim()))].filter((piece) => piece !== '' && piece !== title)
  const whole = Object.values(hit._source ?? {}).filter((value): value is string => typeof value === 'string' && value.trim() !== title)
  const text = pieces.length > 0 ? pieces.join('\n') : whole.sort((a, b) => b.length - a.length).join('\n')
  return text.length > longest ? text.slice(0, longest) + '…' : text
}

/** What passages are looked for with: "And when?" alone finds nothing, the question before it says about what. */
export function wordsOf (question: string, before: string | undefined): string {
  return before === undefined || before === question ? question : `${before} ${question}`
}

export function searchCall (index: string, subject: Subject, words: string, size: number): Call {
  return { method: 'POST', url: `/${encodeURIComponent(index)}/_search`, body: passageBody(subject, words, size) }
}

export async function findPassages ({ url, body }: Call, subject: Subject, signal: AbortSignal): Promise<Passage[]> {
  const answer = await api('POST /{index}/_search', { path: { index: decodeURIComponent(url.split('/')[1]!) }, signal, body: body as object })
  return answer.hits.hits.map((hit): Passage => {
    const title = titleOf(hit._source, subject.texts)?.title ?? hit._id
    return { index: hit._index, id: hit._id, routing: hit._routing, title, text: textOf(hit, title) }
  }).filter(({ text, title }) => text !== '' || title !== '')
}

/** "[1]" in a passage or a question is no source: only the numbers given here are. */
const plain = (text: string): string => text.replace(/\[\s*(\d+)\s*\]/g, '($1)')

/** Numbers of sources in an earlier answer name other passages than those of now. */
const unsourced = (text: string): string => plain(text.replace(/\s*\[\d+\]/g, ''))

export function messagesOf (instructions: string, passages: readonly Passage[], earlier: readonly { question: string, answer: string }[], question: string): { role: string, content: string }[] {
  const sources = passages.map(({ title, text }, n) => `[${n + 1}] ${plain(title)}\n${plain(text)}`).join('\n\n')
  return [
    { role: 'system', content: `${instructions}\n\n${sources}` },
    ...earlier.flatMap((one) => [{ role: 'user', content: plain(one.question) }, { role: 'assistant', content: unsourced(one.answer) }]),
    { role: 'user', content: plain(question) }
  ]
}
