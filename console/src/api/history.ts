// What the server remembers of its figures: `GET /_cairn/history`.
import { send } from './request'
import { recordCall } from './calls'

export type Series = 'requests_per_second' | 'errors_per_second' | 'limited_per_second' | 'latency_p50_ms' | 'latency_p99_ms' | 'received_bytes_per_second' | 'sent_bytes_per_second' |
  'connections' | 'cpu_cores' | 'memory_resident_bytes' | 'disk_used_bytes' | 'disk_available_bytes' | 'documents_per_second' | 'deleted_documents_per_second' | 'tokens_per_second' |
  'syncs_running' | 'merges_running' | 'compute_running' | 'compute_waiting'
export type Range = '1h' | '24h' | '7d'
export const ranges: readonly Range[] = ['1h', '24h', '7d']

export interface History {
  /** Milliseconds of the epoch, one for each value. */
  times: number[]
  values: Record<string, (number | null)[]>
}

export async function history (metrics: readonly Series[], range: Range, signal?: AbortSignal): Promise<History> {
  const url = `/_cairn/history?metrics=${metrics.join(',')}&range=${range}`
  recordCall({ method: 'GET', url })
  const answer = await (await send('GET', url, undefined, { signal })).json() as { step_ms: number, from_ms: number, metrics: Record<string, (number | null)[]> }
  const length = Math.max(0, ...Object.values(answer.metrics).map((values) => values.length))
  return { times: Array.from({ length }, (_, n) => answer.from_ms + n * answer.step_ms), values: answer.metrics }
}
