// One document: looked at, changed, deleted. A change of somebody else in between is never overwritten.
import { html, useState } from '@/ui'
import { recordCall } from '@/api/calls'
import { api, send } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Loading, PageHead } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextArea } from '@/components/field'
import { toast } from '@/components/notice'
import { go, href, route } from '@/shell/router'
import { bytes, count } from '@/text/numbers'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { hasBigNumbers, readJson } from './json_text'
import { writeDocument } from './new_document'

interface Seen { version: number, sequence: number, term: number, source: string }
const words = text.document

async function see (index: string, id: string, routing: string | undefined, signal: AbortSignal): Promise<Seen> {
  const query = routing ? { routing } : {}
  // The number of the change comes first: what is written between the two questions is found out when it is saved.
  const head = await api('GET /{index}/_doc/{id}', { path: { index, id }, query: { ...query, _source: false }, signal, quiet: true })
  const url = `/${encodeURIComponent(index)}/_source/${encodeURIComponent(id)}${routing ? '?routing=' + encodeURIComponent(routing) : ''}`
  recordCall({ method: 'GET', url })
  const source = await (await send('GET', url, undefined, { signal })).text()
  const one = head as unknown as { _version: number, _seq_no: number, _primary_term: number }
  return { version: one._version, sequence: one._seq_no, term: one._primary_term, source }
}

const tidy = (source: string): string => {
  if (hasBigNumbers(source)) return source
  try { return JSON.stringify(JSON.parse(source), null, 2) } catch { return source }
}

export function DocumentPage ({ index, id }: { index: string, id: string }) {
  const routing = route.value.query['routing']
  const asked = useAsked((signal) => see(index, id, routing, signal), [index, id, routing])
  const [draft, setDraft] = useState<string | null>(null)
  const [removing, setRemoving] = useState(false)
  const [doing, run] = useAction()
  const seen = asked.value
  const given = readJson(draft ?? '{}')
  const save = async (): Promise<void> => {
    const query = new URLSearchParams({ if_seq_no: String(seen!.sequence), if_primary_term: String(seen!.term), refresh: 'true', ...(routing ? { routing } : {}) })
    await writeDocument('PUT', `/${encodeURIComponent(index)}/_doc/${encodeURIComponent(id)}?${query}`, draft!)
    toast(words.saved)
    setDraft(null)
    asked.reload()
  }
  const submit = (event: Event): void => { event.preventDefault(); if (!given.error && seen) void run(save) }
  const remove = () => api('DELETE /{index}/_doc/{id}', { path: { index, id }, query: { refresh: true, ...(routing ? { routing } : {}) } })
  const actions = seen && draft === null && html`<${Button} icon="edit" onClick=${() => { doing.clear(); setDraft(tidy(seen.source)) }}>${words.edit}</${Button}><${Button} kind="danger" icon="remove" onClick=${() => setRemoving(true)}>${common.delete}</${Button}>`
  return html`<${PageHead} title=${id} trail=${[{ title: text.title, href: href('indices') }, { title: index, href: href('indices', [index], { tab: 'documents' }) }]} actions=${actions}>${seen && words.lead(count(seen.version), count(seen.sequence), bytes(new Blob([seen.source]).size), routing)}</${PageHead}>
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />${!seen && asked.busy && html`<${Loading} />`}
    ${seen && html`${draft === null ? html`${hasBigNumbers(seen.source) && html`<p class="muted small">${words.bigNumbers}</p>`}<${Code} json wrap value=${tidy(seen.source)} label=${words.body} />` : html`<form class="form" onSubmit=${submit}>
        <${TextArea} label=${words.body} value=${draft} onInput=${setDraft} rows=${22} mono error=${given.error} />
        <${Failure} problem=${doing.problem}>${doing.problem?.kind === 'conflict' && html`<p>${words.conflict}</p>`}</${Failure}>
        <div class="bar"><div class="bar-start"><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${given.error !== undefined}>${words.save}</${Button}><${Button} onClick=${() => setDraft(null)}>${common.cancel}</${Button}>
          ${doing.problem?.kind === 'conflict' && html`<${Button} icon="refresh" onClick=${asked.reload}>${common.reload}</${Button}>`}</div></div></form>`}`}
    ${removing && html`<${Confirm} title=${words.remove(id)} verb=${words.removeVerb} action=${remove} onClose=${() => setRemoving(false)} onDone=${() => { toast(words.deleted(id)); go('indices', [index], { tab: 'documents' }) }}><p>${words.removeText}</p></${Confirm}>`}`
}
