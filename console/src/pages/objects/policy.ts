import { html, useEffect, useState } from '@/ui'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Loading, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, TextArea } from '@/components/field'
import { Notice, toast } from '@/components/notice'
import { text } from '@strings/objects'
import { Simulate } from './simulate'
import { ask, configuration, orNone } from './storage'
import { textOf } from './xml'

const templates: Record<'read' | 'user', (bucket: string) => object> = {
  read: (bucket) => ({ Version: '2012-10-17', Statement: [{ Sid: 'Read', Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` }] }),
  user: (bucket) => ({ Version: '2012-10-17', Statement: [{ Sid: 'Use', Effect: 'Allow', Principal: { AWS: 'arn:aws:iam::ACCOUNT:user/NAME' }, Action: ['s3:GetObject', 's3:PutObject', 's3:ListBucket'], Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`] }] })
}

function wrong (json: string): string | undefined {
  try { JSON.parse(json); return undefined } catch (error) { return text.policy.bad((error as Error).message) }
}
interface Checked { public: boolean, changes: { change: string, statement: number, sid?: string }[] }

function Result ({ checked }: { checked: Checked }) {
  return html`<${Notice} kind=${checked.public ? 'warning' : 'good'} title=${text.policy.fine}><p>${checked.public ? text.policy.public : text.policy.private}</p>
    ${checked.changes.length === 0 ? html`<p>${text.policy.noChange}</p>` : html`<ul>${checked.changes.map(({ change, statement, sid }, n) => html`<li key=${n}>${text.policy.statement(statement + 1, sid)} ${text.policy.changes[change] ?? change}</li>`)}</ul>`}</${Notice}>`
}

const pretty = (json: string): string => { try { return JSON.stringify(JSON.parse(json), null, 2) } catch { return json } }

export function Policy ({ bucket }: { bucket: string }) {
  const asked = useAsked(async (signal) => {
    const policy = await orNone(ask('GET', { bucket, query: { policy: '' } }, { signal }).then((answer) => answer.text()))
    const status = policy === undefined ? undefined : textOf(await configuration(bucket, 'policyStatus', { signal }), 'IsPublic')
    return { policy, open: status?.toLowerCase() === 'true' }
  }, [bucket])
  const [json, setJson] = useState('')
  const [lockOut, setLockOut] = useState(false)
  const [deleting, setDeleting] = useState(false)
  const [checked, setChecked] = useState<Checked | undefined>(undefined)
  const [doing, run] = useAction()
  const [trying, dry] = useAction()
  useEffect(() => { if (asked.value) setJson(pretty(asked.value.policy ?? '')) }, [asked.value])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const { policy, open } = asked.value
  const bad = json.trim() === '' ? undefined : wrong(json)
  const place = { bucket, query: { policy: '' } }
  const headers = { 'Content-Type': 'application/json', ...(lockOut ? { 'x-amz-confirm-remove-self-bucket-access': 'true' } : {}) }
  const write = (value: string): void => { setJson(value); setChecked(undefined) }
  const check = (): void => { void dry(async () => setChecked(await (await ask('PUT', { bucket, query: { policy: '', dry_run: 'true' } }, { body: json, headers })).json() as Checked)) }
  const save = (): void => { void run(() => ask('PUT', place, { body: json, headers })).then((done) => { if (done) { toast(text.policy.saved); setChecked(undefined); asked.reload() } }) }
  return html`<p class="muted">${text.policy.lead} ${text.policy.publicNote}</p><${Failure} problem=${doing.problem} />
    ${policy === undefined ? html`<${Notice}>${text.policy.none}</${Notice}>` : html`<p><${State} tone=${open ? 'warning' : 'good'}>${open ? text.policy.public : text.policy.private}</${State}></p>`}
    <form class="stack" onSubmit=${(event: Event) => { event.preventDefault(); if (!bad && json.trim() !== '') save() }}>
      <div class="bar-start"><span class="muted small">${text.policy.template}</span>${(Object.keys(templates) as ('read' | 'user')[]).map((one) => html`<${Button} small key=${one} onClick=${() => write(JSON.stringify(templates[one](bucket), null, 2))}>${text.policy.templates[one]}</${Button}>`)}</div>
      <${TextArea} label=${text.policy.label} value=${json} onInput=${write} rows=${16} mono error=${bad} /><${CheckField} label=${text.policy.lockOut} value=${lockOut} onInput=${setLockOut} />
      <${Failure} problem=${trying.problem} /><div aria-live="polite">${checked && html`<${Result} checked=${checked} />`}</div>
      <div class="bar-start"><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${bad !== undefined || json.trim() === ''}>${text.policy.save}</${Button}><${Button} busy=${trying.busy} disabled=${bad !== undefined || json.trim() === ''} onClick=${check}>${text.policy.check}</${Button}>${policy !== undefined && html`<${Button} kind="danger" onClick=${() => setDeleting(true)}>${text.policy.delete}</${Button}>`}</div></form>
    <${Simulate} bucket=${bucket} saved=${policy !== undefined} draft=${{ json, policy: bad === undefined && json.trim() !== '' ? JSON.parse(json) : undefined }} />
    ${deleting && html`<${Confirm} title=${text.policy.confirmDelete} verb=${text.policy.delete} typed=${bucket} action=${() => ask('DELETE', place)} onClose=${() => setDeleting(false)} onDone=${() => { toast(text.policy.deleted); asked.reload() }}>${text.policy.confirmText}</${Confirm}>`}`
}
