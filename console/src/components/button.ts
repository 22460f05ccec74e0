// What a person presses. `kind`: main (one on a page), plain, quiet (in rows and bars), danger.
import { classes, html, type ComponentChildren } from '@/ui'
import { Icon, type IconName } from './icon'

export interface ButtonProps {
  children?: ComponentChildren
  onClick?: (event: MouseEvent) => void
  kind?: 'main' | 'plain' | 'quiet' | 'danger'
  icon?: IconName
  /** Says what an icon alone does. */
  label?: string
  type?: 'button' | 'submit'
  disabled?: boolean
  /** Work is under way: the button waits and says so. */
  busy?: boolean
  small?: boolean
  /** A place of the console or a path: the button is a link then. */
  href?: string
  [more: `aria-${string}`]: unknown
}

export function Button ({ children, onClick, kind = 'plain', icon, label, type = 'button', disabled, busy, small, href, ...more }: ButtonProps) {
  const names = classes('button', 'button-' + kind, small && 'button-small', !children && 'button-icon', busy && 'is-busy')
  const inside = html`${icon && html`<${Icon} name=${icon} />`}${children && html`<span>${children}</span>`}`
  if (href) return html`<a class=${names} href=${href} aria-label=${label} title=${children ? undefined : label} onClick=${onClick} ...${more}>${inside}</a>`
  return html`<button class=${names} type=${type} disabled=${disabled} aria-disabled=${busy || undefined} aria-busy=${busy || undefined} aria-label=${label}
    title=${children ? undefined : label} onClick=${busy ? undefined : onClick} ...${more}>${inside}</button>`
}

/** Buttons and fields in one line that wraps. */
export function Bar ({ children, end }: { children?: ComponentChildren, end?: ComponentChildren }) {
  return html`<div class="bar"><div class="bar-start">${children}</div>${end && html`<div class="bar-end">${end}</div>`}</div>`
}
