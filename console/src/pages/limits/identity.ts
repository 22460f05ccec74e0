import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Facts, Loading, PageHead, Section, State, Tag, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField } from '@/components/field'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { count } from '@/text/numbers'
import { moment } from '@/text/times'
import { text } from '@strings/limits'
import { Share, shareOf } from './share'

interface Row { name: string, used: number, limit: number | null, reset: number | null }

const number = (id: 'used' | 'limit', title: string): Column<Row> => ({ id, title, numeric: true, value: (row) => row[id], cell: (row) => row[id] === null ? html`<span class="muted">${text.none}</span>` : count(row[id]) })
const columns = (title: string, resets: boolean): readonly Column<Row>[] => [
  { id: 'name', title, wide: true, value: (row) => row.name },
  { id: 'share', title: text.share, value: (row) => shareOf(row.used, row.limit), cell: (row) => html`<${Share} used=${row.used} limit=${row.limit} name=${row.name} />` },
  number('used', text.used), number('limit', text.limit),
  ...(resets ? [{ id: 'reset', title: text.reset, value: (row: Row) => row.reset, cell: (row: Row) => html`<${When} at=${row.reset === null ? null : row.reset * 1000} />` }] : [])
]
const primaryColumns = columns(text.one.resource, true)
const secondaryColumns = columns(text.one.counter, false)
const endpointColumns = columns(text.one.endpoint, false)

/** The counters that have a used and a limit, with the path of their names. */
function counters (of: Record<string, any>, path = ''): Row[] {
  return Object.entries(of).flatMap(([name, value]): Row[] => {
    if (typeof value !== 'object' || value === null) return []
    if ('used' in value && 'limit' in value && typeof value.used === 'number') return [{ name: text.one.counters[path + name] ?? path + name, used: value.used, limit: value.limit, reset: null }]
    return counters(value, path + name + '.')
  })
}

/** Points are used by endpoint; one limit holds for each. */
function endpoints (secondary: Record<string, any>): Row[] {
  const points = secondary['points_per_minute'] ?? {}
  return Object.entries((points.used ?? {}) as Record<string, number>).map(([name, used]) => ({ name, used, limit: (/graphql/.test(name) ? points.limit_graphql : points.limit_rest) ?? null, reset: null }))
}

export function IdentityPlace ({ who }: { who: string }) {
  const asked = useAsked((signal) => api('GET /_cairn/limits/{identity}', { path: { identity: who }, signal }), [who], { every: 3000 })
  const [all, setAll] = useState(false)
  const [resetting, setResetting] = useState(false)
  const found = asked.value
  const windows = Object.entries(found?.windows ?? {}).map(([name, one]: [string, any]): Row => ({ name, used: one.used, limit: one.limit, reset: one.reset }))
  const points = found ? endpoints(found.secondary) : []
  const shown = windows.filter(({ used, name }) => all || used > 0 || name === 'core' || name === 'search')
  const ban = found?.ban as { banned?: boolean, until?: number, strikes?: number } | null | undefined
  const account = found?.account ?? who
  return html`<${PageHead} title=${who} trail=${[{ title: text.title, href: href('limits') }]} actions=${html`<${Button} icon="info" href=${href('limits', [], { tab: 'explain', identity: who })}>${text.one.explain}</${Button}><${Button} kind="danger" icon="refresh" onClick=${() => setResetting(true)}>${text.one.reset}</${Button}>`} />
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${!found ? !asked.problem && html`<${Loading} />` : html`
      <div class="tags">${found.account !== who && html`<${Tag}>${found.account}</${Tag}>`}<${Tag}>${found.kind}</${Tag}></div>
      ${found.exempt && html`<p><${State} tone="warning">${text.one.exempt}</${State}></p>`}${!found.known && html`<p class="muted">${text.one.unknown}</p>`}${found.shares_record && html`<p><${State} tone="warning">${text.one.shares}</${State}></p>`}
      ${ban !== undefined && html`<${Facts} rows=${[[text.one.ban, html`<${State} tone=${ban?.banned ? 'bad' : 'good'}>${ban?.banned ? text.one.banned(moment((ban.until ?? 0) * 1000)) : text.one.notBanned}</${State}>${ban?.strikes ? ' ' + text.one.strikes(ban.strikes) : ''}`]]} />`}
      <${Section} title=${text.one.primary}><${Table} caption=${text.one.primary} columns=${primaryColumns} rows=${shown} rowKey=${(row: Row) => row.name} sort="-used" tools=${html`<${CheckField} label=${text.one.all} value=${all} onInput=${setAll} />`} /></${Section}>
      <${Section} title=${text.one.secondary}><${Table} caption=${text.one.secondary} columns=${secondaryColumns} rows=${counters(found.secondary)} rowKey=${(row: Row) => row.name} filterName="secondary" /></${Section}>
      ${points.length > 0 && html`<${Section} title=${text.one.points}><${Table} caption=${text.one.points} columns=${endpointColumns} rows=${points} rowKey=${(row: Row) => row.name} sort="-used" filterName="points" /></${Section}>`}
      <${Section} title=${text.one.own} lead=${text.one.ownText}><${Code} label=${text.one.own} value=${`rate_limit:\n  identities:\n    ${JSON.stringify(account)}: { core: 20000, search: 300 }`} /><p class="muted">${text.one.exemptText}</p><${Code} label=${text.one.exemptText} value=${`rate_limit:\n  identity:\n    exempt: [${JSON.stringify(account)}]`} /></${Section}>`}
    ${resetting && html`<${Confirm} title=${text.one.resetTitle(who)} verb=${text.one.reset} action=${() => api('DELETE /_cairn/limits/{identity}', { path: { identity: who } })} onClose=${() => setResetting(false)} onDone=${() => { toast(text.one.resetDone(who)); asked.reload() }}>${text.one.resetText}</${Confirm}>`}`
}
