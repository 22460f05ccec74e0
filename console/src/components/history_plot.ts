// A plot of what the server remembers, with the choice of how far back for a whole group of them.
import { html, useMemo } from '@/ui'
import { history, ranges, type Range, type Series } from '@/api/history'
import { useAsked } from '@/api/use'
import { route, setQuery } from '@/shell/router'
import { text } from '@strings/common'
import { Failure } from './failure'
import { Loading } from './facts'
import { Plot } from './plot'

export interface HistoryPlot {
  title: string
  series: readonly { metric: Series, label: string }[]
  unit?: (value: number | null) => string
  fromZero?: boolean
  most?: number
}

const everyMs: Record<Range, number> = { '1h': 20_000, '24h': 60_000, '7d': 300_000 }

export const chosenRange = (): Range => ranges.find((one) => one === route.value.query['range']) ?? '1h'

export function RangeChoice () {
  const chosen = chosenRange()
  return html`<div class="segments" role="group" aria-label=${text.plot.range}>${ranges.map((one) => html`<button type="button" key=${one} aria-pressed=${one === chosen} onClick=${() => setQuery({ range: one === '1h' ? null : one })}>${text.plot.ranges[one]}</button>`)}</div>`
}

/** Plots of one group, asked for by one request, in the range that the place names. */
export function HistoryPlots ({ plots }: { plots: readonly HistoryPlot[] }) {
  const range = chosenRange()
  const metrics = [...new Set(plots.flatMap(({ series }) => series.map(({ metric }) => metric)))]
  const asked = useAsked((signal) => history(metrics, range, signal), [range, metrics.join()], { every: everyMs[range] })
  const shown = useMemo(() => plots.map((plot) => ({ ...plot, lines: plot.series.map(({ metric, label }) => ({ label, values: asked.value?.values[metric] ?? [] })) })), [asked.value])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  return html`<div class="columns">${shown.map((plot) => html`<div class="card" key=${plot.title}><${Plot} title=${plot.title} times=${asked.value!.times} series=${plot.lines} unit=${plot.unit} fromZero=${plot.fromZero} most=${plot.most} /></div>`)}</div>`
}
