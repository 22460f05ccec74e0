// Tabs with arrow keys. The chosen one stands in the place's query, so that a link leads to it.
import { html, useEffect, useId, useRef, type ComponentChildren } from '@/ui'
import { route, setQuery } from '@/shell/router'

export interface Tab { id: string, title: ComponentChildren, content: () => ComponentChildren }

export function Tabs ({ tabs, label, name = 'tab' }: { tabs: readonly Tab[], label: string, /** The name in the query. */ name?: string }) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const chosen = tabs.find((tab) => tab.id === route.value.query[name]) ?? tabs[0]
  // Where they are wider than the window, the chosen one is seen.
  useEffect(() => { list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }) }, [chosen?.id])
  if (!chosen) return null
  const choose = (tab: Tab): void => setQuery({ [name]: tab === tabs[0] ? null : tab.id })
  const move = (event: KeyboardEvent): void => {
    const at = tabs.indexOf(chosen)
    const to = { ArrowRight: (at + 1) % tabs.length, ArrowLeft: (at + tabs.length - 1) % tabs.length, Home: 0, End: tabs.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    choose(tabs[to]!)
    ;(list.current?.children[to] as HTMLElement | undefined)?.focus()
  }
  return html`<div class="tabs">
    <div role="tablist" aria-label=${label} ref=${list} onKeyDown=${move}>
      ${tabs.map((tab) => html`<button type="button" role="tab" key=${tab.id} id=${id + tab.id} aria-selected=${tab === chosen} aria-controls=${tab === chosen ? id + '-panel' : undefined} tabindex=${tab === chosen ? 0 : -1} onClick=${() => choose(tab)}>${tab.title}</button>`)}
    </div>
    <div role="tabpanel" id=${id + '-panel'} key=${chosen.id} aria-labelledby=${id + chosen.id} class="tab-panel">${chosen.content()}</div></div>`
}
