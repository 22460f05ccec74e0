import { html } from '@/ui'
import { Button } from '@/components/button'
import { PageHead } from '@/components/facts'
import { Tabs } from '@/components/tabs'
import type { Page } from '@/shell/page'
import { href, type Route } from '@/shell/router'
import { text } from '@strings/connectors'
import { Folders } from './folders'
import { ConnectorList } from './list'
import { One } from './one'
import { Wizard } from './wizard'

function Connectors ({ route }: { route: Route }) {
  if (route.path[0]) return html`<${One} key=${route.path[0]} id=${route.path[0]} />`
  if (route.query['new']) return html`<${Wizard} query=${route.query} />`
  return html`<${PageHead} title=${text.title} actions=${html`<${Button} kind="main" icon="add" href=${href('connectors', [], { new: 'kind' })}>${text.new}</${Button}>`}>${text.lead}</${PageHead}>
    <${Tabs} label=${text.tabs.label} tabs=${[
      { id: 'connectors', title: text.tabs.connectors, content: () => html`<${ConnectorList} />` },
      { id: 'folders', title: text.tabs.folders, content: () => html`<${Folders} />` }]} />`
}

export const page: Page = { id: 'connectors', Component: Connectors }
