import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { PageHead } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextField } from '@/components/field'
import { Notice } from '@/components/notice'
import { Tabs } from '@/components/tabs'
import type { Page } from '@/shell/page'
import { go, type Route } from '@/shell/router'
import { text } from '@strings/limits'
import { Explain } from './explain'
import { Now } from './now'
import { IdentityPlace } from './identity'
import { PolicyView, type Policy } from './policy'
import { Rules } from './rules'

function LookUp () {
  const [name, setName] = useState('')
  const look = (): void => { if (name.trim()) go('limits', [name.trim()]) }
  return html`<form class="look-up" onSubmit=${(event: Event) => { event.preventDefault(); look() }}><${TextField} bare label=${text.look.label} placeholder=${text.look.label} value=${name} onInput=${setName} mono /><${Button} type="submit">${text.look.go}</${Button}></form>`
}

function Limits ({ route }: { route: Route }) {
  const who = route.path[0]
  const asked = useAsked(async (signal) => (await api('GET /_cairn/limits', { signal })).rate_limit as Policy, [])
  if (who !== undefined) return html`<${IdentityPlace} key=${who} who=${who} />`
  const policy = asked.value
  return html`<${PageHead} title=${text.title} actions=${html`<${LookUp} />`}>${text.lead}</${PageHead}>
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${policy && !policy.enabled && html`<${Notice} kind="warning">${text.off}</${Notice}>`}${policy?.enabled && policy.shadow && html`<${Notice} kind="warning">${text.shadow}</${Notice}>`}
    ${policy && html`<${Tabs} label=${text.title} tabs=${[
      { id: 'now', title: text.tabs.now, content: () => html`<${Now} resources=${Object.keys(policy.resources)} />` },
      { id: 'rules', title: text.tabs.rules, content: () => html`<${Rules} />` },
      { id: 'explain', title: text.tabs.explain, content: () => html`<${Explain} />` },
      { id: 'policy', title: text.tabs.policy, content: () => html`<${PolicyView} policy=${policy} />` }
    ]} />`}`
}

export const page: Page = { id: 'limits', Component: Limits }
