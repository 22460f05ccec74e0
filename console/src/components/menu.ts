// A button that opens a list of actions; arrow keys move, Esc closes, the focus goes back.
import { classes, html, useId, useLayoutEffect, useRef, useState, type ComponentChildren } from '@/ui'
import { text } from '@strings/common'
import { Icon, type IconName } from './icon'

export interface MenuItem {
  title: string
  onSelect?: () => void
  href?: string
  icon?: IconName
  danger?: boolean
  disabled?: boolean
  /** One of several states: shown with a check mark. */
  checked?: boolean
}

/** `children` is what the button shows; three dots without. */
export function Menu ({ label = text.more, items, children, header, kind = 'quiet' }:
{ label?: string, items: readonly (MenuItem | null | false)[], children?: ComponentChildren, header?: ComponentChildren, kind?: 'quiet' | 'plain' }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const shown = items.filter((item): item is MenuItem => Boolean(item))
  const close = (back: boolean): void => { setOpen(false); if (back) button.current?.focus() }
  const entries = (): HTMLElement[] => [...panel.current?.querySelectorAll<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])') ?? []]

  // In the top layer: a cell that sticks, or a plot, would lie over it. Before it is painted: nobody sees it, or presses it, at another place.
  useLayoutEffect(() => {
    if (!open) return
    panel.current!.showPopover()
    place(button.current!, panel.current!)
    entries()[0]?.focus()
    const away = (event: Event): void => { if (!panel.current?.contains(event.target as Node) && !button.current?.contains(event.target as Node)) setOpen(false) }
    const moved = (event: Event): void => { if (!panel.current?.contains(event.target as Node)) setOpen(false) }
    document.addEventListener('pointerdown', away)
    addEventListener('scroll', moved, true)
    addEventListener('resize', moved)
    return () => { document.removeEventListener('pointerdown', away); removeEventListener('scroll', moved, true); removeEventListener('resize', moved) }
  }, [open])

  const keys = (event: KeyboardEvent): void => {
    const all = entries()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: (at + 1) % all.length, ArrowUp: (at + all.length - 1) % all.length, Home: 0, End: all.length - 1 }[event.key]
    if (to !== undefined) { event.preventDefault(); all[to]?.focus() }
    if (event.key === 'Escape') { event.preventDefault(); event.stopPropagation(); close(true) }
    if (event.key === 'Tab') setOpen(false)
  }
  const choose = (item: MenuItem) => (event: Event): void => {
    if (item.disabled) { event.preventDefault(); return }
    close(true)
    item.onSelect?.()
  }
  const entry = (item: MenuItem) => {
    const inside = html`${item.checked !== undefined ? html`<span class="menu-check">${item.checked && html`<${Icon} name="check" />`}</span>` : item.icon && html`<${Icon} name=${item.icon} />`}<span>${item.title}</span>`
    const common = { 'role': item.checked === undefined ? 'menuitem' : 'menuitemradio', 'aria-checked': item.checked, 'tabindex': -1, 'class': classes('menu-item', item.danger && 'is-danger'), 'aria-disabled': item.disabled || undefined, 'onClick': choose(item) }
    return item.href && !item.disabled ? html`<a ...${common} key=${item.title} href=${item.href}>${inside}</a>` : html`<button type="button" ...${common} key=${item.title}>${inside}</button>`
  }
  return html`<span class="menu"><button type="button" ref=${button} class=${classes('button', 'button-' + kind, !children && 'button-icon', 'button-small')} aria-haspopup="menu" aria-expanded=${open} aria-controls=${open ? id : undefined}
      aria-label=${label} title=${children ? undefined : label} onClick=${() => setOpen(!open)} onKeyDown=${(event: KeyboardEvent) => { if (event.key === 'ArrowDown' && !open) { event.preventDefault(); setOpen(true) } }}>${children ?? html`<${Icon} name="more" />`}</button>
    ${open && html`<div class="menu-panel" popover="manual" ref=${panel} id=${id} onKeyDown=${keys}>${header && html`<div class="menu-head">${header}</div>`}<div role="menu" aria-label=${label}>${shown.map(entry)}</div></div>`}</span>`
}

/** Below the button, or above where there is no room; never outside of the window. */
function place (button: HTMLElement, panel: HTMLElement): void {
  const at = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = panel
  const below = at.bottom + 4 + height <= innerHeight
  panel.style.left = Math.max(8, Math.min(at.right - width, innerWidth - width - 8)) + 'px'
  panel.style.top = Math.max(8, below ? at.bottom + 4 : at.top - 4 - height) + 'px'
}
