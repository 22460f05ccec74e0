import { html } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Facts, Section } from '@/components/facts'
import { Failure } from '@/components/failure'
import { toast } from '@/components/notice'
import { text } from '@strings/audit'

const said = text.shipping

/** How far the log is in its bucket. */
export function Shipping () {
  const asked = useAsked((signal) => api('GET /_cairn/audit/_shipping', { signal }), [], { every: 30_000 })
  const [doing, run] = useAction()
  const value = asked.value
  if (!value) return asked.problem?.kind === 'forbidden' ? null : html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />`
  if (value.to === null) return html`<${Section} title=${said.title} lead=${said.none}><${Code} value=${said.setting} label=${said.title} /></${Section}>`
  const ship = (): void => { void run(() => api('POST /_cairn/audit/_ship')).then((done) => { if (done) { toast(said.done); asked.reload() } }) }
  const rows = Object.entries(value).map(([name, one]): [string, string] => [name.replaceAll('_', ' '), one === null ? '–' : typeof one === 'object' ? JSON.stringify(one) : String(one)])
  return html`<${Section} title=${said.title} actions=${html`<${Button} small busy=${doing.busy} onClick=${ship}>${said.now}</${Button}>`}><${Failure} problem=${doing.problem} /><${Facts} rows=${rows} /></${Section}>`
}
