// What went wrong with a request, in a closed set of kinds, so that a page can say what to do.
export type ProblemKind = 'unreachable' | 'signed_out' | 'forbidden' | 'missing' | 'conflict' | 'limited' | 'busy' | 'refused' | 'failed' | 'stopped'

export class Problem extends Error {
  constructor (
    readonly kind: ProblemKind,
    /** What the server says, or the browser where no server answered. */
    readonly reason: string,
    /** The HTTP status; 0 where there was no answer. */
    readonly status = 0,
    /** The `error.type` of the answer. */
    readonly type = '',
    /** When to come back, as the server says, in milliseconds of the epoch. */
    readonly until: number | null = null,
    /** The body of the answer as it was parsed. */
    readonly body: unknown = undefined
  ) {
    super(reason)
  }
}

function kindOf (status: number, waits: boolean): ProblemKind {
  if (status === 401) return 'signed_out'
  if (status === 429 || (status === 403 && waits)) return 'limited'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'missing'
  if (status === 409 || status === 412) return 'conflict'
  if (status === 503) return 'busy'
  return status >= 500 ? 'failed' : 'refused'
}

/** When to come back: by `Retry-After` in seconds or as a date, or by the end of a window that is used up. */
export function comeBack (headers: Headers, now = Date.now()): number | null {
  const text = headers.get('retry-after')
  if (!text) {
    const reset = Number(headers.get('x-ratelimit-reset') ?? NaN)
    return headers.get('x-ratelimit-remaining') === '0' && Number.isFinite(reset) ? Math.max(now + 1000, reset * 1000 + 500) : null
  }
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return now + Math.max(0, seconds) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : at
}

function textOf (body: unknown): { reason?: string, type?: string } {
  if (typeof body !== 'object' || body === null) return {}
  const error = (body as { error?: unknown, message?: unknown }).error
  if (typeof error === 'string') return { reason: error }
  if (typeof error === 'object' && error !== null) {
    const { reason, type, message } = error as Record<string, unknown>
    return { reason: String(reason ?? message ?? ''), type: String(type ?? '') }
  }
  const message = (body as { message?: unknown }).message
  return typeof message === 'string' ? { reason: message } : {}
}

/** The problem that an answer tells. Reads its body. */
export async function problemOf (response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '')
  let body: unknown = text
  try { body = JSON.parse(text) } catch { /* Object storage answers in XML. */ }
  const told = textOf(body)
  const xml = /<Message>([^<]*)<\/Message>/.exec(text)?.[1]
  const until = [403, 429, 503].includes(response.status) ? comeBack(response.headers) : null
  return new Problem(kindOf(response.status, until !== null), told.reason || xml || response.statusText || `HTTP ${response.status}`,
    response.status, told.type || (/<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? ''), until, body)
}

/** Any thrown value as a problem. */
export function asProblem (error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof DOMException && error.name === 'AbortError') return new Problem('stopped', error.message)
  return new Problem('failed', error instanceof Error ? error.message : String(error))
}
