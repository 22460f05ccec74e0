import { html } from '@/ui'
import { readMetrics } from '@/api/metrics'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Empty } from '@/components/empty'
import { Loading, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Table, type Column } from '@/components/table'
import { duration } from '@/text/times'
import { text } from '@strings/settings'

interface Certificate { server: string, ends: number }
const soonMs = 14 * 86_400_000

const columns: readonly Column<Certificate>[] = [
  { id: 'server', title: text.tls.server, value: (row) => row.server },
  { id: 'ends', title: text.tls.ends, value: (row) => new Date(row.ends).toISOString(), cell: (row) => html`<${When} exact at=${row.ends} />` },
  { id: 'left', title: text.tls.left, numeric: true, value: (row) => Math.floor((row.ends - Date.now()) / 1000), cell: (row) => html`<${State} tone=${row.ends < Date.now() ? 'bad' : row.ends < Date.now() + soonMs ? 'warning' : 'good'}>${duration(Math.max(0, row.ends - Date.now()))}</${State}>` }
]

export function Certificates () {
  const asked = useAsked(async (signal) => readMetrics(await api('GET /_metrics', { signal }) as unknown as string), [])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload}><p>${text.tls.refused}</p></${Failure}>` : html`<${Loading} />`
  const rows = asked.value.filter(({ name }) => name === 'cairn_tls_certificate_expiry_timestamp_seconds').map(({ labels, value }): Certificate => ({ server: labels['server'] ?? '', ends: value * 1000 }))
  return html`<p class="muted">${text.tls.lead}</p>
    <${Table} caption=${text.tls.caption} columns=${columns} rows=${rows} rowKey=${(row: Certificate) => row.server} sort="ends"
      empty=${html`<${Empty} icon="lock" title=${text.tls.none} command=${text.tls.command}>${text.tls.noneText}</${Empty}>`} />`
}
