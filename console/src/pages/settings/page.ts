import { html } from '@/ui'
import { PageHead } from '@/components/facts'
import { Tabs } from '@/components/tabs'
import type { Page } from '@/shell/page'
import { text } from '@strings/settings'
import { Certificates } from './certificates'
import { ClusterSettings } from './cluster'
import { EffectiveSettings } from './effective'
import { LogLevel } from './log_level'
import { Messages } from './messages'
import { Mirror } from './mirror'
import { Nodes } from './nodes'
import { Server } from './server'

function Settings () {
  return html`<${PageHead} title=${text.title}>${text.lead}</${PageHead}>
    <${Tabs} label=${text.title} tabs=${[
      { id: 'cluster', title: text.tabs.cluster, content: () => html`<${ClusterSettings} />` },
      { id: 'log', title: text.tabs.log, content: () => html`<${LogLevel} />` },
      { id: 'certificates', title: text.tabs.tls, content: () => html`<${Certificates} />` },
      { id: 'configuration', title: text.tabs.file, content: () => html`<${EffectiveSettings} />` },
      { id: 'mirror', title: text.tabs.mirror, content: () => html`<${Mirror} />` },
      { id: 'nodes', title: text.tabs.nodes, content: () => html`<${Nodes} />` },
      { id: 'messages', title: text.tabs.messages, content: () => html`<${Messages} />` },
      { id: 'server', title: text.tabs.server, content: () => html`<${Server} />` }
    ]} />`
}

export const page: Page = { id: 'settings', Component: Settings }
