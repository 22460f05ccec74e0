// Keys that objects are encrypted with (SSE-KMS): made, named, disabled. Their bytes are never shown.
import { html, useState } from '@/ui'
import type { EncryptionKey } from '@/api/generated'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { CopyButton } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Loading, State, Tag, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text as common } from '@strings/common'
import { text } from '@strings/keys'
import { namesOf } from './rights'

const said = text.encryption
const nameOf = (key: EncryptionKey): string => key.aliases[0] ?? key.id

const columns: readonly Column<EncryptionKey>[] = [
  { id: 'id', title: said.id, value: (row) => row.id, cell: (row) => html`<code>${row.id}</code>` },
  { id: 'state', title: said.state, value: (row) => row.enabled ? said.on : said.off, cell: (row) => html`<${State} tone=${row.enabled ? 'good' : 'off'}>${row.enabled ? said.on : said.off}</${State}>` },
  { id: 'aliases', title: said.aliases, value: (row) => row.aliases.join(', '), cell: (row) => html`<span class="tags one-line">${row.aliases.map((one) => html`<${Tag} key=${one}>${one}</${Tag}>`)}${row.default && html`<${Tag}>${said.default}</${Tag}>`}</span>` },
  { id: 'description', title: said.description, value: (row) => row.description, wide: true },
  { id: 'account', title: said.account, value: (row) => row.account, extra: true, cell: (row) => html`<code>${row.account}</code>` },
  { id: 'arn', title: text.access.arn, value: (row) => row.arn, extra: true, cell: (row) => html`<${CopyButton} value=${row.arn} label=${said.copyArn(row.id)} />` },
  { id: 'created', title: text.access.created, value: (row) => row.creation ? new Date(row.creation).toISOString() : null, cell: (row) => html`<${When} at=${row.creation} />` }
]

function Make ({ onClose, onDone }: { onClose: () => void, onDone: () => void }) {
  const [description, setDescription] = useState('')
  const [aliases, setAliases] = useState('')
  const [account, setAccount] = useState('')
  const [doing, run] = useAction()
  const submit = (): void => { void run(() => api('POST /_security/encryption_key', { body: { description: description.trim() || undefined, aliases: namesOf(aliases).length > 0 ? namesOf(aliases) : undefined, account: account || undefined } })).then((done) => { if (done) { toast(said.made); onClose(); onDone() } }) }
  return html`<${Dialog} size="small" title=${said.makeTitle} onClose=${onClose} onSubmit=${submit} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${common.create}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><p class="muted">${said.makeText}</p><${TextField} label=${said.description} value=${description} onInput=${setDescription} autofocus />
    <${TextField} label=${said.aliases} hint=${said.aliasesHint} value=${aliases} onInput=${setAliases} mono /><${TextField} label=${said.account} hint=${text.access.accountHint} value=${account} onInput=${(value: string) => setAccount(value.trim())} mono /></${Dialog}>`
}

function Aliases ({ row, onClose, onDone }: { row: EncryptionKey, onClose: () => void, onDone: () => void }) {
  const [names, setNames] = useState(row.aliases.join(', '))
  const [doing, run] = useAction()
  const wanted = namesOf(names)
  const add = wanted.filter((one) => !row.aliases.includes(one))
  const take = row.aliases.filter((one) => !wanted.includes(one))
  const submit = (): void => { void run(() => api('PUT /_security/encryption_key/{key_id}', { path: { key_id: row.id }, body: { add_aliases: add.length > 0 ? add : undefined, remove_aliases: take.length > 0 ? take : undefined } })).then((done) => { if (done) { toast(said.aliasesSaved); onClose(); onDone() } }) }
  return html`<${Dialog} size="small" title=${said.aliasesTitle(row.id)} onClose=${onClose} onSubmit=${submit} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${add.length + take.length === 0}>${common.save}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><${TextField} label=${said.aliases} hint=${said.aliasesHint} value=${names} onInput=${setNames} mono autofocus /></${Dialog}>`
}

type Doing = { kind: 'make' } | { kind: 'aliases' | 'disable', row: EncryptionKey }

export function EncryptionKeys () {
  const asked = useAsked(async (signal) => (await api('GET /_security/encryption_key', { signal })).encryption_keys, [])
  const [open, setOpen] = useState<Doing | undefined>(undefined)
  const [doing, run] = useAction()
  const close = (): void => setOpen(undefined)
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const set = (row: EncryptionKey, enabled: boolean) => api('PUT /_security/encryption_key/{key_id}', { path: { key_id: row.id }, body: { enabled } })
  const actions = (row: EncryptionKey) => html`<${Menu} label=${`${common.more}: ${row.id}`} items=${[
    { title: said.changeAliases, icon: 'edit', onSelect: () => setOpen({ kind: 'aliases', row }) },
    row.enabled ? { title: said.disable, icon: 'pause', danger: true, onSelect: () => setOpen({ kind: 'disable', row }) }
      : { title: said.enable, icon: 'play', onSelect: () => void run(() => set(row, true)).then((done) => { if (done) { toast(said.enabled); asked.reload() } }) }
  ]} />`
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem ?? doing.problem} onRetry=${asked.reload} />
    <${Table} caption=${said.caption} columns=${columns} rows=${asked.value} rowKey=${(row: EncryptionKey) => row.id} actions=${actions} filterName="encryption" busy=${asked.busy} tools=${html`<${Button} icon="add" onClick=${() => setOpen({ kind: 'make' })}>${said.make}</${Button}>`} empty=${html`<${Empty} icon="lock" title=${said.empty}>${said.emptyText}</${Empty}>`} />
    ${open?.kind === 'make' && html`<${Make} onClose=${close} onDone=${asked.reload} />`}
    ${open?.kind === 'aliases' && html`<${Aliases} row=${open.row} onClose=${close} onDone=${asked.reload} />`}
    ${open?.kind === 'disable' && html`<${Confirm} title=${said.disableTitle(nameOf(open.row))} verb=${said.disable} typed=${nameOf(open.row)} action=${() => set(open.row, false)} onClose=${close} onDone=${() => { toast(said.disabled); asked.reload() }}><p>${said.disableText}</p></${Confirm}>`}`
}
