import { html, useState } from '@/ui'
import { useAsked } from '@/api/use'
import { sessionEnded } from '@/api/session'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Empty } from '@/components/empty'
import { Loading, Tag, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text } from '@strings/keys'
import { endSession, sessions, type OpenSession } from './session_list'

const said = text.sessions
const time = (id: 'created_at_ms' | 'used_at_ms' | 'expires_at_ms', title: string): Column<OpenSession> => ({ id, title, value: (row) => new Date(row[id]).toISOString(), cell: (row) => html`<${When} at=${row[id]} />` })
const columns: readonly Column<OpenSession>[] = [
  { id: 'key', title: said.key, value: (row) => row.key.name, cell: (row) => html`${row.key.name}${row.current && html` <${Tag}>${said.current}</${Tag}>`}` },
  { id: 'user', title: said.user, value: (row) => row.username },
  { id: 'address', title: said.address, value: (row) => row.address },
  { id: 'browser', title: said.browser, value: (row) => row.browser, wide: true, cell: (row) => html`<span title=${row.browser}>${row.browser}</span>` },
  time('created_at_ms', said.begun), time('used_at_ms', said.used), time('expires_at_ms', said.ends)
]

export function Sessions () {
  const asked = useAsked(sessions, [], { every: 15_000 })
  const [ending, setEnding] = useState<OpenSession | undefined>(undefined)
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${Table} caption=${said.caption} columns=${columns} rows=${asked.value} rowKey=${(row: OpenSession) => row.id} sort="-used_at_ms" filterName="sessions" busy=${asked.busy} actions=${(row: OpenSession) => html`<${Button} small kind="quiet" icon="out" label=${`${said.end}: ${row.key.name}`} onClick=${() => setEnding(row)} />`} empty=${html`<${Empty} icon="keys" title=${said.empty} />`} />
    ${ending && html`<${Confirm} title=${said.confirm(ending.key.name)} verb=${said.end} action=${() => endSession(ending.id)} onClose=${() => setEnding(undefined)} onDone=${() => { if (ending.current) sessionEnded('signed_out'); else { toast(said.ended); asked.reload() } }}>${ending.current ? said.confirmOwn : said.confirmText}</${Confirm}>`}`
}
