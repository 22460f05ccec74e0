import { html } from '@/ui'
import { readMetrics } from '@/api/metrics'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Empty } from '@/components/empty'
import { Card, Loading, Section, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { HistoryPlots, RangeChoice, type HistoryPlot } from '@/components/history_plot'
import { Bars } from '@/components/plot'
import { Table, type Column } from '@/components/table'
import { count, rate } from '@/text/numbers'
import { text } from '@strings/limits'
import { RuleForm } from './rule_form'

interface Rule { name: string, match?: string | string[], limit: number | string, window: string | number, per?: string, weight?: string, shadow?: boolean, identity?: string, index?: string, header?: string, value?: string, admitted: number, refused: number, would_be_refused: number }
const said = text.rules
const matches = (rule: Rule): string => [[rule.match ?? []].flat().join(', '), rule.identity, rule.index, rule.header && rule.header + (rule.value ? ': ' + rule.value : '')].filter(Boolean).join(' · ')
const columns: readonly Column<Rule>[] = [
  { id: 'name', title: said.name, value: (row) => row.name },
  { id: 'state', title: said.state, value: (row) => row.shadow ? said.shadow : said.live, cell: (row) => html`<${State} tone=${row.shadow ? 'warning' : 'good'}>${row.shadow ? said.shadow : said.live}</${State}>` },
  { id: 'match', title: said.match, value: matches, wide: true, cell: (row) => html`<code title=${matches(row)}>${matches(row)}</code>` },
  { id: 'limit', title: said.limit, value: (row) => `${row.limit} ${row.weight ?? 'requests'} / ${row.window}` },
  { id: 'per', title: said.per, value: (row) => row.per ?? 'identity', extra: true },
  { id: 'admitted', title: said.admitted, numeric: true, value: (row) => row.admitted, cell: (row) => count(row.admitted) },
  { id: 'refused', title: said.refused, numeric: true, value: (row) => row.refused, cell: (row) => count(row.refused) },
  { id: 'would', title: said.would, numeric: true, value: (row) => row.would_be_refused, cell: (row) => count(row.would_be_refused) }
]
const plots: readonly HistoryPlot[] = [{ title: said.history, unit: (value) => value === null ? '–' : rate(value), series: [{ metric: 'limited_per_second', label: said.perSecond }] }]

/** Refusals by surface and by what was exceeded. */
function Exceeded () {
  const asked = useAsked(async (signal) => readMetrics(await api('GET /_metrics', { signal }) as unknown as string), [], { every: 15_000 })
  const rows = (asked.value ?? []).filter(({ name, value }) => name === 'cairn_ratelimit_refused_total' && value > 0).map(({ labels, value }) => ({ name: Object.values(labels).join(', '), value }))
  return html`<${Card} title=${said.plotAll}><${Failure} problem=${asked.problem} onRetry=${asked.reload} />${asked.value && (rows.length === 0 ? html`<p class="muted">${said.noneRefused}</p>` : html`<${Bars} label=${said.plotAll} rows=${rows} unit=${count} />`)}</${Card}>`
}

export function Rules () {
  const asked = useAsked((signal) => api('GET /_cairn/limits/_rules', { signal }), [], { every: 5000 })
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const rules = asked.value.rules as unknown as Rule[]
  const refused = rules.filter((rule) => rule.refused + rule.would_be_refused > 0)
  return html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${Table} caption=${said.caption} columns=${columns} rows=${rules} rowKey=${(row: Rule) => row.name} sort="-refused" empty=${html`<${Empty} icon="limits" title=${said.empty} command=${said.command}>${said.emptyText}</${Empty}>`} />
    <div class="columns"><${Card} title=${said.plot}>${refused.length === 0 ? html`<p class="muted">${said.noneRefused}</p>` : html`<${Bars} label=${said.plot} unit=${count} rows=${refused.map((rule) => ({ name: rule.name + (rule.shadow ? ` (${said.shadow})` : ''), value: rule.refused + rule.would_be_refused }))} /><p class="muted small">${said.sinceStart}</p>`}</${Card}><${Exceeded} /></div>
    <${Section} title=${said.history} actions=${html`<${RangeChoice} />`}><${HistoryPlots} plots=${plots} /></${Section}>
    <${RuleForm} />`
}
