import { html, useEffect, useRef, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { Progress } from '@/components/progress'
import { saveFile } from '@/components/save'
import { text as common } from '@strings/common'
import { text } from '@strings/audit'
import { segments } from './segments'

const said = text.export

/** The whole log as a file that verifies without a server. */
export function ExportDialog ({ onClose }: { onClose: () => void }) {
  const [state, setState] = useState<{ lines: number, newest: number, done: boolean } | undefined>(undefined)
  const [doing, run] = useAction()
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const download = async (): Promise<void> => {
    const parts: Blob[] = []
    let lines = 0
    for await (const segment of segments(stop.current.signal)) {
      parts.push(new Blob([segment.bytes]))
      lines += segment.seal.lines
      setState({ lines, newest: segment.seal.newest, done: false })
    }
    saveFile(`audit-${new Date().toISOString().slice(0, 10)}.ndjson`, new Blob(parts, { type: 'application/x-ndjson' }))
    setState({ lines, newest: lines, done: true })
  }
  const key = async (): Promise<void> => saveFile('audit.pub', (await api('GET /_cairn/audit/_key')).public_key, 'application/x-pem-file')
  return html`<${Dialog} title=${said.title} onClose=${onClose} onSubmit=${() => void run(download)}
      footer=${html`<span class="foot-start"><${Button} onClick=${() => void run(key)}>${said.key}</${Button}></span><${Button} onClick=${onClose}>${common.close}</${Button}><${Button} kind="main" type="submit" icon="download" busy=${doing.busy}>${said.start}</${Button}>`}>
    <p>${said.lead}</p><${Failure} problem=${doing.problem} />
    ${state && !state.done && html`<${Progress} label=${said.label} done=${state.lines} total=${Math.max(state.lines, state.newest)} />`}<p aria-live="polite">${state?.done && said.done(state.lines)}</p>
    <p class="muted">${said.also}</p><${Code} value=${said.command} label=${said.command} /></${Dialog}>`
}
