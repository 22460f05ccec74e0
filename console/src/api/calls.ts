// The requests that the current page made: what "show the API call" shows.
import { signal } from '@/ui'

export interface Call { method: string, url: string, body?: unknown }

const kept = 12
export const calls = signal<readonly Call[]>([])

export function recordCall (call: Call): void {
  const path = call.url.split('?')[0]
  const others = calls.peek().filter((one) => one.method !== call.method || one.url.split('?')[0] !== path)
  calls.value = [call, ...others].slice(0, kept)
}

/** A new page begins with none. */
export function forgetCalls (): void { calls.value = [] }
