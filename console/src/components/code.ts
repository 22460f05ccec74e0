// Text of programs and JSON: coloured, never interpreted, and copied by one press.
import { html, useState, type ComponentChildren } from '@/ui'
import { text } from '@strings/common'
import { Button } from './button'
import { copyText } from './save'

const token = /("(?:[^"\\\n]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)/g
const colouredUpTo = 60_000

/** JSON in pieces with classes; all of it is text nodes. */
function coloured (source: string): ComponentChildren {
  if (source.length > colouredUpTo) return source
  const out: ComponentChildren[] = []
  let at = 0
  for (const found of source.matchAll(token)) {
    const [all, quoted, colon] = found
    if (found.index > at) out.push(source.slice(at, found.index))
    out.push(html`<span class=${quoted ? colon ? 'code-name' : 'code-text' : 'code-value'}>${quoted ?? all}</span>`)
    if (colon) out.push(colon)
    at = found.index + all.length
  }
  out.push(source.slice(at))
  return out
}

export function CopyButton ({ value, label = text.copy, small = true }: { value: string, label?: string, small?: boolean }) {
  const [done, setDone] = useState(false)
  return html`<${Button} kind="quiet" small=${small} icon=${done ? 'check' : 'copy'} label=${label} onClick=${() => void copyText(value).then(() => { setDone(true); setTimeout(() => setDone(false), 1500) })}>${done ? text.copied : undefined}</${Button}>`
}

export function Code ({ value, json, label, wrap, bare }: { value: string, json?: boolean, /** Names the block to screen readers. */ label: string, wrap?: boolean, /** Without the copy button. */ bare?: boolean }) {
  return html`<div class="code"><pre tabindex="0" role="region" aria-label=${label} class=${wrap ? 'is-wrapped' : undefined}><code>${json ? coloured(value) : value}</code></pre>${!bare && html`<${CopyButton} value=${value} />`}</div>`
}

/** A value as indented JSON. */
export function Json ({ value, label }: { value: unknown, label: string }) {
  return html`<${Code} json value=${JSON.stringify(value, null, 2) ?? ''} label=${label} />`
}
