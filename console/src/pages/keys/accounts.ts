// Accounts of the object storage: their users and services, and what the policies of each allow.
import { html, useState } from '@/ui'
import type { ObjectAccount, ObjectUser } from '@/api/generated'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Facts, Loading, Section, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField, TextArea, TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { href, setQuery } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/keys'

const said = text.accounts
const policyNames = (user: ObjectUser): string[] => Object.keys(user.policies)

const columns: readonly Column<ObjectUser>[] = [
  { id: 'name', title: said.user, value: (row) => row.name },
  { id: 'kind', title: said.kind, value: (row) => said.kinds[row.kind ?? 'user'] ?? row.kind },
  { id: 'policies', title: said.policies, value: (row) => policyNames(row).join(', '), wide: true, cell: (row) => policyNames(row).length === 0 ? html`<span class="muted">${said.noPolicy}</span>` : policyNames(row).join(', ') },
  { id: 'arn', title: text.access.arn, value: (row) => row.arn, extra: true, cell: (row) => html`<code>${row.arn}</code>` },
  { id: 'created', title: text.access.created, value: (row) => new Date(row.creation).toISOString(), cell: (row) => html`<${When} at=${row.creation} />` }
]

function MakeAccount ({ onClose, onDone }: { onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState('')
  const [id, setId] = useState('')
  const [email, setEmail] = useState('')
  const [doing, run] = useAction()
  const badId = id !== '' && !/^\d{12}$/.test(id)
  const submit = (): void => { if (name.trim() && !badId) void run(() => api('POST /_security/object_account', { body: { name: name.trim(), id: id || undefined, email: email.trim() || undefined } })).then((done) => { if (done) { toast(said.made(name.trim())); onClose(); onDone() } }) }
  return html`<${Dialog} size="small" title=${said.makeTitle} onClose=${onClose} onSubmit=${submit} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${!name.trim() || badId}>${common.create}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><${TextField} label=${said.name} value=${name} onInput=${setName} required autofocus />
    <${TextField} label=${said.id} hint=${said.idHint} error=${badId ? said.badId : undefined} value=${id} onInput=${(value: string) => setId(value.trim())} mono /><${TextField} label=${said.email} value=${email} onInput=${setEmail} /></${Dialog}>`
}

function MakeUser ({ account, onClose, onDone }: { account: ObjectAccount, onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState('user')
  const [doing, run] = useAction()
  const submit = (): void => { if (name.trim()) void run(() => api('PUT /_security/object_account/{account}/user/{user}', { path: { account: account.id, user: name.trim() }, body: { kind: kind as 'user' } })).then((done) => { if (done) { toast(said.userMade(name.trim())); onClose(); onDone() } }) }
  return html`<${Dialog} size="small" title=${said.makeUserTitle(account.name)} onClose=${onClose} onSubmit=${submit} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${!name.trim()}>${common.create}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><${TextField} label=${said.userName} value=${name} onInput=${setName} required mono autofocus />
    <${SelectField} label=${said.kind} hint=${said.kindHint} value=${kind} onInput=${setKind} choices=${Object.entries(said.kinds).map(([value, label]) => ({ value, label }))} /></${Dialog}>`
}

const everything = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: ['s3:GetObject', 's3:ListBucket'], Resource: ['arn:aws:s3:::BUCKET', 'arn:aws:s3:::BUCKET/*'] }] }

function fault (json: string): string | undefined {
  try { JSON.parse(json); return undefined } catch (error) { return said.bad((error as Error).message) }
}

/** Writes one policy of a user; the others stay. */
function EditPolicy ({ account, user, name, onClose, onDone }: { account: string, user: ObjectUser, name: string, onClose: () => void, onDone: () => void }) {
  const [called, setCalled] = useState(name)
  const [json, setJson] = useState(() => JSON.stringify(name === '' ? everything : user.policies[name], null, 2))
  const [doing, run] = useAction()
  const bad = fault(json)
  const submit = (): void => { if (!bad && called.trim()) void run(() => api('PUT /_security/object_account/{account}/user/{user}', { path: { account, user: user.name }, body: { policies: { [called.trim()]: JSON.parse(json) } } })).then((done) => { if (done) { toast(said.policySaved(called.trim())); onClose(); onDone() } }) }
  return html`<${Dialog} title=${name === '' ? said.newPolicyTitle(user.name) : said.policyTitle(name, user.name)} onClose=${onClose} onSubmit=${submit} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${bad !== undefined || !called.trim()}>${common.save}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><${TextField} label=${said.policyName} value=${called} onInput=${setCalled} disabled=${name !== ''} required mono />
    <${TextArea} label=${said.policy} value=${json} onInput=${setJson} rows=${14} mono error=${bad} /></${Dialog}>`
}

type Doing = { kind: 'user' } | { kind: 'policy' | 'unset', user: ObjectUser, name: string } | { kind: 'show' | 'remove', user: ObjectUser }

/** What hangs on a user: its keys must be deleted before it. */
async function whatGoes (account: string, user: ObjectUser): Promise<object> {
  const { object_keys: keys } = await api('GET /_security/object_key', { query: { account, user: user.name } })
  return { would: { [said.dry.policies]: policyNames(user), [said.dry.refused]: keys.map(({ access_key_id: id }) => id) } }
}

