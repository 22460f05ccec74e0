// The bar on top: the pages' button, the search box, how the server is, and the key.
import { html, useEffect, useState } from '@/ui'
import { source, useLive } from '@/api/events'
import { reachable } from '@/api/request'
import { endsAt, session, signOut } from '@/api/session'
import { Icon } from '@/components/icon'
import { Menu, type MenuItem } from '@/components/menu'
import { State, type Tone } from '@/components/facts'
import { toast } from '@/components/notice'
import { asProblem } from '@/api/problem'
import { duration } from '@/text/times'
import { text } from '@strings/shell'
import { JumpBox } from './jump'
import { setShortcuts, shortcuts } from './shortcuts'
import { setTheme, theme, type ThemeChoice } from './theme'

function Health () {
  const overview = useLive('overview')
  const [tone, word]: [Tone, string] = !reachable.value ? ['bad', text.health.unreachable] : overview === undefined ? ['off', text.health.unknown] : overview.ready ? ['good', text.health.ready] : ['warning', text.health.notReady]
  const how = source.value === 'polling' ? text.health.polling : source.value === 'stream' ? text.health.stream : ''
  return html`<span class="health" role="status" title=${how}><${State} tone=${tone}>${word}</${State}></span>`
}

function Account () {
  const who = session.value!
  const [, redraw] = useState(0)
  useEffect(() => { const timer = setInterval(() => redraw((n) => n + 1), 30_000); return () => clearInterval(timer) }, [])
  const choice = (value: ThemeChoice): MenuItem => ({ title: `${text.account.theme}: ${text.account[value].toLowerCase()}`, checked: theme.value.choice === value, onSelect: () => setTheme(value) })
  const header = html`<p><span class="muted">${text.account.signedInAs}</span> <strong>${who.username}</strong></p><p><span class="muted">${text.account.key}</span> ${who.key.name || who.key.id}</p>
    <p class="muted small">${text.account.ends} ${duration(Math.max(60_000, Math.round((endsAt.value - Date.now()) / 60_000) * 60_000))}</p>`
  return html`<${Menu} label=${`${text.account.label}: ${who.key.name || who.username}`} header=${header} items=${[
    choice('system'), choice('light'), choice('dark'),
    { title: `${text.account.shortcuts}: ${shortcuts.value ? text.account.shortcutsOn : text.account.shortcutsOff}`, checked: shortcuts.value, onSelect: () => setShortcuts(!shortcuts.value) },
    { title: text.account.signOut, icon: 'out', onSelect: () => { signOut().catch((error: unknown) => toast(asProblem(error).reason, 'error')) } }
  ]}><${Icon} name="keys" /><span class="account-name">${who.key.name || who.username}</span><${Icon} name="down" /></${Menu}>`
}

export function TopBar ({ navigationOpen, onNavigation }: { navigationOpen: boolean, onNavigation: () => void }) {
  return html`<header class="top-bar">
    <button type="button" class="button button-quiet button-icon navigation-button" aria-expanded=${navigationOpen} aria-controls="navigation" aria-label=${navigationOpen ? text.closeNavigation : text.openNavigation} onClick=${onNavigation}><${Icon} name="menu" /></button>
    <${JumpBox} /><div class="top-bar-end"><${Health} /><${Account} /></div></header>`
}
