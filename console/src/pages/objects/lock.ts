import { html, useState } from '@/ui'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading, Section } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, SelectField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { text } from '@strings/objects'
import type { Key } from './keys'
import { configuration, put } from './storage'
import { element, textOf } from './xml'

const pad = (value: number): string => String(value).padStart(2, '0')
/** As an input of the kind datetime-local has it. */
const local = (iso: string | null): string => {
  if (!iso) return ''
  const at = new Date(iso)
  return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}T${pad(at.getHours())}:${pad(at.getMinutes())}`
}

export const modes = Object.entries(text.lock.modes).map(([value, label]) => ({ value, label }))

/** Retention and legal hold of one object. */
export function Lock ({ bucket, objectKey, versionId, headers, onChanged }: { bucket: string, objectKey: Key, versionId: string | undefined, headers: Headers, onChanged: () => void }) {
  const asked = useAsked(async (signal) => textOf(await configuration(bucket, 'object-lock', { signal }), 'ObjectLockEnabled') === 'Enabled', [bucket])
  const [mode, setMode] = useState(headers.get('x-amz-object-lock-mode') ?? '')
  const [until, setUntil] = useState(local(headers.get('x-amz-object-lock-retain-until-date')))
  const [bypass, setBypass] = useState(false)
  const [doing, run] = useAction()
  const held = headers.get('x-amz-object-lock-legal-hold') === 'ON'
  if (asked.value === undefined) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  if (!asked.value) return html`<${Empty} icon="lock" title=${text.lock.off} command=${text.lock.command}>${text.lock.offText}</${Empty}>`
  const at = (name: string) => ({ bucket, key: objectKey, query: { [name]: '', versionId } })
  const save = async (): Promise<void> => {
    const inside = mode === '' ? [] : [element('Mode', mode), element('RetainUntilDate', new Date(until).toISOString())]
    await put(at('retention'), element('Retention', inside), { headers: bypass ? { 'x-amz-bypass-governance-retention': 'true' } : {} })
    toast(text.lock.saved)
    onChanged()
  }
  const hold = async (on: boolean): Promise<void> => {
    await put(at('legal-hold'), element('LegalHold', [element('Status', on ? 'ON' : 'OFF')]))
    toast(on ? text.lock.holdOn : text.lock.holdOff)
    onChanged()
  }
  return html`<${Failure} problem=${doing.problem} />
    <${Section} title=${text.lock.retention}><form class="form narrow" onSubmit=${(event: Event) => { event.preventDefault(); void run(save) }}><${SelectField} label=${text.lock.mode} value=${mode} onInput=${setMode} choices=${modes} />
      ${mode !== '' && html`<${TextField} label=${text.lock.until} type="datetime-local" value=${until} onInput=${setUntil} required />`}
      <${CheckField} label=${text.lock.bypass} value=${bypass} onInput=${setBypass} /><div><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${mode !== '' && until === ''}>${text.lock.save}</${Button}></div></form></${Section}>
    <${Section} title=${text.lock.hold}><${CheckField} label=${text.lock.hold} hint=${text.lock.holdHint} value=${held} disabled=${doing.busy} onInput=${(on: boolean) => void run(() => hold(on))} /></${Section}>`
}
