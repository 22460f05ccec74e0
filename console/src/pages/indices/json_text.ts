// Reading JSON that a person typed.
import { text } from '@strings/indices'

/** The value, or what is wrong with the text. Empty text is `empty`. */
export function readJson (source: string, empty?: unknown): { value?: any, error?: string } {
  if (source.trim() === '') return { value: empty }
  try { return { value: JSON.parse(source) } } catch (error) { return { error: text.making.notJson((error as Error).message) } }
}

/** Whether a browser would round a number of the text. */
export function hasBigNumbers (source: string): boolean { return /\d{16,}/.test(source) }
