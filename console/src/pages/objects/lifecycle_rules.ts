// Lifecycle rules between their XML and what a form shows. What the form does not know is kept.
import { all, child, element, textOf, type Element } from './xml'

export interface Rule {
  id: string
  prefix: string
  on: boolean
  /** Days, or null. */
  expire: number | null
  noncurrent: number | null
  abort: number | null
  /** It says more than this: dates, tags, sizes, markers. */
  more: boolean
  source: Element | undefined
}

const days = (of: Element | undefined, name: string): number | null => { const said = textOf(of, name); return said === '' ? null : Number(said) }
const known: Record<string, readonly string[]> = { Expiration: ['Days'], NoncurrentVersionExpiration: ['NoncurrentDays'], AbortIncompleteMultipartUpload: ['DaysAfterInitiation'], Filter: ['Prefix'], ID: [], Status: [], Prefix: [] }

export function read (configuration: Element | undefined): Rule[] {
  return all(configuration, 'Rule').map((source): Rule => {
    const filter = child(source, 'Filter')
    return {
      id: textOf(source, 'ID'),
      prefix: textOf(filter, 'Prefix') || textOf(child(filter, 'And'), 'Prefix') || textOf(source, 'Prefix'),
      on: textOf(source, 'Status') === 'Enabled',
      expire: days(child(source, 'Expiration'), 'Days'),
      noncurrent: days(child(source, 'NoncurrentVersionExpiration'), 'NoncurrentDays'),
      abort: days(child(source, 'AbortIncompleteMultipartUpload'), 'DaysAfterInitiation'),
      more: source.children.some((part) => !known[part.name] || part.children.some(({ name }) => !known[part.name]!.includes(name))),
      source
    }
  })
}

/** The element `name` of the source with `inside` set or taken away, and all else as it was. */
function changed (source: Element | undefined, name: string, inside: string, value: number | null): Element | null {
  const others = child(source, name)?.children.filter((one) => one.name !== inside) ?? []
  const own = value === null ? [] : [element(inside, String(value))]
  return others.length + own.length === 0 ? null : element(name, [...own, ...others])
}

function filterOf (rule: Rule): Element {
  const filter = child(rule.source, 'Filter')
  const and = child(filter, 'And')
  const others = (and ?? filter)?.children.filter(({ name }) => name !== 'Prefix') ?? []
  if (others.length === 0) return element('Filter', [element('Prefix', rule.prefix)])
  const prefix = rule.prefix === '' ? [] : [element('Prefix', rule.prefix)]
  return element('Filter', prefix.length + others.length > 1 ? [element('And', [...prefix, ...others])] : others)
}

export function write (rule: Rule): Element {
  const rest = rule.source?.children.filter(({ name }) => !(name in known)) ?? []
  return element('Rule', [
    rule.id !== '' && element('ID', rule.id), element('Status', rule.on ? 'Enabled' : 'Disabled'), filterOf(rule),
    changed(rule.source, 'Expiration', 'Days', rule.expire), changed(rule.source, 'NoncurrentVersionExpiration', 'NoncurrentDays', rule.noncurrent), changed(rule.source, 'AbortIncompleteMultipartUpload', 'DaysAfterInitiation', rule.abort), ...rest
  ])
}
