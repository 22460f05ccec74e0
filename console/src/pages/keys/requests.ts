// Requests by the hour of the last day, of some keys.
import type { KeyRequests } from '@/api/generated'
import type { Series } from '@/components/plot'

const hour = 3_600_000
const hoursShown = 24

export interface Counted { label: string, requests: readonly KeyRequests[] }

/** The starts of the hours up to the current one, the oldest first. */
export function hoursUntil (now: number): number[] {
  const last = Math.floor(now / hour) * hour
  return Array.from({ length: hoursShown }, (_, n) => last - (hoursShown - 1 - n) * hour)
}

/** An hour without any is 0: the server tells only those that had some. */
export function seriesOf ({ label, requests }: Counted, hours: readonly number[]): Series {
  const found = new Map(requests.map((one) => [one.hour, one.requests]))
  return { label, values: hours.map((start) => found.get(start) ?? 0) }
}

export function totalOf ({ requests }: Counted, hours: readonly number[]): number {
  return requests.reduce((sum, one) => one.hour >= hours[0]! ? sum + one.requests : sum, 0)
}
