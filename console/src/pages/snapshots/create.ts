import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { CheckField, NumberField, RadioField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { text as common } from '@strings/common'
import { text } from '@strings/snapshots'

const words = text.create

export function CreateRepository ({ onClose, onDone }: { onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState('')
  const [type, setType] = useState('s3')
  const [values, setValues] = useState<Record<string, string>>({ client: '_own' })
  const [readonly, setReadonly] = useState(false)
  const [verify, setVerify] = useState(true)
  const [most, setMost] = useState<number | null>(null)
  const [tried, setTried] = useState(false)
  const [making, run] = useAction()
  const needed = type === 'fs' ? 'location' : 'bucket'
  const set = (field: string) => (value: string): void => setValues({ ...values, [field]: value })
  const fields = type === 'fs' ? ['location'] : ['bucket', 'base_path', 'client', 'endpoint', 'region']
  const make = (): void => {
    setTried(true)
    if (!name || !values[needed]) return
    const settings: Record<string, unknown> = Object.fromEntries([...fields, 'max_snapshot_bytes_per_sec', 'max_restore_bytes_per_sec'].filter((field) => values[field]).map((field) => [field, values[field]]))
    if (readonly) settings['readonly'] = true
    if (most) settings['max_number_of_snapshots'] = most
    void run(() => api('PUT /_snapshot/{repository}', { path: { repository: name }, query: verify ? {} : { verify: false }, body: { type, settings } })).then((done) => { if (done) { toast(words.done(name)); onClose(); onDone() } })
  }
  const field = (id: string, label: string, hint?: string) => html`<${TextField} key=${id} mono label=${label} hint=${hint} value=${values[id] ?? ''} onInput=${set(id)} required=${id === needed} error=${tried && id === needed && !values[id] ? words.required : undefined} />`
  return html`<${Dialog} title=${words.title} onClose=${onClose} onSubmit=${make} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${making.busy}>${words.verb}</${Button}>`}>
    <${Failure} problem=${making.problem} /><${TextField} label=${words.name} value=${name} onInput=${(value: string) => setName(value.trim())} required mono error=${tried && !name ? words.required : undefined} />
    <${RadioField} label=${words.type} value=${type} onInput=${setType} choices=${[{ value: 's3', label: words.s3, hint: words.s3Hint }, { value: 'fs', label: words.fs, hint: words.fsHint }]} />
    ${type === 'fs' ? field('location', words.location, words.locationHint) : html`<div class="form-row">${field('bucket', words.bucket)}${field('base_path', words.base)}</div>${field('client', words.client, words.clientHint)}`}
    <details><summary>${words.more}</summary><div class="form snapshot-more">
      ${type === 's3' && html`<div class="form-row">${field('endpoint', words.endpoint, words.endpointHint)}${field('region', words.region)}</div>`}
      <div class="form-row">${field('max_snapshot_bytes_per_sec', words.slow, words.rateHint)}${field('max_restore_bytes_per_sec', words.slowRestore, words.rateHint)}</div>
      <${NumberField} label=${words.most} value=${most} onInput=${setMost} min=${1} step=${1} /><${CheckField} label=${words.readonly} hint=${words.readonlyHint} value=${readonly} onInput=${setReadonly} /><${CheckField} label=${words.verify} value=${verify} onInput=${setVerify} /></div></details></${Dialog}>`
}
