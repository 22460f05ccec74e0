import { html, useState } from '@/ui'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { CheckField, SelectField, TextField } from '@/components/field'
import { Notice, toast } from '@/components/notice'
import { text as common } from '@strings/common'
import { text } from '@strings/objects'
import { keyOf, nameOf, shown, type Key } from './keys'
import { ask, buckets, copy } from './storage'

const oneRequestUpTo = 5 * 2 ** 30

export function CopyDialog ({ bucket, objectKey, size, onClose, onDone }: { bucket: string, objectKey: Key, size: number, onClose: () => void, onDone: () => void }) {
  const known = useAsked(buckets, [])
  const [to, setTo] = useState(bucket)
  const [name, setName] = useState(nameOf(objectKey))
  const [renames, setRenames] = useState(false)
  const [doing, run] = useAction()
  const same = to === bucket && keyOf(name) === objectKey
  const save = async (): Promise<void> => {
    await copy({ from: { bucket, key: objectKey }, to: { bucket: to, key: keyOf(name) } })
    if (renames) await ask('DELETE', { bucket, key: objectKey })
  }
  const submit = (): void => { if (!same && name !== '') void run(save).then((done) => { if (done) { toast(renames ? text.copy.renamed : text.copy.done); onClose(); onDone() } }) }
  const large = size > oneRequestUpTo
  return html`<${Dialog} title=${text.copy.title(shown(objectKey))} onClose=${onClose} onSubmit=${large ? undefined : submit}
    footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" disabled=${large || same || name === ''} busy=${doing.busy}>${renames ? text.copy.rename : text.copy.copy}</${Button}>`}>
    <${Failure} problem=${doing.problem} />${large && html`<${Notice} kind="warning">${text.copy.large}</${Notice}>`}
    <${SelectField} label=${text.copy.bucket} value=${to} onInput=${setTo} choices=${(known.value ?? [{ name: bucket }]).map((one) => one.name)} />
    <${TextField} label=${text.copy.key} value=${name} onInput=${setName} hint=${same ? text.copy.same : undefined} mono required />
    <${CheckField} label=${text.copy.rename} hint=${text.copy.renameHint} value=${renames} onInput=${setRenames} /></${Dialog}>`
}
