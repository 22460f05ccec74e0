// What stands where a list has nothing yet: one sentence, and the one command that fills it.
import { html, type ComponentChildren } from '@/ui'
import { Code } from './code'
import { Icon, type IconName } from './icon'

export function Empty ({ icon, title, children, command, action, small }: { small?: boolean, icon?: IconName, title: string, children?: ComponentChildren, /** A command line, copied by a press. */ command?: string, action?: ComponentChildren }) {
  return html`<div class=${small ? 'empty empty-small' : 'empty'}>${icon && html`<${Icon} name=${icon} />`}<h2>${title}</h2>${children && html`<p class="muted">${children}</p>`}
    ${action && html`<div class="empty-action">${action}</div>`}${command && html`<${Code} value=${command} label=${title} wrap />`}</div>`
}
