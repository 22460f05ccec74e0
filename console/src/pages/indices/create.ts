// Makes an index; the server checks the mapping first, if asked to.
import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { SelectField, TextArea, TextField } from '@/components/field'
import { Notice, toast } from '@/components/notice'
import { go } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { fieldsOf } from './fields'
import { readJson } from './json_text'

const types = ['text', 'keyword', 'semantic_text', 'date', 'long', 'double', 'boolean', 'dense_vector', 'sparse_vector', 'object', 'nested', 'ip', 'geo_point']
const first = JSON.stringify({ properties: { title: { type: 'text', copy_to: 'meaning' }, meaning: { type: 'semantic_text' } } }, null, 2)

export function CreateDialog ({ onClose, onDone }: { onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState('')
  const [mapping, setMapping] = useState(first)
  const [settings, setSettings] = useState('')
  const [field, setField] = useState('')
  const [type, setType] = useState('text')
  const [fine, setFine] = useState<number | null>(null)
  const [doing, run] = useAction()
  const [checking, check] = useAction()
  const mappings = readJson(mapping, {})
  const given = readJson(settings, {})
  const wrong = mappings.error !== undefined || given.error !== undefined
  const change = (set: (value: string) => void) => (value: string): void => { set(value); setFine(null); checking.clear() }
  const put = (): void => {
    const wanted = field.trim()
    if (wanted === '' || mappings.error) return
    const properties = { ...mappings.value.properties, [wanted]: { type } }
    change(setMapping)(JSON.stringify({ ...mappings.value, properties }, null, 2))
    setField('')
  }
  // A template of this mapping is read as an index of it would be, and nothing is kept.
  const look = async (): Promise<void> => {
    const answer = await api('POST /_index_template/_simulate', { body: { index_patterns: [name.trim() || 'new-index'], priority: 1_000_000, template: { mappings: mappings.value, settings: given.value } } as never })
    setFine(fieldsOf((answer as any).template?.mappings).length)
  }
  const create = async (): Promise<void> => {
    await api('PUT /{index}', { path: { index: name.trim() }, body: { mappings: mappings.value, ...(settings.trim() ? { settings: given.value } : {}) } })
    toast(text.done.created(name.trim()))
  }
  const submit = (): void => { if (name.trim() && !wrong) void run(create).then((done) => { if (done) { onDone(); onClose(); go('indices', [name.trim()]) } }) }
  return html`<${Dialog} title=${text.making.title} onClose=${onClose} onSubmit=${submit}
    footer=${html`<span class="foot-start"><${Button} busy=${checking.busy} disabled=${wrong} onClick=${() => void check(look)}>${text.making.check}</${Button}></span><${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${wrong}>${text.making.verb}</${Button}>`}>
    <${TextField} label=${text.making.name} hint=${text.making.nameHint} value=${name} onInput=${setName} required mono autofocus />
    <${TextArea} label=${text.making.mapping} hint=${text.making.mappingHint} value=${mapping} onInput=${change(setMapping)} rows=${10} mono error=${mappings.error} />
    <div class="inline-form"><${TextField} label=${text.making.field} value=${field} onInput=${setField} mono onEnter=${put} />
      <${SelectField} label=${text.making.type} value=${type} onInput=${setType} choices=${types} /><${Button} icon="add" onClick=${put}>${text.making.add}</${Button}></div>
    <${TextArea} label=${text.making.settings} value=${settings} onInput=${change(setSettings)} rows=${2} mono error=${given.error} placeholder='{"index": {"refresh_interval": "5s"}}' />
    <p class="muted small">${text.making.check}: ${text.making.checkHint}</p>
    <div aria-live="polite">${fine !== null && html`<${Notice} kind="good">${text.making.fine(fine)}</${Notice}>`}</div>
    <${Failure} problem=${checking.problem} /><${Failure} problem=${doing.problem} /></${Dialog}>`
}
