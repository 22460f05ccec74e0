import { html } from '@/ui'
import { Code, Json } from '@/components/code'
import { Section } from '@/components/facts'
import { Table, type Column } from '@/components/table'
import { count } from '@/text/numbers'
import { text } from '@strings/limits'

interface Resource { window: string, authenticated?: number | null, unauthenticated?: number | null }
export interface Policy { enabled: boolean, shadow: boolean, plans: Record<string, number | null | object>, resources: Record<string, Resource>, [more: string]: unknown }

interface Row extends Resource { name: string }
const said = text.policy
const cell = (value: number | null | undefined) => value === null ? html`<span class="muted">${text.none}</span>` : value === undefined ? html`<span class="muted">${said.plans.toLowerCase()}</span>` : count(value)
const columns: readonly Column<Row>[] = [
  { id: 'name', title: said.name, value: (row) => row.name, wide: true },
  { id: 'window', title: said.window, value: (row) => row.window },
  { id: 'with', title: said.with, numeric: true, value: (row) => row.authenticated, cell: (row) => cell(row.authenticated) },
  { id: 'without', title: said.without, numeric: true, value: (row) => row.unauthenticated, cell: (row) => cell(row.unauthenticated) }
]
interface Plan { name: string, limit: string | number | null }
const planColumns: readonly Column<Plan>[] = [{ id: 'name', title: text.kind, value: (row) => row.name, wide: true }, { id: 'limit', title: text.limit, numeric: true, value: (row) => row.limit, cell: (row) => row.limit === null ? html`<span class="muted">${text.none}</span>` : typeof row.limit === 'number' ? count(row.limit) : row.limit }]
const planOf = ([name, value]: [string, number | null | object]): Plan => ({ name, limit: typeof value === 'object' && value !== null ? Object.entries(value).map(([field, one]) => `${field} ${one}`).join(', ') : value })

export function PolicyView ({ policy }: { policy: Policy }) {
  return html`<p class="muted">${said.lead}</p><${Code} value=${said.command} label=${said.command} />
    <${Section} title=${said.plans}><${Table} caption=${said.plans} columns=${planColumns} rows=${Object.entries(policy.plans).map(planOf)} rowKey=${(row: Plan) => row.name} filterName="plans" /></${Section}>
    <${Section} title=${said.resources}><${Table} caption=${said.resources} columns=${columns} rows=${Object.entries(policy.resources).map(([name, one]): Row => ({ name, ...one }))} rowKey=${(row: Row) => row.name} filterName="resources" /></${Section}>
    <${Section} title=${said.json}><${Json} value=${policy} label=${said.label} /></${Section}>`
}
