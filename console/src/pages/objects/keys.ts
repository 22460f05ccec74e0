// Names of objects are bytes. The console carries them percent-encoded, as the storage lists them; people see them decoded.
import { Problem } from '@/api/problem'

export type Key = string

/** The key of a name that a person gave. */
export function keyOf (name: string): Key {
  return encodeURIComponent(name.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('%2F', '/')
}

/** A key of a listing with `encoding-type=url`. One form for each name. */
export function listedKey (listed: string): Key {
  const raw = listed.replaceAll('+', '%20')
  try { return keyOf(decodeURIComponent(raw)) } catch { return raw.replaceAll('%2F', '/') }
}

/** The name; of bytes that are no UTF-8 their escapes. */
export function nameOf (key: Key): string {
  try { return decodeURIComponent(key) } catch { return key }
}

// Marks that turn text around or are not seen would let one name look like another.
const unseen = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** The name as it may be shown. */
export function shown (key: Key): string {
  return nameOf(key).replace(unseen, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** What follows the folder. */
export function lastPart (key: Key, prefix: Key): string {
  return shown(key.startsWith(prefix) ? key.slice(prefix.length) : key)
}

/** The key in a path. Browsers resolve dots in paths, so that such keys have their slashes escaped. */
export function pathOf (key: Key): string {
  const dots = (segment: string): boolean => /^(\.|%2e){1,2}$/i.test(segment)
  if (!key.split('/').some(dots)) return key
  if (dots(key)) throw new Problem('refused', 'browsers cannot ask for an object of this name; use cairn objects')
  return key.replaceAll('/', '%2F')
}

/** The folders above: each with its key, the outermost first. */
export function foldersOf (prefix: Key): { key: Key, name: string }[] {
  const parts = prefix.split('/').slice(0, -1)
  return parts.map((part, n) => ({ key: parts.slice(0, n + 1).join('/') + '/', name: shown(part) || '/' }))
}
