import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { session } from '@/api/session'
import { Button } from '@/components/button'
import { Facts, State, Tag } from '@/components/facts'
import { Failure } from '@/components/failure'
import { NumberField, SelectField, TextField } from '@/components/field'
import { Notice } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { route, setQuery } from '@/shell/router'
import { count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/limits'

const said = text.explain
interface Limit { limit: string, cap?: number | null, used?: number, cost?: number, remaining?: number, admits: boolean, resource?: string, endpoint?: string, rule?: string, by?: string, per?: string, reset_in_s?: number, shadow?: boolean, until?: number }
interface Explained { identity: string, kind: string, exempt: boolean, limited: boolean, admitted: boolean, limits?: Limit[], refusal?: string, rule?: string, retry_after?: number, would_be_refused?: string, request: { method: string, path: string, route?: string, operation?: string } }

const ofWhat = (row: Limit): string => row.resource ?? row.rule ?? row.endpoint ?? ''
/** The place in the configuration file. */
const setBy = (row: Limit): string => row.by ?? (row.rule ? 'rate_limit.rules' : row.limit === 'banned' ? 'rate_limit.ban' : 'rate_limit.secondary')
const number = (id: 'used' | 'cost' | 'remaining' | 'cap', title: string): Column<Limit> => ({ id, title, numeric: true, value: (row) => row[id], cell: (row) => row[id] === null ? html`<span class="muted">${text.none}</span>` : count(row[id]) })
const columns: readonly Column<Limit>[] = [
  { id: 'limit', title: said.limit, value: (row) => said.names[row.limit] ?? row.limit },
  { id: 'admits', title: said.admits, value: (row) => row.admits, cell: (row) => html`<${State} tone=${row.admits ? 'good' : row.shadow ? 'warning' : 'bad'}>${row.admits ? 'yes' : row.shadow ? 'no, shadow' : 'no'}</${State}>` },
  { id: 'of', title: said.of, value: ofWhat, wide: true },
  number('cap', said.cap), number('used', said.used), number('cost', said.cost), number('remaining', said.left),
  { id: 'resets', title: said.resets, numeric: true, value: (row) => row.reset_in_s, cell: (row) => duration(row.reset_in_s === undefined ? null : row.reset_in_s * 1000) },
  { id: 'by', title: said.by, extra: true, value: setBy, cell: (row) => html`<code>${setBy(row).replace('rate_limit.', '')}</code>` }
]

export function Explain () {
  const [who, setWho] = useState(route.value.query['identity'] ?? (session.value ? 'key:' + session.value.key.id : ''))
  const [method, setMethod] = useState('POST')
  const [path, setPath] = useState('/books/_search')
  const [bytes, setBytes] = useState<number | null>(null)
  const [header, setHeader] = useState('')
  const [found, setFound] = useState<Explained | undefined>(undefined)
  const [doing, run] = useAction()
  const ask = (): void => {
    setQuery({ identity: who })
    void run(async () => setFound(await api('GET /_cairn/limits/_explain', { query: { identity: who, method, path, body_bytes: bytes ?? undefined, header: header || undefined } }) as Explained))
  }
  const whatOf = (name: string | undefined): string => name === 'rule' && found?.rule ? said.rule(found.rule) : said.refusals[name ?? ''] ?? name ?? ''
  return html`<p class="muted">${said.lead}</p><form class="form" onSubmit=${(event: Event) => { event.preventDefault(); ask() }}>
      <div class="form-row"><${TextField} label=${said.identity} hint=${text.look.hint} value=${who} onInput=${setWho} mono required /><${SelectField} label=${said.method} value=${method} onInput=${setMethod} choices=${['GET', 'HEAD', 'POST', 'PUT', 'DELETE']} /><${TextField} label=${said.path} value=${path} onInput=${setPath} mono required /></div>
      <div class="form-row"><${NumberField} label=${said.bytes} value=${bytes} onInput=${setBytes} min=${0} /><${TextField} label=${said.headers} hint=${said.headersHint} value=${header} onInput=${setHeader} mono /></div>
      <div><${Button} kind="main" type="submit" busy=${doing.busy}>${said.go}</${Button}></div></form>
    <${Failure} problem=${doing.problem} />
    <div aria-live="polite" class="stack">${found && html`
      <${Notice} kind=${found.admitted ? 'good' : 'error'} title=${found.admitted ? said.admitted : said.refused(whatOf(found.refusal))}>${!found.limited && html`<p>${said.unlimited}</p>`}${found.retry_after ? html`<p>${said.fits(duration(found.retry_after * 1000))}</p>` : null}${found.would_be_refused && html`<p>${said.shadowed(whatOf(found.would_be_refused))}</p>`}</${Notice}>
      <${Facts} rows=${[[said.identity, html`<code>${found.identity}</code> <${Tag}>${found.kind}</${Tag}>${found.exempt && html` <${Tag}>${text.one.exempt}</${Tag}>`}`], [said.route, html`<code>${found.request.route ?? '–'}</code>`], [said.operation, found.request.operation]]} />
      ${found.limits && html`<${Table} caption=${said.caption} columns=${columns} rows=${found.limits} rowKey=${(row: Limit) => `${row.limit} ${ofWhat(row)} ${row.cap}`} filterName="limits" />`}`}</div>`
}
