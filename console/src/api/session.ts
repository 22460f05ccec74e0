// Who is signed in. The key itself is never here: the server keeps it behind a cookie that no script can read.
import { signal } from '@/ui'
import { Problem, problemOf } from './problem'
import { root } from './root'

export interface Session {
  id: string
  csrf_token: string
  expires_at_ms: number
  /** How long the session lasts without a request. */
  idle_ms: number
  key: { id: string, name: string }
  username: string
}

/** Undefined until the server was asked, null where nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)
/** When the session ends if nothing is asked before. */
export const endsAt = signal(0)
/** Why the sign-in page is shown. */
export const endedBecause = signal<'' | 'ended' | 'signed_out'>('')

const between = new BroadcastChannel('cairn-session')
let lastUse = 0

export function csrfToken (): string { return session.peek()?.csrf_token ?? '' }

function setEnd (): void {
  const now = session.peek()
  if (now) endsAt.value = Math.min(now.expires_at_ms, lastUse + now.idle_ms)
}

/** Every answered request keeps the session for `idle_ms` more. */
export function sessionUsed (tell = true): void {
  const now = Date.now()
  if (now - lastUse < 5000) return
  lastUse = now
  setEnd()
  if (tell) between.postMessage('used')
}

function begin (made: Session): void {
  session.value = made
  endedBecause.value = ''
  lastUse = Date.now()
  setEnd()
}

export function sessionEnded (because: 'ended' | 'signed_out' = 'ended'): void {
  if (session.peek()) endedBecause.value = because
  session.value = null
}

between.onmessage = ({ data }) => {
  if (data === 'used') sessionUsed(false)
  if (data === 'out') sessionEnded('signed_out')
  if (data === 'in' && !session.peek()) void findSession()
}

async function ask (method: string, url: string, body?: object): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (body) headers['Content-Type'] = 'application/json'
  if (csrfToken()) headers['X-Cairn-CSRF'] = csrfToken()
  const sent = { method, headers, body: body && JSON.stringify(body), cache: 'no-store' as const }
  const response = await fetch(root + url, sent).catch(() => { throw new Problem('unreachable', 'the server does not answer') })
  if (!response.ok) throw await problemOf(response)
  return response
}

/** Asks whether the cookie stands for a session; also keeps an idle one. */
export async function findSession (): Promise<void> {
  try {
    begin(await (await ask('GET', '/_cairn/sessions/_current')).json())
  } catch (error) {
    if (error instanceof Problem && error.kind === 'unreachable') throw error
    sessionEnded()
  }
}

/** Signs in by a key or by the code of a one-time link. */
export async function signIn (by: { api_key: string } | { code: string }): Promise<void> {
  begin(await (await ask('POST', '/_cairn/sessions', by)).json())
  between.postMessage('in')
}

export async function signOut (): Promise<void> {
  await ask('DELETE', '/_cairn/sessions/_current').catch((error: unknown) => {
    if (!(error instanceof Problem) || error.kind !== 'signed_out') throw error
  })
  sessionEnded('signed_out')
  between.postMessage('out')
}

export interface Provider { type: string, name?: string, start?: string }

export async function signInProviders (): Promise<Provider[]> {
  return (await (await ask('GET', '/_cairn/sessions/_providers')).json()).providers
}
