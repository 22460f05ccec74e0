import { html } from '@/ui'
import type { Page } from '@/shell/page'
import type { Route } from '@/shell/router'
import { DocumentPage } from './document'
import { IndexList } from './list'
import { OneIndex } from './one'

/** #/indices, #/indices/INDEX, #/indices/INDEX/document/ID */
function Indices ({ route }: { route: Route }) {
  const [index, part, id] = route.path
  if (index === undefined) return html`<${IndexList} />`
  return part === 'document' && id !== undefined ? html`<${DocumentPage} key=${index + '/' + id} index=${index} id=${id} />` : html`<${OneIndex} key=${index} index=${index} />`
}

export const page: Page = { id: 'indices', Component: Indices }
