// Would a request be allowed, and by which statement? The server judges it by the code that decides over real ones.
import { html, useState } from '@/ui'
import type { Answer } from '@/api/request'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Section, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField, TextArea, TextField } from '@/components/field'
import { text } from '@strings/objects'

const said = text.policy
const actions = ['s3:GetObject', 's3:PutObject', 's3:DeleteObject', 's3:ListBucket', 's3:GetObjectVersion', 's3:DeleteObjectVersion', 's3:ListBucketVersions', 's3:PutObjectAcl', 's3:GetBucketPolicy', 's3:PutBucketPolicy', 's3:PutLifecycleConfiguration', 's3:DeleteBucket']

interface Request { principal: string, action: string, key: string, context: string }
type Result = Answer<'POST /_cairn/buckets/{bucket}/_simulate'>['results'][number]

/** Undefined where it is no object. */
function contextOf (json: string): Record<string, any> | undefined {
  if (json.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value as Record<string, any> : undefined
  } catch { return undefined }
}

function Decision ({ result }: { result: Result }) {
  return html`<div><strong><${State} tone=${result.allowed ? 'good' : 'bad'}>${said.decisions[result.decision] ?? result.decision}</${State}></strong>${result.by.length > 0 && html`<ul>${result.by.map((one, n) => html`<li key=${n}>${said.by(said.wheres[one.where] ?? one.where, [
    one.policy ?? '', one.statement === undefined ? '' : said.statement(one.statement + 1, one.sid), one.statement === undefined && !one.policy ? '' : said.effects[one.effect] ?? '', one.action ?? ''].filter(Boolean).join(', '))}</li>`)}</ul>`}</div>`
}

/** The draft, where there is one that is JSON; undefined where it is not. */
export interface Draft { json: string, policy: Record<string, unknown> | undefined }

export function Simulate ({ bucket, draft, saved }: { bucket: string, draft: Draft, saved: boolean }) {
  const users = useAsked(async (signal) => (await api('GET /_security/object_account', { signal, quiet: true })).accounts.flatMap((account) => [account.id, ...(account.users ?? []).map(({ name }) => `${account.id}/${name}`)]), [])
  const [requests, setRequests] = useState<readonly Request[]>([{ principal: '*', action: 's3:GetObject', key: 'a/b.txt', context: '' }])
  const [by, setBy] = useState(saved ? 'saved' : 'draft')
  const [results, setResults] = useState<readonly Result[]>([])
  const [doing, run] = useAction()
  const set = (at: number, change: Partial<Request>): void => { setRequests(requests.map((one, n) => n === at ? { ...one, ...change } : one)); setResults([]) }
  const wrong = requests.some(({ context }) => contextOf(context) === undefined)
  const drafted = by === 'draft' && draft.json.trim() !== ''
  const noDraft = drafted && draft.policy === undefined
  const ready = !wrong && !noDraft && requests.every(({ principal, action }) => principal.trim() !== '' && action.trim() !== '')
  const ask = (event: Event): void => {
    event.preventDefault()
    if (!ready) return
    const body = { ...(drafted ? { policy: draft.policy } : {}), requests: requests.map(({ principal, action, key, context }) => ({ principal: principal.trim(), action: action.trim(), ...(key ? { key } : {}), context: contextOf(context) })) }
    void run(async () => setResults((await api('POST /_cairn/buckets/{bucket}/_simulate', { path: { bucket }, body })).results))
  }
  const one = (request: Request, n: number) => html`<fieldset class="stack-small simulated" key=${n}><legend>${said.request(n + 1)}</legend>
    <div class="form-row"><${TextField} label=${said.principal} hint=${n === 0 ? said.principalHint : undefined} value=${request.principal} onInput=${(principal: string) => set(n, { principal })} suggestions=${['*', ...users.value ?? []]} required mono />
      <${TextField} label=${said.action} value=${request.action} onInput=${(action: string) => set(n, { action })} suggestions=${actions} required mono /><${TextField} label=${said.key} hint=${n === 0 ? said.keyHint : undefined} value=${request.key} onInput=${(key: string) => set(n, { key })} mono /></div>
    <${TextArea} label=${said.context} hint=${n === 0 ? said.contextHint : undefined} error=${contextOf(request.context) === undefined ? said.badContext : undefined} value=${request.context} onInput=${(context: string) => set(n, { context })} rows=${2} mono />
    <div aria-live="polite">${results[n] && html`<${Decision} result=${results[n]} />`}</div>
    ${requests.length > 1 && html`<div><${Button} small kind="quiet" icon="remove" onClick=${() => { setRequests(requests.filter((_, other) => other !== n)); setResults([]) }}>${said.remove(n + 1)}</${Button}></div>`}</fieldset>`
  return html`<${Section} title=${said.try} lead=${said.tryLead}><form class="stack" onSubmit=${ask}><${Failure} problem=${doing.problem} />
    <${SelectField} label=${said.judge} value=${by} onInput=${(value: string) => { setBy(value); setResults([]) }} choices=${Object.entries(said.drafts).map(([value, label]) => ({ value, label }))} />
    ${noDraft && html`<p class="field-error">${said.needsDraft}</p>`}${requests.map(one)}
    <div class="bar-start"><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${!ready}>${said.run}</${Button}>${requests.length < 100 && html`<${Button} icon="add" onClick=${() => setRequests([...requests, requests.at(-1)!])}>${said.add}</${Button}>`}</div></form></${Section}>`
}
