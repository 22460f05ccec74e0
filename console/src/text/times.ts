// Moments and spans as people read them. Moments are ISO dates with the zone of who reads.
import { none } from './numbers'

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

function zone (at: Date): string {
  const minutes = -at.getTimezoneOffset()
  if (minutes === 0) return 'Z'
  const size = Math.abs(minutes)
  return (minutes < 0 ? '-' : '+') + pad(Math.floor(size / 60)) + ':' + pad(size % 60)
}

export function asDate (value: number | string | null | undefined): Date | null {
  if (value === null || value === undefined || value === '') return null
  const at = new Date(value)
  return Number.isNaN(at.getTime()) ? null : at
}

/** 2026-11-28 14:02:07+01:00 */
export function moment (value: number | string | null | undefined): string {
  const at = asDate(value)
  if (!at) return none
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())} ${clock(at)}${zone(at)}`
}

/** 14:02:07 */
export function clock (value: Date | number): string {
  const at = value instanceof Date ? value : new Date(value)
  return `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`
}

const spans: [number, string][] = [[86_400_000, 'd'], [3_600_000, 'h'], [60_000, 'min'], [1000, 's']]

/** 90,061,000 as "1 d 1 h"; below ten seconds with milliseconds or tenths. */
export function duration (ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return none
  if (ms < 1) return ms === 0 ? '0 ms' : ms.toFixed(2) + ' ms'
  if (ms < 1000) return (ms < 10 ? ms.toFixed(1) : Math.round(ms)) + ' ms'
  if (ms < 10_000) return (ms / 1000).toFixed(1) + ' s'
  const parts: string[] = []
  let left = Math.round(ms / 1000) * 1000
  for (const [size, name] of spans) {
    if (left >= size || (size === 1000 && parts.length === 0)) {
      parts.push(Math.floor(left / size) + ' ' + name)
      left %= size
    } else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.join(' ')
}

/** "3 min 4 s ago", "in 2 h". */
export function ago (value: number | string | null | undefined, now = Date.now()): string {
  const at = asDate(value)
  if (!at) return none
  const ms = now - at.getTime()
  if (Math.abs(ms) < 1500) return 'now'
  const coarse = duration(Math.abs(ms) >= 60_000 ? Math.floor(Math.abs(ms) / 60_000) * 60_000 : Math.round(Math.abs(ms) / 1000) * 1000)
  return ms >= 0 ? coarse.replace('.0', '') + ' ago' : 'in ' + coarse.replace('.0', '')
}
