// The page of the current place: loaded when it is opened, and fenced in so that its faults stay its own.
import { Component } from 'preact'
import { html, useEffect, useLayoutEffect, useState, type ComponentChildren } from '@/ui'
import { Button } from '@/components/button'
import { Loading, PageHead } from '@/components/facts'
import { Notice } from '@/components/notice'
import { text } from '@strings/shell'
import type { Page } from './page'
import { pages } from './pages'
import { href, type Route } from './router'

const loaded = new Map<string, Page>()

class Boundary extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: undefined as unknown }
  static override getDerivedStateFromError (error: unknown) { return { error: error ?? new Error('unknown') } }
  override componentDidCatch (error: unknown): void { console.error(error) }
  override render () {
    if (this.state.error === undefined) return this.props.children
    return html`<h1 tabindex="-1">${text.broken.title}</h1><${Notice} kind="error" action=${html`<${Button} onClick=${() => this.setState({ error: undefined })}>${text.broken.again}</${Button}>`}>
      <p>${text.broken.text}</p><p><code>${String(this.state.error)}</code></p></${Notice}>`
  }
}

/** `onShown` is called when a page that had to be loaded is there. */
export function Outlet ({ route, onShown }: { route: Route, onShown: () => void }) {
  const entry = pages.find(({ id }) => id === route.page)
  const [, shown] = useState(0)
  const [failed, setFailed] = useState(false)
  const page = loaded.get(route.page)
  useEffect(() => {
    setFailed(false)
    if (!entry || loaded.has(entry.id)) return
    let gone = false
    entry.load().then((module) => { loaded.set(entry.id, module.page); if (!gone) shown((n) => n + 1) }, () => { if (!gone) setFailed(true) })
    return () => { gone = true }
  }, [route.page])
  useLayoutEffect(() => { if (page) onShown() }, [page])
  if (!entry) return html`<${PageHead} title=${text.notFound.title} /><p>${text.notFound.text}</p><p><a href=${href('overview')}>${text.notFound.home}</a></p>`
  if (failed) return html`<h1 tabindex="-1">${text.loadFailed.title}</h1><${Notice} kind="error" action=${html`<${Button} onClick=${() => location.reload()}>${text.broken.reload}</${Button}>`}>${text.loadFailed.text}</${Notice}>`
  if (!page) return html`<h1 class="hidden" tabindex="-1">${entry.title}</h1><${Loading} />`
  return html`<${Boundary} key=${route.page}><${page.Component} route=${route} /></${Boundary}>`
}
