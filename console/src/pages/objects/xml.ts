// The few forms of XML that the object storage answers with: elements and text. No documents types, no entities of one's own.
// The browser's parser is not used: under Trusted Types it takes no text.
import { Problem } from '@/api/problem'

export interface Element { name: string, text: string, children: Element[] }

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const deepest = 24

function decoded (text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|\w{1,8});/g, (all, what: string) => {
    if (what[0] !== '#') return entities[what] ?? all
    const code = what[1] === 'x' ? parseInt(what.slice(2), 16) : Number(what.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}

const token = /<(?:\?[^>]*\?|(\/)([\w:.-]+)\s*|([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?))>|([^<]+)/y

/** The outermost element. Refuses what is no such XML. */
export function readXml (source: string): Element {
  const broken = (why: string): never => { throw new Problem('failed', `the answer is no XML: ${why}`) }
  const top: Element = { name: '', text: '', children: [] }
  const open = [top]
  token.lastIndex = 0
  while (token.lastIndex < source.length) {
    const at = token.lastIndex
    const found = token.exec(source)
    if (!found) return broken(`at character ${at}`)
    const [, ends, ended, begun, , alone, text] = found
    const here = open.at(-1)!
    if (text !== undefined) {
      here.text += decoded(text)
    } else if (ends) {
      if (here.name !== ended || open.length === 1) broken(`${ended} ends where it did not begin`)
      open.pop()
    } else if (begun !== undefined) {
      const made: Element = { name: begun, text: '', children: [] }
      here.children.push(made)
      if (!alone) open.push(made)
      if (open.length > deepest) broken('too deep')
    }
  }
  if (open.length !== 1) broken(`${open.at(-1)!.name} does not end`)
  return top.children[0] ?? broken('it is empty')
}

export function child (of: Element | undefined, name: string): Element | undefined { return of?.children.find((one) => one.name === name) }
export function all (of: Element | undefined, name: string): Element[] { return of?.children.filter((one) => one.name === name) ?? [] }
export function textOf (of: Element | undefined, name: string): string { return child(of, name)?.text ?? '' }

function encoded (text: string): string {
  return text.replace(/[&<>"'\u0000-\u001f]/g, (c) => `&#${c.charCodeAt(0)};`)
}

/** An element as text; texts between elements are left out. */
export function writeXml (of: Element): string {
  return `<${of.name}>${of.children.length > 0 ? of.children.map(writeXml).join('') : encoded(of.text)}</${of.name}>`
}

export function element (name: string, inside: string | (Element | null | false)[]): Element {
  return typeof inside === 'string' ? { name, text: inside, children: [] } : { name, text: '', children: inside.filter((one): one is Element => Boolean(one)) }
}
