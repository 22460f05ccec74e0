import { recordCall } from '@/api/calls'
import { send } from '@/api/request'

export interface OpenSession { id: string, key: { id: string, name: string }, username: string, created_at_ms: number, used_at_ms: number, expires_at_ms: number, address: string, browser: string, current: boolean }

/** The sessions that are open: one's own, or all where the key may see them. */
export async function sessions (signal?: AbortSignal): Promise<OpenSession[]> {
  recordCall({ method: 'GET', url: '/_cairn/sessions' })
  return ((await (await send('GET', '/_cairn/sessions', undefined, { signal })).json()) as { sessions: OpenSession[] }).sessions
}

export async function endSession (id: string): Promise<void> {
  const url = '/_cairn/sessions/' + encodeURIComponent(id)
  recordCall({ method: 'DELETE', url })
  await send('DELETE', url)
}
