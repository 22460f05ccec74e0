// Runs searches, and keeps what each cost.
import type { SearchAnswer } from '@/api/generated'
import { recordCall, type Call } from '@/api/calls'
import { send } from '@/api/request'
import { marked } from './body'

export interface Limit { left: number, all: number, resource: string, reset: number | null }
export interface Result {
  answer: SearchAnswer
  /** Milliseconds from asking to the whole answer. */
  whole: number
  call: Call
  limit: Limit | null
}

function limitOf (headers: Headers): Limit | null {
  const left = headers.get('x-ratelimit-remaining')
  const all = headers.get('x-ratelimit-limit')
  const reset = headers.get('x-ratelimit-reset')
  return left === null || all === null ? null : { left: Number(left), all: Number(all), resource: headers.get('x-ratelimit-resource') ?? '', reset: reset === null ? null : Number(reset) * 1000 }
}

export function searchCall (index: string, body: Record<string, unknown>): Call {
  return { method: 'POST', url: `/${index.split(',').map(encodeURIComponent).join(',')}/_search`, body }
}

export async function search (index: string, body: Record<string, unknown>, signal: AbortSignal): Promise<Result> {
  const call = searchCall(index, body)
  recordCall(call)
  const begun = performance.now()
  const response = await send('POST', call.url, JSON.stringify(marked(body)), { signal, headers: { 'Content-Type': 'application/json' } })
  const answer = await response.json() as SearchAnswer
  return { answer, call, whole: performance.now() - begun, limit: limitOf(response.headers) }
}
