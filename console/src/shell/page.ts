import type { VNode } from '@/ui'
import type { Route } from './router'
import type { IconName } from '@/components/icon'

/** What a page's module exports as `page`. It is loaded when the page is opened. */
export interface Page {
  id: string
  /** Reads `route.path` and `route.query`; is kept while these change. */
  Component: (props: { route: Route }) => VNode | null
}

/** What the navigation knows of a page before it is loaded. */
export interface PageEntry {
  id: string
  title: string
  icon: IconName
  group: 'watch' | 'search' | 'models' | 'storage' | 'access'
  /** Words besides the title by which the search box finds it. */
  words: string
  load: () => Promise<{ page: Page }>
}
