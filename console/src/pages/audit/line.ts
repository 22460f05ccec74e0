// A line of the audit log, as the page reads it.
import type { Tone } from '@/components/facts'
import { text } from '@strings/audit'

export interface Line {
  '@timestamp': string
  'event.action': string
  'event.outcome': string
  'user.name'?: string
  'user.principal'?: string
  'apikey.id'?: string
  'apikey.name'?: string
  'origin.address'?: string
  'request.method'?: string
  'url.path'?: string
  'action'?: string
  'reason'?: string
  'http.status'?: number
  'chain.number'?: number
  'chain.mac'?: string
  [field: string]: unknown
}

export type Result = 'granted' | 'access_denied' | 'authentication_failed' | 'failed'
export const results: readonly Result[] = ['granted', 'access_denied', 'authentication_failed', 'failed']

export function resultOf (line: Line): Result {
  if (line['event.action'] === 'access_denied' || line['event.action'] === 'authentication_failed') return line['event.action']
  return line['event.outcome'] === 'success' ? 'granted' : 'failed'
}
export const tones: Record<Result, Tone> = { granted: 'good', access_denied: 'bad', authentication_failed: 'warning', failed: 'bad' }
export const resultText = (line: Line): string => text.list[resultOf(line)]
export const whoOf = (line: Line): string => line['apikey.name'] ?? line['user.name'] ?? line['user.principal'] ?? '–'