function One ({ account, onDone }: { account: ObjectAccount, onDone: () => void }) {
  const [doing, setDoing] = useState<Doing | undefined>(undefined)
  const close = (): void => setDoing(undefined)
  const users = account.users ?? []
  const actions = (user: ObjectUser) => html`<${Menu} label=${`${common.more}: ${user.name}`} items=${[
    { title: said.show, icon: 'eye', onSelect: () => setDoing({ kind: 'show', user }) },
    { title: said.addPolicy, icon: 'add', onSelect: () => setDoing({ kind: 'policy', user, name: '' }) },
    ...policyNames(user).map((name) => ({ title: said.changePolicy(name), icon: 'edit' as const, onSelect: () => setDoing({ kind: 'policy', user, name }) })),
    ...policyNames(user).map((name) => ({ title: said.deletePolicy(name), icon: 'remove' as const, danger: true, onSelect: () => setDoing({ kind: 'unset', user, name }) })),
    { title: said.deleteUser, icon: 'remove', danger: true, onSelect: () => setDoing({ kind: 'remove', user }) }
  ]} />`
  return html`<${Section} title=${account.name} actions=${html`<${Button} small icon="add" onClick=${() => setDoing({ kind: 'user' })}>${said.makeUser}</${Button}>`}>
    <${Facts} rows=${[[said.id, html`<code>${account.id}</code>`], [said.canonical, html`<code class="cut" title=${account.canonical_id}>${account.canonical_id}</code>`], account.email ? [said.email, account.email] : null, [text.access.created, html`<${When} exact at=${account.creation} />`]]} />
    <${Table} caption=${said.users(account.name)} columns=${columns} rows=${users} rowKey=${(row: ObjectUser) => row.name} onRow=${(user: ObjectUser) => setDoing({ kind: 'show', user })} filterName=${'users-' + account.id} actions=${actions} empty=${html`<${Empty} small title=${said.noUser}>${said.noUserText}</${Empty}>`} />
    ${doing?.kind === 'user' && html`<${MakeUser} account=${account} onClose=${close} onDone=${onDone} />`}
    ${doing?.kind === 'show' && html`<${Dialog} title=${doing.user.name} onClose=${close} footer=${html`<${Button} onClick=${() => setQuery({ tab: 'access', access: doing.user.name })}>${said.keys}</${Button}>`}>
      <${Facts} rows=${[[said.kind, said.kinds[doing.user.kind ?? 'user']], [text.access.arn, html`<code>${doing.user.arn}</code>`], [said.userId, html`<code>${doing.user.user_id}</code>`], [said.limits, html`<a href=${href('limits', [`${doing.user.kind === 'service' ? 'service' : 'user'}:${doing.user.name}`])}>${said.limitsLink}</a>`]]} />
      ${policyNames(doing.user).length === 0 ? html`<p class="muted">${said.noPolicyText}</p>` : policyNames(doing.user).map((name) => html`<${Section} key=${name} title=${name}><${Json} value=${doing.user.policies[name]} label=${name} /></${Section}>`)}</${Dialog}>`}
    ${doing?.kind === 'policy' && html`<${EditPolicy} account=${account.id} user=${doing.user} name=${doing.name} onClose=${close} onDone=${onDone} />`}
    ${doing?.kind === 'unset' && html`<${Confirm} title=${said.deletePolicy(doing.name)} verb=${common.delete} typed=${doing.name} onClose=${close} onDone=${() => { toast(said.policyDeleted(doing.name)); onDone() }} action=${() => api('DELETE /_security/object_account/{account}/user/{user}/policy/{policy}', { path: { account: account.id, user: doing.user.name, policy: doing.name } })}><p>${said.deletePolicyText(doing.user.name)}</p></${Confirm}>`}
    ${doing?.kind === 'remove' && html`<${Confirm} title=${said.deleteUserTitle(doing.user.name)} verb=${said.deleteUser} typed=${doing.user.name} dryRun=${() => whatGoes(account.id, doing.user)} onClose=${close} onDone=${() => { toast(said.userDeleted(doing.user.name)); onDone() }} action=${() => api('DELETE /_security/object_account/{account}/user/{user}', { path: { account: account.id, user: doing.user.name } })}><p>${said.deleteUserText}</p></${Confirm}>`}</${Section}>`
}

export function Accounts () {
  const asked = useAsked(async (signal) => (await api('GET /_security/object_account', { signal })).accounts, [])
  const [making, setMaking] = useState(false)
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  return html`<div class="bar"><p class="muted">${said.lead}</p><div class="bar-end"><${Button} icon="add" onClick=${() => setMaking(true)}>${said.make}</${Button}></div></div><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${asked.value.length === 0 ? html`<${Empty} icon="objects" title=${said.empty}>${said.emptyText}</${Empty}>` : asked.value.map((account) => html`<${One} key=${account.id} account=${account} onDone=${asked.reload} />`)}
    ${making && html`<${MakeAccount} onClose=${() => setMaking(false)} onDone=${asked.reload} />`}`
}
