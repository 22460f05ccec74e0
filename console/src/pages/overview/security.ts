import { html } from '@/ui'
import { session } from '@/api/session'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Notice } from '@/components/notice'
import { pages } from '@/shell/pages'
import { href } from '@/shell/router'
import { text } from '@strings/overview'

const loopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127\./.test(host)

/** What somebody who runs the server should change: the first key in use, plain HTTP from elsewhere. */
export function SecurityNotes () {
  const key = session.value?.key
  const first = key !== undefined && (key.name === 'admin' || key.id === 'admin')
  const plain = location.protocol === 'http:' && !loopback(location.hostname)
  if (!first && !plain) return null
  const keys = pages.some(({ id }) => id === 'keys')
  return html`<div class="stack">
    ${plain && html`<${Notice} kind="warning" title=${text.notes.plain}><${Code} value=${text.notes.plainAction} label=${text.notes.plainAction} /></${Notice}>`}
    ${first && html`<${Notice} kind="info" action=${keys && html`<${Button} small href=${href('keys', [], { new: 1 })}>${text.notes.bootstrapAction}</${Button}>`}>${text.notes.bootstrap}</${Notice}>`}</div>`
}
