import { html, useState } from '@/ui'
import { useLive } from '@/api/events'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Empty } from '@/components/empty'
import { Loading, Section, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField } from '@/components/field'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { count } from '@/text/numbers'
import { text } from '@strings/limits'
import { Share, shareOf } from './share'

interface Use { identity: string, kind: string, limit: number, used: number, remaining: number, reset: number }
interface Refused { identity: string, kind: string, limit: string, operation: string, rule?: string, refused: boolean, times: number, last: number, until?: number }

const useColumns: readonly Column<Use>[] = [
  { id: 'identity', title: text.identity, value: (row) => row.identity, wide: true },
  { id: 'kind', title: text.kind, value: (row) => row.kind, extra: true },
  { id: 'share', title: text.share, value: (row) => shareOf(row.used, row.limit), cell: (row) => html`<${Share} used=${row.used} limit=${row.limit} name=${row.identity} />` },
  { id: 'used', title: text.used, numeric: true, value: (row) => row.used, cell: (row) => count(row.used) },
  { id: 'limit', title: text.limit, numeric: true, value: (row) => row.limit, cell: (row) => count(row.limit) },
  { id: 'remaining', title: text.remaining, numeric: true, value: (row) => row.remaining, cell: (row) => count(row.remaining) },
  { id: 'reset', title: text.reset, value: (row) => new Date(row.reset * 1000).toISOString(), cell: (row) => html`<${When} at=${row.reset * 1000} />` }
]
const refusedColumns: readonly Column<Refused>[] = [
  { id: 'identity', title: text.identity, value: (row) => row.identity },
  { id: 'state', title: text.state, value: (row) => row.refused ? text.limited.refused : text.limited.shadowed, cell: (row) => html`<${State} tone=${row.refused ? 'bad' : 'warning'}>${row.refused ? text.limited.refused : text.limited.shadowed}</${State}>` },
  { id: 'limit', title: text.limited.what, value: (row) => row.rule ? `${row.limit}: ${row.rule}` : row.limit },
  { id: 'operation', title: text.limited.operation, wide: true, value: (row) => row.operation },
  { id: 'times', title: text.limited.times, numeric: true, value: (row) => row.times, cell: (row) => count(row.times) },
  { id: 'last', title: text.limited.last, value: (row) => new Date(row.last * 1000).toISOString(), cell: (row) => html`<${When} at=${row.last * 1000} />` },
  { id: 'until', title: text.limited.until, value: (row) => row.until ? new Date(row.until * 1000).toISOString() : null, cell: (row) => row.until ? html`<${When} at=${row.until * 1000} />` : '–' }
]
const everyMs = 3000

export function Now ({ resources }: { resources: readonly string[] }) {
  const [resource, setResource] = useState('core')
  const top = useAsked((signal) => api('GET /_cairn/limits/_top', { signal, query: { resource, size: 1000 } }), [resource], { every: everyMs })
  const live = useLive('limits')
  const asked = useAsked((signal) => api('GET /_cairn/limits/_limited', { signal, query: { size: 1000 } }), [], { every: live ? 60_000 : everyMs })
  const limited = (live?.limited ?? asked.value?.identities) as Refused[] | undefined
  const place = (row: { identity: string }): string => href('limits', [row.identity])
  return html`<${Section} title=${text.limited.title}><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
      ${!limited ? !asked.problem && html`<${Loading} />` : html`<${Table} caption=${text.limited.caption} columns=${refusedColumns} rows=${limited} rowKey=${(row: Refused) => `${row.identity} ${row.limit} ${row.operation}`} rowHref=${place} filterName="limited" sort="-last"
        empty=${html`<${Empty} icon="check" title=${text.limited.empty} command=${text.limited.command}>${text.limited.emptyText}</${Empty}>`} />`}</${Section}>
    <${Section} title=${text.top.title}><${Failure} problem=${top.problem} onRetry=${top.reload} />
      ${!top.value ? !top.problem && html`<${Loading} />` : html`<${Table} caption=${text.top.caption(resource)} columns=${useColumns} rows=${top.value.identities as Use[]} rowKey=${(row: Use) => row.identity} rowHref=${place} sort="-used"
        tools=${html`<${SelectField} bare label=${text.top.resource} value=${resource} onInput=${setResource} choices=${resources} />`}
        empty=${html`<${Empty} icon="limits" title=${text.top.empty} command=${text.top.command(resource)}>${text.top.emptyText}</${Empty}>`} />`}</${Section}>`
}
