// The pages along the left; on narrow screens behind a button.
import { classes, html, useEffect, useRef } from '@/ui'
import { Icon, Mark } from '@/components/icon'
import { text } from '@strings/shell'
import type { PageEntry } from './page'
import { pages } from './pages'
import { href, route } from './router'

const groups: readonly PageEntry['group'][] = ['watch', 'search', 'models', 'storage', 'access']

export function Navigation ({ open, onClose }: { open: boolean, onClose: () => void }) {
  const element = useRef<HTMLElement>(null)
  useEffect(() => { if (open) element.current?.querySelector<HTMLElement>('a')?.focus() }, [open])
  const keys = (event: KeyboardEvent): void => { if (event.key === 'Escape' && open) onClose() }
  const entry = (page: PageEntry) => html`<li key=${page.id}><a href=${href(page.id)} aria-current=${route.value.page === page.id ? 'page' : undefined} onClick=${onClose}><${Icon} name=${page.icon} />${page.title}</a></li>`
  return html`${open && html`<div class="navigation-shade" onClick=${onClose}></div>`}
    <nav id="navigation" ref=${element} class=${classes('navigation', open && 'is-open')} aria-label=${text.navigation} onKeyDown=${keys}>
      <a class="brand" href=${href('overview')}><${Mark} />${text.product}</a>
      ${groups.map((group) => {
        const some = pages.filter((page) => page.group === group)
        if (some.length === 0) return null
        return html`<div class="navigation-group" key=${group}>${text.groups[group] && html`<h2 id=${'group-' + group}>${text.groups[group]}</h2>`}
          <ul aria-labelledby=${text.groups[group] ? 'group-' + group : undefined}>${some.map(entry)}</ul></div>`
      })}
    </nav>`
}
