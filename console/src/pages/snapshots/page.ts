import { html, useState } from '@/ui'
import { Button } from '@/components/button'
import { PageHead } from '@/components/facts'
import { Tabs } from '@/components/tabs'
import type { Page } from '@/shell/page'
import type { Route } from '@/shell/router'
import { text } from '@strings/snapshots'
import { Backups } from './backups'
import { Repositories } from './list'
import { One } from './one'

function Snapshots ({ route }: { route: Route }) {
  const [adding, setAdding] = useState(false)
  if (route.path[0]) return html`<${One} key=${route.path[0]} name=${route.path[0]} />`
  const actions = route.query['tab'] !== 'backups' && html`<${Button} kind="main" icon="add" onClick=${() => setAdding(true)}>${text.add}</${Button}>`
  return html`<${PageHead} title=${text.title} actions=${actions}>${text.lead}</${PageHead}>
    <${Tabs} label=${text.tabs.label} tabs=${[
      { id: 'repositories', title: text.tabs.repositories, content: () => html`<${Repositories} adding=${adding} onAdding=${setAdding} />` },
      { id: 'backups', title: text.tabs.backups, content: () => html`<${Backups} />` }]} />`
}

export const page: Page = { id: 'snapshots', Component: Snapshots }
