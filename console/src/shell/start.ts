// Finds the session that the browser's cookie stands for; a one-time link goes before it.
import { signal } from '@/ui'
import { asProblem, type Problem } from '@/api/problem'
import { findSession, session, signIn } from '@/api/session'
import { reachable } from '@/api/request'
import { parseRoute, route } from './router'

/** The problem of the last try to begin a session by a link. */
export const linkProblem = signal<Problem | null>(null)
export const usingLink = signal(false)

/** Takes the code out of the address, so that it stays neither in the history nor in a bookmark. */
function takeCode (): string | null {
  const { page, query } = route.peek()
  if (page !== 'sign-in' || !query['code']) return null
  history.replaceState(null, '', '#/overview')
  route.value = parseRoute(location.hash)
  return query['code']
}

async function useLink (code: string): Promise<void> {
  usingLink.value = true
  linkProblem.value = null
  try { await signIn({ code }) } catch (error) {
    linkProblem.value = asProblem(error)
    session.value = null
  }
  usingLink.value = false
}

export async function startSession (): Promise<void> {
  const code = takeCode()
  if (code) return await useLink(code)
  for (;;) {
    try { return await findSession() } catch { /* The server does not answer: the notice says so, and this tries again. */ }
    reachable.value = false
    await new Promise((resolve) => setTimeout(resolve, 2000))
    reachable.value = true
  }
}

addEventListener('hashchange', () => {
  const code = takeCode()
  if (code) void useLink(code)
})
