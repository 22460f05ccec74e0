// Asks before something is destroyed: a dry run shows what would happen, the typed name shows that it is meant.
import { html, useState, type ComponentChildren } from '@/ui'
import { text } from '@strings/common'
import { useAction } from '@/api/use'
import { bytes, count } from '@/text/numbers'
import { Button } from './button'
import { Dialog } from './dialog'
import { Failure } from './failure'
import { Notice } from './notice'
import { TextField } from './field'

export interface ConfirmProps {
  title: string
  /** What will be gone, in a sentence. */
  children?: ComponentChildren
  /** The word on the button: "Delete". */
  verb: string
  /** The name that must be typed; without one a press is enough. */
  typed?: string
  /** Asks the server with dry_run; gives its answer. */
  dryRun?: () => Promise<unknown>
  action: () => Promise<unknown>
  onClose: () => void
  /** After it was done. */
  onDone?: () => void
  /** Not destructive: the button is not red. */
  calm?: boolean
}

function shown (name: string, value: unknown): string {
  if (typeof value === 'number') return /bytes/.test(name) ? `${bytes(value)} (${count(value)} B)` : count(value)
  if (Array.isArray(value)) return value.length > 12 ? `${value.slice(0, 12).map(String).join(', ')} … (${count(value.length)})` : value.map((one) => typeof one === 'object' ? JSON.stringify(one) : String(one)).join(', ') || '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The answer of a dry run as a list of names and values. */
export function Would ({ answer }: { answer: unknown }) {
  const would = (answer as { would?: unknown })?.would ?? answer
  const rows = typeof would === 'object' && would !== null ? Object.entries(would).filter(([, value]) => value !== null) : []
  return html`<${Notice} title=${text.confirm.would}>${rows.length === 0 ? text.confirm.nothing
    : html`<dl class="facts">${rows.map(([name, value]) => html`<div key=${name}><dt>${name.replaceAll('_', ' ')}</dt><dd>${shown(name, value)}</dd></div>`)}</dl>`}</${Notice}>`
}

export function Confirm ({ title, children, verb, typed, dryRun, action, onClose, onDone, calm }: ConfirmProps) {
  const [name, setName] = useState('')
  const [would, setWould] = useState<unknown>(undefined)
  const [doing, run] = useAction()
  const [trying, dry] = useAction()
  const ready = typed === undefined || name === typed
  const submit = (): void => { if (ready) void run(action).then((done) => { if (done) { onClose(); onDone?.() } }) }
  const footer = html`
    ${dryRun && html`<span class="foot-start"><${Button} busy=${trying.busy} onClick=${() => void dry(async () => setWould(await dryRun()))}>${would === undefined ? text.confirm.dryRun : text.confirm.dryRunAgain}</${Button}></span>`}
    <${Button} onClick=${onClose}>${text.cancel}</${Button}>
    <${Button} type="submit" kind=${calm ? 'main' : 'danger'} disabled=${!ready} busy=${doing.busy}>${verb}</${Button}>`
  return html`<${Dialog} title=${title} onClose=${onClose} onSubmit=${submit} size="small" footer=${footer}>
    ${children}
    ${dryRun && would === undefined && html`<p class="muted small">${text.confirm.dryRun}: ${text.confirm.dryRunHint}</p>`}
    <div aria-live="polite">${would !== undefined && html`<${Would} answer=${would} />`}</div>
    <${Failure} problem=${trying.problem} /><${Failure} problem=${doing.problem} />
    ${typed !== undefined && html`<${TextField} label=${html`${text.confirm.type} <code class="typed">${typed}</code>`} value=${name} onInput=${setName} autocomplete="off" />`}
  </${Dialog}>`
}
