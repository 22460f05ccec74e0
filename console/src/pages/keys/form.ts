import { html, useState } from '@/ui'
import type { ApiKey } from '@/api/generated'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { CheckField, RadioField, SelectField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { text as common } from '@strings/common'
import { text } from '@strings/keys'
import { Chooser } from './chooser'
import { grantsOf, isAdmin, namesOf, presets, roleOf, type Grant, type Preset } from './rights'
import type { Secret } from './secret'

const said = text.form
const policyOf: Record<string, object | undefined> = {
  none: undefined,
  read: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: ['s3:Get*', 's3:List*'], Resource: '*' }] },
  all: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] }
}
const choicesOf = (of: Record<string, string>) => Object.entries(of).map(([value, label]) => ({ value, label }))

function identityBody (kind: string, name: string): object | undefined {
  if (kind === '') return undefined
  return { kind, ...(kind === 'user' ? { user: name } : { id: kind === 'installation' && /^\d+$/.test(name) ? Number(name) : name }) }
}

function Grants ({ grants, choices, onInput }: { grants: readonly Grant[], choices: readonly string[], onInput: (grants: Grant[]) => void }) {
  const set = (at: number, change: Partial<Grant>): void => onInput(grants.map((one, n) => n === at ? { ...one, ...change } : one))
  return html`<fieldset class="stack-small"><legend>${said.grants}</legend>
    ${grants.map((grant, n) => html`<div class="grant" key=${n}><${TextField} label=${said.indices} value=${grant.names.join(', ')} hint=${n === 0 ? said.indicesHint : undefined} onInput=${(value: string) => set(n, { names: value.split(',').map((one) => one.trim()) })} mono />
      <${Chooser} label=${said.privileges} value=${grant.privileges} choices=${choices} onInput=${(privileges: string[]) => set(n, { privileges })} /><${Button} kind="quiet" small icon="remove" label=${`${said.removeGrant} ${grant.names.join(', ')}`} onClick=${() => onInput(grants.filter((_, other) => other !== n))} /></div>`)}
    <div><${Button} small icon="add" onClick=${() => onInput([...grants, { names: [], privileges: ['read'] }])}>${said.addGrant}</${Button}></div></fieldset>`
}

/** Makes a key, or changes the rights and the end of one. */
export function KeyForm ({ changes, onClose, onMade }: { changes?: ApiKey, onClose: () => void, onMade: (made: Secret) => void }) {
  const roles = Object.values(changes?.role_descriptors ?? {})
  const known = useAsked((signal) => api('GET /_security/privilege/_builtin', { signal, quiet: true }), [])
  const [name, setName] = useState('')
  const [expires, setExpires] = useState(changes ? 'keep' : '90d')
  const [preset, setPreset] = useState<Preset>(!changes ? 'search' : isAdmin(changes) ? 'admin' : 'own')
  const [indices, setIndices] = useState('')
  const [cluster, setCluster] = useState<string[]>(roles.flatMap((role) => role.cluster ?? []))
  const [grants, setGrants] = useState<Grant[]>(roles.flatMap(grantsOf))
  const [kind, setKind] = useState('')
  const [identity, setIdentity] = useState('')
  const [both, setBoth] = useState(false)
  const [policy, setPolicy] = useState('none')
  const [doing, run] = useAction()

  const own = grants.map((one) => ({ names: one.names.filter(Boolean), privileges: one.privileges }))
  const role = roleOf(preset, namesOf(indices), cluster, own)
  const expiration = expires === 'keep' || expires === '' ? undefined : expires
  const objects = both ? { user: identity || name, kind: kind === 'service' ? 'service' : 'user', policy: policyOf[policy] } : undefined
  const counted = both ? undefined : identityBody(kind, identity || name)
  const body = changes ? { role_descriptors: { console: role }, expiration } : { name, expiration, role_descriptors: { console: role }, ...(counted ? { metadata: { _cairn: { identity: counted } } } : {}), ...(objects ? { objects } : {}) }
  const lacksIndices = (preset === 'search' || preset === 'write') && namesOf(indices).length === 0
  const ready = (changes !== undefined || name.trim() !== '') && !lacksIndices
  const submit = (): void => {
    if (!ready) return
    void run(async () => {
      if (changes) {
        await api('PUT /_security/api_key/{id}', { path: { id: changes.id }, body: body as never })
        toast(said.changed(changes.name))
        onMade({ name: changes.name })
      } else {
        onMade(await api('POST /_security/api_key', { body: body as never }) as Secret)
      }
    })
  }
  const expiry = changes ? { keep: said.keepExpiry, ...Object.fromEntries(Object.entries(said.expiry).filter(([value]) => value !== '')) } : said.expiry
  return html`<${Dialog} title=${changes ? said.changeTitle(changes.name) : said.title} onClose=${onClose} onSubmit=${submit}
      footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" disabled=${!ready} busy=${doing.busy}>${changes ? said.save : said.make}</${Button}>`}>
    <${Failure} problem=${doing.problem} />
    <div class="form-row">${!changes && html`<${TextField} label=${said.name} hint=${said.nameHint} value=${name} onInput=${setName} required autofocus />`}<${SelectField} label=${said.expires} value=${expires} onInput=${setExpires} choices=${choicesOf(expiry)} /></div>
    <${RadioField} label=${said.preset} value=${preset} onInput=${setPreset} choices=${presets.map((value) => ({ value, ...said.presets[value] }))} />
    ${(preset === 'search' || preset === 'write') && html`<${TextField} label=${said.indices} hint=${said.indicesHint} value=${indices} onInput=${setIndices} mono required />`}
    ${preset === 'own' && html`<${Chooser} label=${said.cluster} value=${cluster} choices=${known.value?.cluster ?? []} onInput=${setCluster} /><${Grants} grants=${grants} choices=${known.value?.index ?? []} onInput=${setGrants} />`}
    ${!changes && html`<div class="form-row"><${SelectField} label=${said.identity} hint=${said.identityHint} value=${kind} onInput=${setKind} choices=${choicesOf(said.kinds)} />${(kind !== '' || both) && html`<${TextField} label=${said.identityName} value=${identity} placeholder=${name} onInput=${setIdentity} mono />`}</div>
      <${CheckField} label=${said.both} hint=${said.bothHint} value=${both} onInput=${setBoth} />${both && html`<${SelectField} label=${said.policy} value=${policy} onInput=${setPolicy} choices=${choicesOf(said.policies)} />`}`}
    <details><summary>${said.json}</summary><${Json} value=${body} label=${said.json} /></details></${Dialog}>`
}
