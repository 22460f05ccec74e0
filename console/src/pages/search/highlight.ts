// Fragments of documents with what matched in them: text nodes and <mark>, nothing else.
import { html, type ComponentChildren } from '@/ui'
import { marks } from './body'

export function Marked ({ text }: { text: string }): ComponentChildren {
  return text.split(marks.begin).map((piece, n) => {
    if (n === 0) return piece
    const [inside, ...after] = piece.split(marks.end)
    return html`<mark>${inside}</mark>${after.join('')}`
  })
}

/** A text without the marks. */
export const unmarked = (text: string): string => text.replaceAll(marks.begin, '').replaceAll(marks.end, '')

/** At most so many characters, cut between words, around the first mark where there is one. */
export function around (text: string, most: number): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  if (flat.length <= most) return flat
  const at = Math.max(0, flat.indexOf(marks.begin) - Math.floor(most / 3))
  let piece = flat.slice(at, at + most)
  // A mark that was cut off is closed.
  if (piece.lastIndexOf(marks.begin) > piece.lastIndexOf(marks.end)) piece += marks.end
  return (at > 0 ? '…' : '') + piece + (at + most < flat.length ? '…' : '')
}
