import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { asProblem } from '@/api/problem'
import { session } from '@/api/session'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Facts, Loading, PageHead, Section, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { toast } from '@/components/notice'
import { go, href } from '@/shell/router'
import { count } from '@/text/numbers'
import { text } from '@strings/keys'
import { DisableKey, EnableKey } from './disable'
import { EndKeys } from './end'
import { KeyForm } from './form'
import { KeyUse } from './key_use'
import { identityOf, lives, rightsText, stateOf } from './rights'
import { RotateKey } from './rotate'
import { ShowSecret, type Secret } from './secret'
import { sessions } from './session_list'

const tones = { active: 'good', disabled: 'warning', ended: 'off', expired: 'warning' } as const

/** One key: what it may, when it did something last, what hangs on it. */
export function KeyPlace ({ id }: { id: string }) {
  const asked = useAsked(async (signal) => (await api('GET /_security/api_key', { signal, query: { id } })).api_keys[0], [id])
  // The log of who may read it; nothing where one may not.
  const last = useAsked(async (signal) => (await api('GET /_cairn/audit', { signal, query: { identity: id, size: 1 } }).catch((error: unknown) => { if (asProblem(error).kind === 'forbidden') return undefined; throw error }))?.events[0] ?? null, [id])
  const open = useAsked(async (signal) => (await sessions(signal).catch(() => [])).filter(({ key }) => key.id === id).length, [id])
  const [doing, setDoing] = useState<'rotate' | 'change' | 'switch' | 'end' | undefined>(undefined)
  const [secret, setSecret] = useState<Secret | undefined>(undefined)
  const key = asked.value
  const close = (): void => setDoing(undefined)
  const active = key && stateOf(key) === 'active'
  return html`<${PageHead} title=${key?.name ?? id} trail=${[{ title: text.title, href: href('keys') }]} actions=${key && lives(key) && html`${active && html`<${Button} icon="refresh" onClick=${() => setDoing('rotate')}>${text.actions.rotate}</${Button}>`}${key.id !== session.value?.key.id && html`<${Button} icon=${active ? 'pause' : 'play'} onClick=${() => setDoing('switch')}>${active ? text.actions.disable : text.actions.enable}</${Button}>`}<${Button} icon="edit" onClick=${() => setDoing('change')}>${text.actions.change}</${Button}><${Button} kind="danger" icon="remove" onClick=${() => setDoing('end')}>${text.actions.end}</${Button}>`} />
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${!key ? !asked.problem && html`<${Loading} />` : html`<${Facts} rows=${[
        [text.list.state, html`<${State} tone=${tones[stateOf(key)]}>${text.list[stateOf(key)]}</${State}>`], [text.list.id, html`<code>${key.id}</code>`], [text.one.maker, key.username], [text.list.rights, rightsText(key)],
        [text.list.identity, html`<a href=${href('limits', [identityOf(key)])}>${identityOf(key)}</a>`], [text.list.created, html`<${When} exact at=${key.creation} />`], [text.list.expires, key.expiration ? html`<${When} exact at=${key.expiration} />` : text.list.never],
        key.access_key_id && [text.list.access, html`<code>${key.access_key_id}</code>`],
        [text.list.used, key.last_used ? html`<${When} at=${key.last_used.at} /> ${key.last_used.address && html`<span class="muted">${text.one.lastFrom(key.last_used.address)}</span>`}` : html`<span class="muted">${text.one.unused}</span>`],
        last.value !== undefined && [text.one.last, last.value ? html`<${When} at=${last.value['@timestamp']} /> <a href=${href('audit', [], { identity: id })}>${last.value['action']}</a> <span class="muted">${text.one.lastFrom(String(last.value['origin.address']))}</span>` : html`<span class="muted">${text.one.lastNone}</span>`],
        [text.one.open, count(open.value)]
      ]} />
      <${KeyUse} apiKey=${key} />
      <${Section} title=${text.one.roles}><${Json} value=${key.role_descriptors} label=${text.one.roles} /></${Section}>
      ${Object.keys(key.metadata ?? {}).length > 0 && html`<${Section} title=${text.one.metadata}><${Json} value=${key.metadata} label=${text.one.metadata} /></${Section}>`}
      ${doing === 'rotate' && html`<${RotateKey} apiKey=${key} onClose=${close} onMade=${(made: Secret) => { close(); setSecret(made) }} />`}
      ${doing === 'change' && html`<${KeyForm} changes=${key} onClose=${close} onMade=${() => { close(); asked.reload() }} />`}
      ${doing === 'switch' && html`<${active ? DisableKey : EnableKey} apiKey=${key} onClose=${close} onDone=${asked.reload} />`}
      ${doing === 'end' && html`<${EndKeys} list=${[key]} onClose=${close} onDone=${() => { toast(text.end.done(key.name)); go('keys') }} />`}`}
    ${secret && html`<${ShowSecret} secret=${secret} onClose=${() => setSecret(undefined)} />`}`
}
