import { html } from '@/ui'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { Facts, Section, State, When } from '@/components/facts'
import { setQuery } from '@/shell/router'
import { text } from '@strings/audit'
import { resultOf, resultText, tones, whoOf, type Line } from './line'

/** One line with all that it says. */
export function Detail ({ line, onClose }: { line: Line, onClose: () => void }) {
  const find = (changes: Record<string, string>): void => { onClose(); setQuery(changes) }
  return html`<${Dialog} size="side" title=${text.detail.title(line['chain.number'] ?? 0)} onClose=${onClose}
      footer=${html`<${Button} onClick=${() => find({ identity: line['apikey.id'] ?? whoOf(line) })}>${text.detail.same}</${Button}>${line.action && html`<${Button} onClick=${() => find({ operation: line.action! })}>${text.detail.sameAction}</${Button}>`}`}>
    <${Facts} rows=${[
      [text.list.time, html`<${When} exact at=${line['@timestamp']} />`], [text.list.who, whoOf(line)], line['apikey.id'] !== undefined && [text.detail.key, html`<code>${line['apikey.id']}</code>`],
      [text.list.result, html`<${State} tone=${tones[resultOf(line)]}>${resultText(line)}</${State}>`], line.reason !== undefined && [text.detail.reason, line.reason],
      [text.list.action, line.action], [text.detail.request, html`<code>${line['request.method']} ${line['url.path']}</code>`], [text.list.from, line['origin.address']], [text.list.status, line['http.status']], [text.detail.mac, html`<code>${line['chain.mac']}</code>`]
    ]} />
    <${Section} title=${text.detail.all}><${Json} value=${line} label=${text.detail.all} /></${Section}></${Dialog}>`
}
