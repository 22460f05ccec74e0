// Asking the server: as nobody, or where that is refused with the session of who is signed in to the console.
const root = location.pathname.replace(/\/search\/.*$/, '')
let token = ''

export class Refusal extends Error {
  constructor (readonly status: number, reason: string, /** When to come back, in milliseconds of the epoch. */ readonly until: number | null) { super(reason) }
}

async function once (method: string, path: string, body: unknown): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (token) headers['X-Cairn-CSRF'] = token
  const sent: RequestInit = { method, headers, cache: 'no-store', credentials: token ? 'same-origin' : 'omit' }
  if (body !== undefined) sent.body = JSON.stringify(body)
  return await fetch(root + path, sent).catch(() => { throw new Refusal(0, '', null) })
}

/** True where somebody is signed in to the console in this browser. */
async function signedIn (): Promise<boolean> {
  const answer = await fetch(root + '/_cairn/sessions/_current', { cache: 'no-store' }).catch(() => null)
  if (!answer?.ok) return false
  token = String(((await answer.json()) as { csrf_token?: string }).csrf_token ?? '')
  return token !== ''
}

/** When the limits say to come back, in milliseconds of the epoch. */
function comeBack ({ status, headers }: Response): number | null {
  if (![403, 429, 503].includes(status)) return null
  const after = headers.get('retry-after')
  if (after !== null) return Date.now() + Number(after) * 1000
  return headers.get('x-ratelimit-remaining') === '0' ? Number(headers.get('x-ratelimit-reset')) * 1000 + 500 : null
}

export async function ask (method: string, path: string, body?: unknown): Promise<any> {
  let answer = await once(method, path, body)
  if ((answer.status === 401 || (answer.status === 403 && comeBack(answer) === null)) && !token && await signedIn()) answer = await once(method, path, body)
  if (answer.ok) return await answer.json()
  const said = await answer.json().catch(() => ({})) as { error?: { reason?: string } | string, message?: string }
  const reason = typeof said.error === 'object' ? said.error.reason : said.message
  throw new Refusal(answer.status, reason ?? String(answer.status), comeBack(answer))
}
