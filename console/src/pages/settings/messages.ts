// What is wrong now, and how far messages about it are.
import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Figure, Loading, State, Tag, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Notice } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { count } from '@/text/numbers'
import { text } from '@strings/settings'

const said = text.messages
interface Condition { kind: string, subject: string, text: string, since: string, told: string }
interface Tried { sent: boolean, reason?: string }

const columns: readonly Column<Condition>[] = [
  { id: 'kind', title: said.kind, value: (row) => row.kind, cell: (row) => html`<${State} tone="bad">${row.kind.replaceAll('_', ' ')}</${State}>` },
  { id: 'text', title: said.text, value: (row) => row.text, wide: true, cell: (row) => html`<span title=${row.text}>${row.text}</span>` },
  { id: 'subject', title: said.subject, value: (row) => row.subject, extra: true },
  { id: 'since', title: said.since, value: (row) => row.since, cell: (row) => html`<${When} at=${row.since} />` }
]

export function Messages () {
  const asked = useAsked((signal) => api('GET /_cairn/messages', { signal }), [], { every: 15_000 })
  const [tried, setTried] = useState<Record<string, Tried> | undefined>(undefined)
  const [doing, run] = useAction()
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const { ways, waiting, sent, given_up: lost, last_error: last } = asked.value
  const conditions = asked.value.conditions as Condition[]
  const test = (): void => { void run(async () => setTried((await api('POST /_cairn/messages/_test', { timeout: 0 }))['ways'] as Record<string, Tried>)).then(() => asked.reload()) }
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem ?? doing.problem} onRetry=${asked.reload} />
    ${ways.length === 0 ? html`<${Notice} kind="warning" title=${said.noWay}>${said.noWayText}</${Notice}>` : html`<div class="bar"><div class="bar-start"><span class="muted">${said.ways}</span>${ways.map((way) => html`<${Tag} key=${way}>${way}</${Tag}>`)}</div><div class="bar-end"><${Button} icon="chat" busy=${doing.busy} onClick=${test}>${said.test}</${Button}></div></div>`}
    <div aria-live="polite">${tried && Object.entries(tried).map(([way, one]) => html`<${Notice} key=${way} kind=${one.sent ? 'good' : 'error'} title=${one.sent ? said.testSent(way) : said.testFailed(way)}>${one.reason}</${Notice}>`)}</div>
    <dl class="figures"><${Figure} name=${said.wrong} value=${count(conditions.length)} /><${Figure} name=${said.waiting} value=${count(waiting)} /><${Figure} name=${said.sent} value=${count(Number(sent))} /><${Figure} name=${said.lost} value=${count(lost)} /></dl>
    ${last && html`<${Notice} kind="warning" title=${said.lastError}>${last.reason} · <${When} at=${last.time} /></${Notice}>`}
    <${Table} caption=${said.caption} columns=${columns} rows=${conditions} rowKey=${(row: Condition) => row.kind + row.subject} sort="since" filterName="condition" empty=${html`<${Empty} icon="check" title=${said.fine}>${said.fineText}</${Empty}>`} />`
}
