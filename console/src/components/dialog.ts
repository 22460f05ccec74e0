// A modal dialog on the browser's own <dialog>: the focus stays inside, Esc closes, the focus goes back.
import { classes, html, useEffect, useId, useRef, type ComponentChildren } from '@/ui'
import { text } from '@strings/common'
import { Button } from './button'

export interface DialogProps {
  title: ComponentChildren
  onClose: () => void
  children?: ComponentChildren
  /** The buttons at the end; the last one is the main one. */
  footer?: ComponentChildren
  /** Side: a panel along the right edge. */
  size?: 'small' | 'wide' | 'side'
  /** The dialog is a form: Enter submits it. */
  onSubmit?: () => void
}

export function Dialog ({ title, onClose, children, footer, size, onSubmit }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    const dialog = element.current!
    const before = document.activeElement as HTMLElement | null
    dialog.showModal()
    const cancel = (event: Event): void => { event.preventDefault(); close.current() }
    dialog.addEventListener('cancel', cancel)
    return () => { dialog.removeEventListener('cancel', cancel); dialog.close(); before?.focus?.() }
  }, [])
  const outside = (event: MouseEvent): void => { if (event.target === element.current) close.current() }
  const inside = html`
    <header class="dialog-head"><h2 id=${id}>${title}</h2><${Button} kind="quiet" icon="close" label=${text.close} onClick=${onClose} /></header>
    <div class="dialog-body" tabindex="-1">${children}</div>
    ${footer && html`<footer class="dialog-foot">${footer}</footer>`}`
  return html`<dialog ref=${element} class=${classes('dialog', size && 'dialog-' + size)} aria-labelledby=${id} onMouseDown=${outside}>
    ${onSubmit
      ? html`<form class="dialog-inside" onSubmit=${(event: Event) => { event.preventDefault(); onSubmit() }}>${inside}</form>`
      : html`<div class="dialog-inside">${inside}</div>`}</dialog>`
}
