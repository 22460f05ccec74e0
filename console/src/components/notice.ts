// Something that a person should know, where they look; and toasts: what was just done.
import { html, signal, type ComponentChildren } from '@/ui'
import { text } from '@strings/common'
import { Button } from './button'
import { Icon, type IconName } from './icon'

export type NoticeKind = 'info' | 'good' | 'warning' | 'error'
const icons: Record<NoticeKind, IconName> = { info: 'info', good: 'check', warning: 'warning', error: 'warning' }

export function Notice ({ kind = 'info', title, children, action, onClose }:
{ kind?: NoticeKind, title?: ComponentChildren, children?: ComponentChildren, action?: ComponentChildren, onClose?: () => void }) {
  return html`<div class="notice notice-${kind}" role=${kind === 'error' ? 'alert' : undefined}>
    <${Icon} name=${icons[kind]} />
    <div class="notice-text">${title && html`<strong>${title}</strong>`}${children && html`<div>${children}</div>`}</div>
    ${action}${onClose && html`<${Button} kind="quiet" small icon="close" label=${text.close} onClick=${onClose} />`}
  </div>`
}

interface Toast { id: number, kind: NoticeKind, text: string }
const toasts = signal<readonly Toast[]>([])
let made = 0

/** Says what was done; goes after some seconds, is read out by screen readers. Problems belong into a Notice. */
export function toast (message: string, kind: NoticeKind = 'good'): void {
  const id = ++made
  toasts.value = [...toasts.peek().slice(-3), { id, kind, text: message }]
  setTimeout(() => { toasts.value = toasts.peek().filter((one) => one.id !== id) }, 6000)
}

export function Toasts () {
  return html`<div class="toasts" role="status" aria-live="polite">
    ${toasts.value.map((one) => html`<div class="toast" key=${one.id}><${Icon} name=${icons[one.kind]} />${one.text}</div>`)}</div>`
}
