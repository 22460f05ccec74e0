import { html } from '@/ui'
import { PageHead } from '@/components/facts'
import { Button } from '@/components/button'
import { Tabs } from '@/components/tabs'
import type { Page } from '@/shell/page'
import { setQuery, type Route } from '@/shell/router'
import { text } from '@strings/keys'
import { AccessKeys } from './access_keys'
import { Accounts } from './accounts'
import { EncryptionKeys } from './encryption_keys'
import { KeyList } from './key_list'
import { KeyPlace } from './key'
import { Sessions } from './sessions'
import { Use } from './use'

function Keys ({ route }: { route: Route }) {
  if (route.path[0] !== undefined) return html`<${KeyPlace} key=${route.path[0]} id=${route.path[0]} />`
  return html`<${PageHead} title=${text.title} actions=${html`<${Button} kind="main" icon="add" onClick=${() => setQuery({ tab: null, new: 1 })}>${text.create}</${Button}>`}>${text.lead}</${PageHead}>
    <${Tabs} label=${text.title} tabs=${[
      { id: 'keys', title: text.tabs.keys, content: () => html`<${KeyList} creating=${route.query['new'] !== undefined} />` },
      { id: 'access', title: text.tabs.access, content: () => html`<${AccessKeys} />` },
      { id: 'accounts', title: text.tabs.accounts, content: () => html`<${Accounts} />` },
      { id: 'encryption', title: text.tabs.encryption, content: () => html`<${EncryptionKeys} />` },
      { id: 'sessions', title: text.tabs.sessions, content: () => html`<${Sessions} />` },
      { id: 'use', title: text.tabs.use, content: () => html`<${Use} />` }
    ]} />`
}

export const page: Page = { id: 'keys', Component: Keys }
