import { html, useState } from '@/ui'
import type { AccessKey } from '@/api/generated'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Loading, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField, TextArea, TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text as common } from '@strings/common'
import { text } from '@strings/keys'
import { ShowSecret, type Secret } from './secret'

const said = text.access
const columns: readonly Column<AccessKey>[] = [
  { id: 'id', title: said.id, value: (row) => row.access_key_id, cell: (row) => html`<code>${row.access_key_id}</code>` },
  { id: 'state', title: said.state, value: (row) => row.active ? said.active : said.idle, cell: (row) => html`<${State} tone=${row.active ? 'good' : 'off'}>${row.active ? said.active : said.idle}</${State}>` },
  { id: 'user', title: said.user, value: (row) => row.user ?? said.root },
  { id: 'arn', title: said.arn, value: (row) => row.arn, wide: true, cell: (row) => html`<code>${row.arn}</code>` },
  { id: 'with', title: said.with, value: (row) => row.api_key, extra: true, cell: (row) => row.api_key ? html`<a href=${'#/keys/' + encodeURIComponent(row.api_key)}>${row.api_key}</a>` : '–' },
  { id: 'used', title: text.list.used, value: (row) => row.last_used ? new Date(row.last_used.at).toISOString() : null, cell: (row) => row.last_used ? html`<span title=${row.last_used.address && text.one.lastFrom(row.last_used.address)}><${When} at=${row.last_used.at} /></span>` : html`<span class="muted">${text.list.never}</span>` },
  { id: 'created', title: said.created, extra: true, value: (row) => new Date(row.creation).toISOString(), cell: (row) => html`<${When} at=${row.creation} />` }
]

function isJson (value: string): boolean { try { JSON.parse(value); return true } catch { return false } }

function MakeAccessKey ({ onClose, onMade }: { onClose: () => void, onMade: (made: Secret) => void }) {
  const [account, setAccount] = useState('')
  const [user, setUser] = useState('')
  const [kind, setKind] = useState('user')
  const [policy, setPolicy] = useState('')
  const [doing, run] = useAction()
  const bad = policy.trim() !== '' && !isJson(policy)
  const submit = (): void => { if (!bad) void run(async () => {
    const made = await api('POST /_security/object_key', { body: { account: account || undefined, user: user || undefined, kind: user ? kind as 'user' : undefined, policy: policy.trim() ? JSON.parse(policy) : undefined } })
    onMade({ name: made.user ?? made.access_key_id, objects: made })
  }) }
  return html`<${Dialog} title=${said.createTitle} size="small" onClose=${onClose} onSubmit=${submit} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${common.create}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><${TextField} label=${said.user} hint=${said.userHint} value=${user} onInput=${setUser} mono autofocus />
    ${user && html`<${SelectField} label=${said.kind} value=${kind} onInput=${setKind} choices=${Object.entries(said.kinds).map(([value, label]) => ({ value, label }))} /><${TextArea} label=${said.policy} hint=${said.policyHint} error=${bad ? said.policyHint : undefined} value=${policy} onInput=${setPolicy} rows=${5} mono />`}
    <${TextField} label=${said.account} hint=${said.accountHint} value=${account} onInput=${setAccount} mono /></${Dialog}>`
}

export function AccessKeys () {
  const asked = useAsked(async (signal) => (await api('GET /_security/object_key', { signal })).object_keys, [])
  const [making, setMaking] = useState(false)
  const [secret, setSecret] = useState<Secret | undefined>(undefined)
  const [deleting, setDeleting] = useState<AccessKey | undefined>(undefined)
  const [doing, run] = useAction()
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const set = (row: AccessKey, active: boolean): void => { void run(() => api('PUT /_security/object_key/{access_key_id}', { path: { access_key_id: row.access_key_id }, body: { active } })).then((done) => { if (done) { toast(active ? said.started : said.paused); asked.reload() } }) }
  const actions = (row: AccessKey) => html`<${Menu} label=${`${common.more}: ${row.access_key_id}`} items=${[
    row.active ? { title: said.pause, icon: 'pause', onSelect: () => set(row, false) } : { title: said.start, icon: 'play', onSelect: () => set(row, true) },
    { title: said.delete, icon: 'remove', danger: true, onSelect: () => setDeleting(row) }
  ]} />`
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem ?? doing.problem} onRetry=${asked.reload} />
    <${Table} caption=${said.caption} columns=${columns} rows=${asked.value} rowKey=${(row: AccessKey) => row.access_key_id} actions=${actions} filterName="access" busy=${asked.busy} tools=${html`<${Button} icon="add" onClick=${() => setMaking(true)}>${said.create}</${Button}>`} empty=${html`<${Empty} icon="keys" title=${said.empty} command=${said.command} />`} />
    ${making && html`<${MakeAccessKey} onClose=${() => setMaking(false)} onMade=${(made: Secret) => { setMaking(false); setSecret(made); asked.reload() }} />`}
    ${secret && html`<${ShowSecret} secret=${secret} onClose=${() => setSecret(undefined)} />`}
    ${deleting && html`<${Confirm} title=${said.deleteTitle(deleting.access_key_id)} verb=${said.delete} typed=${deleting.access_key_id} action=${() => api('DELETE /_security/object_key/{access_key_id}', { path: { access_key_id: deleting.access_key_id } })} onClose=${() => setDeleting(undefined)} onDone=${() => { toast(said.deleted); asked.reload() }}>${said.deleteText}</${Confirm}>`}`
}
