import { html } from '@/ui'
import { useLive } from '@/api/events'
import { PageHead, Section } from '@/components/facts'
import { HistoryPlots, RangeChoice, type HistoryPlot } from '@/components/history_plot'
import type { Page } from '@/shell/page'
import { bytes, rate } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/overview'
import { Figures } from './figures'
import { HealthCard } from './health'
import { JobsCard } from './jobs'
import { LogSection } from './log'
import { SecurityNotes } from './security'
import { SpaceCard } from './space'

const ms = (value: number | null): string => value === null ? '–' : duration(value)
const plots: readonly HistoryPlot[] = [
  { title: text.plots.requests, unit: (value) => value === null ? '–' : rate(value), series: [{ metric: 'requests_per_second', label: text.plots.answered }, { metric: 'errors_per_second', label: text.plots.errors }, { metric: 'limited_per_second', label: text.plots.limited }] },
  { title: text.plots.latency, unit: ms, series: [{ metric: 'latency_p50_ms', label: text.plots.p50 }, { metric: 'latency_p99_ms', label: text.plots.p99 }] },
  { title: text.plots.memory, unit: bytes, series: [{ metric: 'memory_resident_bytes', label: text.plots.resident }] },
  { title: text.plots.disk, unit: bytes, series: [{ metric: 'disk_available_bytes', label: text.plots.free }] }
]

function Overview () {
  const live = useLive('overview')
  return html`<${PageHead} title=${text.title}>${live && text.lead(live.version, duration(Math.floor(live.uptime_ms / 1000) * 1000))}</${PageHead}>
    <${SecurityNotes} />
    <${Figures} live=${live} />
    <div class="thirds"><${JobsCard} merges=${live?.running.merges ?? 0} /><${SpaceCard} live=${live} /><${HealthCard} /></div>
    <${Section} title=${text.history} actions=${html`<${RangeChoice} />`}><${HistoryPlots} plots=${plots} /></${Section}>
    <${LogSection} />`
}

export const page: Page = { id: 'overview', Component: Overview }
