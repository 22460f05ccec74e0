// A plot over time: with a caption that says what it shows, a cursor for keys, and the same values as a table.
import { html, useEffect, useMemo, useRef, useState } from '@/ui'
import { text } from '@strings/common'
import { bytes, decimal } from '@/text/numbers'
import { clock, moment } from '@/text/times'
import { theme } from '@/shell/theme'
import { Button } from './button'
import { Table, type Column } from './table'
import type UPlot from 'uplot'

export interface Series { label: string, values: readonly (number | null)[] }

export interface PlotProps {
  title: string
  /** Milliseconds of the epoch, rising. */
  times: readonly number[]
  /** At most four: they differ by colour and by dashes. */
  series: readonly Series[]
  /** Turns a value into text. */
  unit?: (value: number | null) => string
  height?: number
  /** The scale begins at 0; without, at the lowest value. */
  fromZero?: boolean
  /** The scale ends here at least: a limit. */
  most?: number
}

const dashes: (number[] | undefined)[] = [undefined, [6, 3], [2, 3], [10, 3, 2, 3]]
const colour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

function trend (values: readonly number[]): string {
  if (values.length < 4) return text.plot.steady
  const half = Math.floor(values.length / 2)
  const mean = (some: readonly number[]): number => some.reduce((a, b) => a + b, 0) / some.length
  const change = mean(values.slice(half)) - mean(values.slice(0, half))
  const span = Math.max(...values) - Math.min(...values)
  return Math.abs(change) < 0.1 * span || span === 0 ? text.plot.steady : change > 0 ? text.plot.rising : text.plot.falling
}

function summary (series: Series, unit: (value: number | null) => string): string {
  const values = series.values.filter((value): value is number => value !== null)
  if (values.length === 0) return `${series.label}: ${text.unknown}`
  return `${series.label}: ${text.plot.now} ${unit(values.at(-1)!)}, ${text.plot.lowest} ${unit(Math.min(...values))}, ${text.plot.highest} ${unit(Math.max(...values))}, ${trend(values)}`
}

/** Hours and minutes; over more than two days the days. */
function timeLabels (splits: readonly number[]): string[] {
  const days = (splits.at(-1) ?? 0) - (splits[0] ?? 0) > 2 * 86_400
  return splits.map((seconds) => days ? moment(seconds * 1000).slice(5, 10) : clock(seconds * 1000).slice(0, 5))
}

// Bytes are counted by powers of two, so that their marks are round.
const powersOfTwo = Array.from({ length: 50 }, (_, n) => 2 ** n)

function options (props: PlotProps, width: number, height: number, onCursor: (at: number | null) => void): UPlot.Options {
  const unit = props.unit ?? decimal
  const axis = { stroke: colour('--muted'), font: '11px system-ui, sans-serif', grid: { stroke: colour('--line-soft'), width: 1 }, ticks: { show: false } }
  return {
    width, height, legend: { show: false }, padding: [8, 8, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { size: 7 }, y: false },
    scales: { x: { time: true }, y: { range: (_, low, high) => [props.fromZero === false ? low : 0, Math.max(high * 1.05, props.most ?? 0) || 1] } },
    axes: [{ ...axis, size: 24, values: (_: UPlot, splits: number[]) => timeLabels(splits) }, { ...axis, size: 62, ...(unit === bytes ? { incrs: powersOfTwo } : {}), values: (_: UPlot, splits: number[]) => splits.map(unit) }],
    series: [{}, ...props.series.map((one, n): UPlot.Series => ({ label: one.label, stroke: colour(`--plot-${n + 1}`), width: 1.75, dash: dashes[n], spanGaps: false, points: { show: false }, ...(n === 0 && props.series.length === 1 ? { fill: colour('--plot-fill') } : {}) }))],
    hooks: { setCursor: [(plot: UPlot) => onCursor(plot.cursor.idx ?? null)] }
  }
}

