import { html, useState } from '@/ui'
import { Button } from '@/components/button'
import { PageHead } from '@/components/facts'
import type { Page } from '@/shell/page'
import type { Route } from '@/shell/router'
import { text } from '@strings/audit'
import { ExportDialog } from './export'
import { Log } from './log'
import { Shipping } from './shipping'
import { VerifyDialog } from './verify'

function Audit ({ route }: { route: Route }) {
  const [open, setOpen] = useState<'verify' | 'export' | undefined>(undefined)
  const close = (): void => setOpen(undefined)
  return html`<${PageHead} title=${text.title} actions=${html`<${Button} icon="check" onClick=${() => setOpen('verify')}>${text.verify.action}</${Button}><${Button} icon="download" onClick=${() => setOpen('export')}>${text.export.action}</${Button}>`}>${text.lead}</${PageHead}>
    <${Log} query=${route.query} /><${Shipping} />
    ${open === 'verify' && html`<${VerifyDialog} onClose=${close} />`}${open === 'export' && html`<${ExportDialog} onClose=${close} />`}`
}

export const page: Page = { id: 'audit', Component: Audit }
