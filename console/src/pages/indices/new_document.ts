import { html, useState } from '@/ui'
import { recordCall } from '@/api/calls'
import { send } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { TextArea, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { go } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { readJson } from './json_text'

/** Writes JSON as it was typed: a browser would round long numbers. */
export async function writeDocument (method: string, url: string, source: string): Promise<{ _id: string }> {
  recordCall({ method, url, body: JSON.parse(source) })
  return await (await send(method, url, source, { headers: { 'Content-Type': 'application/json' } })).json() as { _id: string }
}

export function NewDocument ({ index, onClose }: { index: string, onClose: () => void }) {
  const [id, setId] = useState('')
  const [body, setBody] = useState('{\n  \n}')
  const [doing, run] = useAction()
  const given = readJson(body)
  const at = '/' + encodeURIComponent(index)
  const create = async (): Promise<void> => {
    const made = id.trim() ? await writeDocument('PUT', `${at}/_create/${encodeURIComponent(id.trim())}?refresh=true`, body) : await writeDocument('POST', `${at}/_doc?refresh=true`, body)
    toast(text.document.created(made._id))
    go('indices', [index, 'document', made._id])
  }
  const submit = (): void => { if (!given.error) void run(create).then((done) => { if (done) onClose() }) }
  return html`<${Dialog} title=${text.document.newTitle} onClose=${onClose} onSubmit=${submit}
    footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${given.error !== undefined}>${text.document.create}</${Button}>`}>
    <${TextField} label=${text.document.id} hint=${text.document.idHint} value=${id} onInput=${setId} mono />
    <${TextArea} label=${text.document.body} value=${body} onInput=${setBody} rows=${14} mono error=${given.error} /><${Failure} problem=${doing.problem} /></${Dialog}>`
}
