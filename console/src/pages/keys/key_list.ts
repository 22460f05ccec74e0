import { html, useState } from '@/ui'
import type { ApiKey } from '@/api/generated'
import { api } from '@/api/request'
import { session } from '@/api/session'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading, State, Tag, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { href, setQuery } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/keys'
import { DisableKey, EnableKey } from './disable'
import { EndKeys } from './end'
import { KeyForm } from './form'
import { identityOf, lives, rightsText, stateOf } from './rights'
import { RotateKey } from './rotate'
import { ShowSecret, type Secret } from './secret'

const tones = { active: 'good', disabled: 'warning', ended: 'off', expired: 'warning' } as const
const iso = (at: number | undefined): string | null => at ? new Date(at).toISOString() : null
const columns: readonly Column<ApiKey>[] = [
  { id: 'name', title: text.list.name, value: (row) => row.name },
  { id: 'state', title: text.list.state, value: (row) => text.list[stateOf(row)], cell: (row) => html`<${State} tone=${tones[stateOf(row)]}>${text.list[stateOf(row)]}</${State}>` },
  { id: 'owner', title: text.list.owner, value: (row) => row.username },
  { id: 'rights', title: text.list.rights, value: rightsText, wide: true, cell: (row) => html`<span title=${rightsText(row)}>${rightsText(row)}</span>` },
  { id: 'identity', title: text.list.identity, value: identityOf, extra: true, cell: (row) => identityOf(row) === 'key:' + row.id ? html`<span class="muted">${text.list.itself}</span>` : html`<code>${identityOf(row)}</code>` },
  { id: 'used', title: text.list.used, value: (row) => iso(row.last_used?.at), cell: (row) => row.last_used ? html`<span title=${row.last_used.address && text.one.lastFrom(row.last_used.address)}><${When} at=${row.last_used.at} /></span>` : html`<span class="muted">${text.list.never}</span>` },
  { id: 'created', title: text.list.created, extra: true, value: (row) => iso(row.creation), cell: (row) => html`<${When} at=${row.creation} />` },
  { id: 'expires', title: text.list.expires, value: (row) => iso(row.expiration), cell: (row) => row.expiration ? html`<${When} at=${row.expiration} />` : html`<span class="muted">${text.list.never}</span>` },
  { id: 'access', title: text.list.access, value: (row) => row.access_key_id, extra: true, cell: (row) => row.access_key_id ? html`<${Tag} title=${row.access_key_id}>${common.yes}</${Tag}>` : html`<span class="muted">–</span>` }
]

export function KeyList ({ creating }: { creating: boolean }) {
  const [all, setAll] = useState(false)
  const asked = useAsked(async (signal) => (await api('GET /_security/api_key', { signal, query: { active_only: !all } })).api_keys, [all])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [ending, setEnding] = useState<readonly ApiKey[] | undefined>(undefined)
  const [rotating, setRotating] = useState<ApiKey | undefined>(undefined)
  const [switching, setSwitching] = useState<ApiKey | undefined>(undefined)
  const [changing, setChanging] = useState<ApiKey | undefined>(undefined)
  const [secret, setSecret] = useState<Secret | undefined>(undefined)
  const close = (): void => setQuery({ new: null })
  const made = (value: Secret): void => { close(); setRotating(undefined); setSecret(value); asked.reload() }
  const actions = (row: ApiKey) => html`<${Menu} label=${`${common.more}: ${row.name}`} items=${[
    stateOf(row) === 'active' && { title: text.actions.rotate, icon: 'refresh', onSelect: () => setRotating(row) },
    lives(row) && { title: text.actions.change, icon: 'edit', onSelect: () => setChanging(row) },
    stateOf(row) === 'active' && row.id !== session.value?.key.id && { title: text.actions.disable, icon: 'pause', onSelect: () => setSwitching(row) },
    stateOf(row) === 'disabled' && { title: text.actions.enable, icon: 'play', onSelect: () => setSwitching(row) },
    { title: text.actions.limits, icon: 'limits', href: href('limits', [identityOf(row)]) },
    { title: text.actions.audit, icon: 'audit', href: href('audit', [], { identity: row.id }) },
    lives(row) && { title: text.actions.end, icon: 'remove', danger: true, onSelect: () => setEnding([row]) }
  ]} />`
  const chosen = (asked.value ?? []).filter((row) => selected.has(row.id) && lives(row))
  const tools = html`${chosen.length > 0 && html`<${Button} small kind="danger" icon="remove" onClick=${() => setEnding(chosen)}>${text.end.some(chosen.length)}</${Button}>`}<${CheckField} label=${text.list.all} value=${all} onInput=${setAll} />`
  return html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${!asked.value ? !asked.problem && html`<${Loading} />` : html`<${Table} caption=${text.list.caption} columns=${columns} rows=${asked.value} rowKey=${(row: ApiKey) => row.id} rowHref=${(row: ApiKey) => href('keys', [row.id])} actions=${actions} selected=${selected} onSelect=${setSelected} tools=${tools} busy=${asked.busy} sort="name"
      empty=${html`<${Empty} icon="keys" title=${text.list.empty} command=${text.list.command}>${text.list.emptyText}</${Empty}>`} />`}
    ${creating && html`<${KeyForm} onClose=${close} onMade=${made} />`}
    ${changing && html`<${KeyForm} changes=${changing} onClose=${() => setChanging(undefined)} onMade=${() => { setChanging(undefined); asked.reload() }} />`}
    ${rotating && html`<${RotateKey} apiKey=${rotating} onClose=${() => setRotating(undefined)} onMade=${made} />`}
    ${secret && html`<${ShowSecret} secret=${secret} onClose=${() => setSecret(undefined)} />`}
    ${switching && html`<${switching.enabled === false ? EnableKey : DisableKey} apiKey=${switching} onClose=${() => setSwitching(undefined)} onDone=${asked.reload} />`}
    ${ending && html`<${EndKeys} list=${ending} onClose=${() => setEnding(undefined)} onDone=${() => { toast(ending.length === 1 ? text.end.done(ending[0]!.name) : text.end.doneMany(ending.length)); setSelected(new Set()); asked.reload() }} />`}`
}
