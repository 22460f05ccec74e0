import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { NumberField, RadioField, TextArea, TextField } from '@/components/field'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { readJson } from './json_text'
import { follow } from './work'

/** Copies the documents of an index into another, as a task whose progress the page shows. */
export function CopyDialog ({ index, names, onClose, onDone }: { index: string, names: readonly string[], onClose: () => void, onDone: () => void }) {
  const [to, setTo] = useState('')
  const [kind, setKind] = useState('index')
  const [query, setQuery] = useState('')
  const [rate, setRate] = useState<number | null>(null)
  const [doing, run] = useAction()
  const given = readJson(query)
  const start = async (): Promise<void> => {
    const answer = await api('POST /_reindex', {
      query: { wait_for_completion: false, refresh: true, ...(rate ? { requests_per_second: rate } : {}) },
      body: { conflicts: 'proceed', source: { index, ...(given.value ? { query: given.value } : {}) }, dest: { index: to.trim(), op_type: kind } }
    })
    follow((answer as { task: string }).task, `${index} → ${to.trim()}`, onDone)
  }
  const submit = (): void => { if (to.trim() && !given.error) void run(start).then((done) => { if (done) onClose() }) }
  return html`<${Dialog} size="small" title=${text.copying.title(index)} onClose=${onClose} onSubmit=${submit}
    footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${given.error !== undefined}>${text.copying.verb}</${Button}>`}>
    <${TextField} label=${text.copying.to} hint=${text.copying.toHint} value=${to} onInput=${setTo} required mono autofocus suggestions=${names.filter((name) => name !== index)} />
    <${RadioField} label=${text.copying.exists} value=${kind} onInput=${setKind} choices=${[{ value: 'index', label: text.copying.over }, { value: 'create', label: text.copying.keep }]} />
    <${TextArea} label=${text.copying.query} value=${query} onInput=${setQuery} rows=${2} mono placeholder='{"range": {"year": {"gte": 2000}}}' error=${given.error} />
    <${NumberField} label=${text.copying.rate} value=${rate} onInput=${setRate} min=${1} step="any" unit=${text.copying.rateUnit} /><${Failure} problem=${doing.problem} /></${Dialog}>`
}
