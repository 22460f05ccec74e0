import { html } from '@/ui'
import { Button } from '@/components/button'
import { PageHead } from '@/components/facts'
import type { Page } from '@/shell/page'
import { href, type Route } from '@/shell/router'
import { text } from '@strings/inference'
import { Create } from './create'
import { EndpointList } from './list'
import { One } from './one'

function Inference ({ route }: { route: Route }) {
  if (route.path[0]) return html`<${One} key=${route.path[0]} id=${route.path[0]} />`
  if (route.query['new']) return html`<${Create} model=${route.query['model']} />`
  return html`<${PageHead} title=${text.title} actions=${html`<${Button} kind="main" icon="add" href=${href('inference', [], { new: 1 })}>${text.new}</${Button}>`}>${text.lead}</${PageHead}><${EndpointList} />`
}

export const page: Page = { id: 'inference', Component: Inference }