function Canvas (props: PlotProps & { cursor: number | null, onCursor: (at: number | null) => void }) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | null>(null)
  const height = props.height ?? 160
  const data = (): UPlot.AlignedData => [props.times.map((ms) => ms / 1000), ...props.series.map(({ values }) => [...values])] as UPlot.AlignedData
  const labels = props.series.map(({ label }) => label).join('\u0000')
  useEffect(() => {
    let gone = false
    let sizes: ResizeObserver | undefined
    void import('uplot').then(({ default: Plot }) => {
      if (gone || !place.current) return
      plot.current = new Plot(options(props, place.current.clientWidth || 300, height, props.onCursor), data(), place.current)
      sizes = new ResizeObserver(() => { const width = place.current?.clientWidth; if (width) plot.current?.setSize({ width, height }) })
      sizes.observe(place.current)
    })
    return () => { gone = true; sizes?.disconnect(); plot.current?.destroy(); plot.current = null }
  }, [labels, height, theme.value.shown, props.most])
  useEffect(() => { plot.current?.setData(data()) }, [props.times, props.series])
  const move = (event: KeyboardEvent): void => {
    const last = props.times.length - 1
    const at = props.cursor ?? last
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last, PageUp: at - 10, PageDown: at + 10 }[event.key]
    if (to === undefined || last < 0) return
    event.preventDefault()
    const next = Math.max(0, Math.min(last, to))
    const left = plot.current?.valToPos(props.times[next]! / 1000, 'x') ?? 0
    plot.current?.setCursor({ left, top: 10 })
    props.onCursor(next)
  }
  const at = props.cursor ?? props.times.length - 1
  const said = props.times[at] === undefined ? text.plot.noData : `${moment(props.times[at])}: ${props.series.map((one) => `${one.label} ${(props.unit ?? decimal)(one.values[at] ?? null)}`).join(', ')}`
  return html`<div class="plot-canvas" ref=${place} tabindex="0" role="slider" aria-label=${`${props.title}. ${text.plot.keys}`} aria-valuemin=${0} aria-valuemax=${Math.max(0, props.times.length - 1)} aria-valuenow=${Math.max(0, at)} aria-valuetext=${said} onKeyDown=${move}></div>`
}

export function Plot (props: PlotProps) {
  const { title, times, series, unit = decimal } = props
  const [asTable, setAsTable] = useState(false)
  const [cursor, setCursor] = useState<number | null>(null)
  const has = series.some(({ values }) => values.some((value) => value !== null))
  const rows = useMemo(() => asTable ? times.map((_, n) => n).reverse() : [], [asTable, times])
  const columns: Column<number>[] = [
    { id: 'time', title: text.plot.time, value: (n) => moment(times[n]) },
    ...series.map((one): Column<number> => ({ id: one.label, title: one.label, numeric: true, value: (n) => one.values[n], cell: (n) => unit(one.values[n] ?? null) }))
  ]
  return html`<figure class="plot">
    <figcaption class="plot-head"><div><strong class="plot-title">${title}</strong><span class="hidden">. ${series.map((one) => summary(one, unit)).join('. ')}</span>
      <span class="plot-legend" aria-hidden="true">${cursor !== null && times[cursor] !== undefined && html`<span class="muted numeric">${clock(times[cursor]!)}</span>`}
        ${series.map((one, n) => html`<span key=${one.label}><i class=${'plot-key plot-key-' + (n + 1)}></i>${one.label} <b class="numeric">${unit(one.values[cursor ?? one.values.length - 1] ?? null)}</b></span>`)}</span></div>
      ${has && html`<${Button} kind="quiet" small icon="table" label=${asTable ? text.plot.asPlot : text.plot.asTable} aria-pressed=${asTable} onClick=${() => setAsTable(!asTable)} />`}</figcaption>
    ${!has ? html`<p class="plot-none muted">${text.plot.noData}</p>` : asTable
      ? html`<${Table} caption=${title} columns=${columns} rows=${rows} rowKey=${String} filterName=${null} />`
      : html`<${Canvas} ...${props} cursor=${cursor} onCursor=${setCursor} />`}</figure>`
}

/** Bars of some named values, longest first where `sorted`: tokens of a sparse vector, parts of a score. */
export function Bars ({ label, rows, unit = decimal }: { label: string, rows: readonly { name: string, value: number, note?: string }[], unit?: (value: number) => string }) {
  const most = Math.max(...rows.map(({ value }) => Math.abs(value)), 0) || 1
  return html`<table class="bars"><caption class="hidden">${label}</caption><tbody>${rows.map((row, n) => html`<tr key=${n}><th scope="row">${row.name}</th>
    <td class="bars-bar" aria-hidden="true"><i class=${row.value < 0 ? 'is-negative' : undefined} style=${{ width: Math.abs(row.value) / most * 100 + '%' }}></i></td><td class="numeric">${unit(row.value)}</td>${row.note !== undefined && html`<td class="muted">${row.note}</td>`}</tr>`)}</tbody></table>`
}
