// Elements are made by name, and all text is text: nothing of a document is ever read as HTML.

// Around what was found, as the server marks it.
const opens = '\ue000'
const closes = '\ue001'

type Child = Node | string | null
export function make<K extends keyof HTMLElementTagNameMap> (name: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children.filter((child) => child !== null))
  return element
}

/** A text whose marked passages are `<mark>` elements. */
export function marked (text: string): Node[] {
  return text.split(opens).flatMap((piece, n): Node[] => {
    if (n === 0) return [document.createTextNode(piece)]
    const end = piece.indexOf(closes)
    return end < 0 ? [document.createTextNode(piece)] : [make('mark', {}, piece.slice(0, end)), document.createTextNode(piece.slice(end + 1))]
  })
}

/** The address of a link that may be shown: of the web alone. */
export function webAddress (value: unknown): string | null {
  if (typeof value !== 'string') return null
  try {
    const url = new URL(value, location.href)
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null
  } catch { return null }
}
