import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { CheckField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { text as common } from '@strings/common'
import { text } from '@strings/snapshots'

/** A name that sorts by time: 2026-11-28-1402. */
const now = (): string => new Date().toISOString().slice(0, 16).replace('T', '-').replace(':', '')

export async function indexNames (signal?: AbortSignal): Promise<string[]> {
  return (await api('GET /_cat/indices', { signal, query: { format: 'json', h: 'index', expand_wildcards: 'all' } }) as unknown as { index: string }[]).map(({ index }) => index)
}

export function TakeSnapshot ({ repository, onClose, onDone }: { repository: string, onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState(now)
  const [indices, setIndices] = useState('')
  const [state, setState] = useState({ global: true, ignore: false, partial: false })
  const known = useAsked((signal) => indexNames(signal).catch((): string[] => []), [])
  const [taking, run] = useAction()
  const take = (): void => {
    const body = { ...(indices.trim() ? { indices: indices.trim() } : {}), include_global_state: state.global, ignore_unavailable: state.ignore, partial: state.partial }
    void run(() => api('PUT /_snapshot/{repository}/{snapshot}', { path: { repository, snapshot: name }, query: { wait_for_completion: false }, body })).then((done) => { if (done) { toast(text.take.done(name)); onClose(); onDone() } })
  }
  return html`<${Dialog} size="small" title=${text.take.title(repository)} onClose=${onClose} onSubmit=${() => { if (name) take() }} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${taking.busy} disabled=${!name}>${text.take.verb}</${Button}>`}>
    <${Failure} problem=${taking.problem} /><${TextField} label=${text.take.name} hint=${text.take.nameHint} value=${name} onInput=${(value: string) => setName(value.trim())} required mono />
    <${TextField} label=${text.take.indices} hint=${text.take.indicesHint} value=${indices} onInput=${setIndices} suggestions=${known.value} mono />
    <${CheckField} label=${text.take.global} hint=${text.take.globalHint} value=${state.global} onInput=${(global: boolean) => setState({ ...state, global })} />
    <${CheckField} label=${text.take.ignore} value=${state.ignore} onInput=${(ignore: boolean) => setState({ ...state, ignore })} /><${CheckField} label=${text.take.partial} value=${state.partial} onInput=${(partial: boolean) => setState({ ...state, partial })} /></${Dialog}>`
}
