import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { CheckField, TextArea, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { readJson } from './json_text'

/** Gives an index another name, for all of it or for the documents of a query. */
export function AliasDialog ({ index, onClose, onDone }: { index: string, onClose: () => void, onDone: () => void }) {
  const [alias, setAlias] = useState('')
  const [write, setWrite] = useState(false)
  const [query, setQuery] = useState('')
  const [doing, run] = useAction()
  const filter = readJson(query)
  const save = async (): Promise<void> => {
    await api('POST /_aliases', { body: { actions: [{ add: { index, alias: alias.trim(), ...(write ? { is_write_index: true } : {}), ...(filter.value ? { filter: filter.value } : {}) } }] } })
    toast(text.done.aliasAdded(alias.trim(), index))
  }
  const submit = (): void => { if (alias.trim() && !filter.error) void run(save).then((done) => { if (done) { onDone(); onClose() } }) }
  return html`<${Dialog} size="small" title=${text.aliasing.title(index)} onClose=${onClose} onSubmit=${submit}
    footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${filter.error !== undefined}>${text.aliasing.verb}</${Button}>`}>
    <${TextField} label=${text.aliasing.name} hint=${text.aliasing.nameHint} value=${alias} onInput=${setAlias} required mono autofocus />
    <${TextArea} label=${text.aliasing.filter} value=${query} onInput=${setQuery} rows=${2} mono placeholder='{"term": {"genre": "novel"}}' error=${filter.error} />
    <${CheckField} label=${text.aliasing.write} value=${write} onInput=${setWrite} /><${Failure} problem=${doing.problem} /></${Dialog}>`
}
