import { html, useMemo } from '@/ui'
import { Card } from '@/components/facts'
import { Plot } from '@/components/plot'
import { count } from '@/text/numbers'
import { text } from '@strings/audit'
import { resultOf, results, type Line, type Result } from './line'

const steps = 48
const labels: Record<Result, string> = { granted: text.plot.done, access_denied: text.plot.refused, authentication_failed: text.plot.signIn, failed: text.plot.failed }

/** How many lines of each result, over the time that the found lines cover. */
export function ResultPlot ({ lines }: { lines: readonly Line[] }) {
  const { times, series } = useMemo(() => {
    const at = lines.map((line) => Date.parse(line['@timestamp']))
    const from = at.reduce((least, one) => Math.min(least, one), Infinity)
    const to = at.reduce((most, one) => Math.max(most, one), -Infinity)
    const step = Math.max(1000, (to - from) / steps)
    const counts = Object.fromEntries(results.map((result) => [result, new Array<number>(steps + 1).fill(0)])) as Record<Result, number[]>
    lines.forEach((line, n) => { const slot = Math.min(steps, Math.floor((at[n]! - from) / step)); counts[resultOf(line)][slot] = counts[resultOf(line)][slot]! + 1 })
    return { times: Array.from({ length: steps + 1 }, (_, n) => from + n * step), series: results.filter((result) => counts[result].some((n) => n > 0)).map((result) => ({ label: labels[result], values: counts[result] })) }
  }, [lines])
  return html`<${Card}><${Plot} title=${text.plot.title} times=${times} series=${series} unit=${(value: number | null) => value === null ? '–' : count(value)} height=${150} fromZero /><p class="muted small">${text.plot.of(lines.length)}</p></${Card}>`
}
