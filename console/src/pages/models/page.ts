import { html } from '@/ui'
import type { Page } from '@/shell/page'
import type { Route } from '@/shell/router'
import { Import } from './import'
import { ModelList } from './list'
import { One } from './one'

function Models ({ route }: { route: Route }) {
  if (route.path[0]) return html`<${One} key=${route.path[0]} id=${route.path[0]} />`
  return route.query['import'] ? html`<${Import} />` : html`<${ModelList} />`
}

export const page: Page = { id: 'models', Component: Models }
