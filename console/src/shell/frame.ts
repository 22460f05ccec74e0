// The frame around all pages: skip link, navigation, top bar, notices, and the page.
import { html, useEffect, useRef, useState } from '@/ui'
import { forgetCalls } from '@/api/calls'
import { text } from '@strings/shell'
import { Navigation } from './navigation'
import { Notices } from './notices'
import { Outlet } from './outlet'
import { route } from './router'
import { TopBar } from './top_bar'

export function Frame () {
  const [open, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const { page } = route.value
  const place = page + '/' + route.value.path.join('/')
  const first = useRef(true)
  const moved = useRef(false)
  const hear = (): void => { (main.current?.querySelector<HTMLElement>('h1') ?? main.current)?.focus({ preventScroll: true }) }

  // A new place begins at its top, and screen readers hear its heading.
  useEffect(() => {
    setOpen(false)
    if (first.current) { first.current = false; return }
    forgetCalls()
    scrollTo(0, 0)
    moved.current = true
    hear()
  }, [place])

  // The heading that had the focus while the page was loaded is gone then.
  const onShown = (): void => { if (moved.current && document.activeElement === document.body) hear() }

  const skip = (event: Event): void => { event.preventDefault(); main.current?.focus() }
  return html`<a class="skip" href="#main" onClick=${skip}>${text.skip}</a>
    <div class="frame">
      <${TopBar} navigationOpen=${open} onNavigation=${() => setOpen(!open)} />
      <${Navigation} open=${open} onClose=${() => setOpen(false)} />
      <main id="main" ref=${main} tabindex="-1"><${Notices} /><${Outlet} route=${route.value} onShown=${onShown} /></main>
    </div>`
}
