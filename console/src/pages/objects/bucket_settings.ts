import { html, useState } from '@/ui'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Facts, Loading, Section, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, NumberField, SelectField } from '@/components/field'
import { toast } from '@/components/notice'
import { text } from '@strings/objects'
import { modes } from './lock'
import { configuration, put } from './storage'
import { TagEditor } from './tags'
import { child, element, textOf, type Element } from './xml'

function Versioning ({ bucket, status, locked, onDone }: { bucket: string, status: string, locked: boolean, onDone: () => void }) {
  const [asking, setAsking] = useState(false)
  const [doing, run] = useAction()
  const set = (to: string) => put({ bucket, query: { versioning: '' } }, element('VersioningConfiguration', [element('Status', to)]))
  const done = (): void => { toast(text.settings.saved); onDone() }
  const said = text.settings.versions
  return html`<${Section} title=${text.settings.versioning}><${Failure} problem=${doing.problem} /><p><${State} tone=${status === 'Enabled' ? 'good' : 'off'}>${status === 'Enabled' ? said.Enabled : status === 'Suspended' ? said.Suspended : said.off}</${State}></p>
    <div>${status === 'Enabled' ? !locked && html`<${Button} onClick=${() => setAsking(true)}>${text.settings.suspend}</${Button}>` : html`<${Button} busy=${doing.busy} onClick=${() => void run(() => set('Enabled')).then((ok) => { if (ok) done() })}>${text.settings.on}</${Button}>`}</div>
    ${asking && html`<${Confirm} title=${text.settings.suspend} verb=${text.settings.suspend} action=${() => set('Suspended')} onClose=${() => setAsking(false)} onDone=${done}>${text.settings.suspendText}</${Confirm}>`}</${Section}>`
}

function DefaultLock ({ bucket, value, onDone }: { bucket: string, value: Element, onDone: () => void }) {
  const rule = child(child(value, 'Rule'), 'DefaultRetention')
  const [mode, setMode] = useState(textOf(rule, 'Mode'))
  const [days, setDays] = useState<number | null>(Number(textOf(rule, 'Days')) || (Number(textOf(rule, 'Years')) * 365 || null))
  const [doing, run] = useAction()
  const save = async (): Promise<void> => {
    const kept = mode !== '' && element('Rule', [element('DefaultRetention', [element('Mode', mode), element('Days', String(days))])])
    await put({ bucket, query: { 'object-lock': '' } }, element('ObjectLockConfiguration', [element('ObjectLockEnabled', 'Enabled'), kept]))
  }
  return html`<${Section} title=${text.settings.lock}><form class="form narrow" onSubmit=${(event: Event) => { event.preventDefault(); void run(save).then((done) => { if (done) { toast(text.lock.defaultSaved); onDone() } }) }}><${Failure} problem=${doing.problem} />
    <${SelectField} label=${text.lock.default} value=${mode} onInput=${setMode} choices=${modes} />${mode !== '' && html`<${NumberField} label=${text.lock.until} unit=${text.lock.days} value=${days} onInput=${setDays} min=${1} required />`}
    <div><${Button} type="submit" busy=${doing.busy} disabled=${mode !== '' && !days}>${text.lock.save}</${Button}></div></form></${Section}>`
}

/** The block of public access: four switches, saved together. */
function PublicAccess ({ bucket, value, onDone }: { bucket: string, value: Element | undefined, onDone: () => void }) {
  const names = Object.keys(text.settings.publicRows)
  const [set, setSet] = useState<Record<string, boolean>>(Object.fromEntries(names.map((name) => [name, textOf(value, name) === 'true'])))
  const [asking, setAsking] = useState(false)
  const [doing, run] = useAction()
  const save = () => put({ bucket, query: { publicAccessBlock: '' } }, element('PublicAccessBlockConfiguration', names.map((name) => element(name, String(set[name])))))
  const done = (): void => { toast(text.settings.saved); onDone() }
  const opens = names.some((name) => textOf(value, name) === 'true' && !set[name])
  const submit = (): void => { if (opens) setAsking(true); else void run(save).then((ok) => { if (ok) done() }) }
  return html`<${Section} title=${text.settings.publicAccess}><form class="stack-small" onSubmit=${(event: Event) => { event.preventDefault(); submit() }}><${Failure} problem=${doing.problem} />
    ${names.map((name) => html`<${CheckField} key=${name} label=${text.settings.publicRows[name]} value=${set[name]} onInput=${(on: boolean) => setSet({ ...set, [name]: on })} />`)}
    <div><${Button} type="submit" busy=${doing.busy}>${text.settings.publicSave}</${Button}></div></form>
    ${asking && html`<${Confirm} title=${text.settings.publicConfirm} verb=${text.settings.publicSave} typed=${bucket} action=${save} onClose=${() => setAsking(false)} onDone=${done}>${text.settings.publicConfirmText}</${Confirm}>`}</${Section}>`
}

export function BucketSettings ({ bucket }: { bucket: string }) {
  const asked = useAsked(async (signal) => {
    const [versioning, lock, encryption, access] = await Promise.all(['versioning', 'object-lock', 'encryption', 'publicAccessBlock'].map((name) => configuration(bucket, name, { signal })))
    return { versioning, lock, encryption, access }
  }, [bucket])
  const value = asked.value
  if (!value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const rule = child(child(value.encryption, 'Rule'), 'ApplyServerSideEncryptionByDefault')
  return html`<${Versioning} bucket=${bucket} status=${textOf(value.versioning, 'Status')} locked=${value.lock !== undefined} onDone=${asked.reload} />
    <${Section} title=${text.settings.tags}><${TagEditor} place=${{ bucket }} most=${50} /></${Section}>
    ${value.lock ? html`<${DefaultLock} bucket=${bucket} value=${value.lock} onDone=${asked.reload} />` : html`<${Section} title=${text.settings.lock}><p class="muted">${text.lock.off}.</p></${Section}>`}
    <${PublicAccess} bucket=${bucket} value=${value.access} onDone=${asked.reload} />
    <${Facts} rows=${[[text.settings.encryption, rule ? `${textOf(rule, 'SSEAlgorithm')} ${textOf(rule, 'KMSMasterKeyID')}` : text.settings.noEncryption]]} />`
}
