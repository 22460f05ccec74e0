import { html, useMemo } from '@/ui'
import { Plot } from '@/components/plot'
import { rate } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/connectors'
import { looked, tookMs, type SyncJob } from './data'

/** How long syncs took and how fast they were, from the records of those that ended. */
export function SyncPlots ({ jobs }: { jobs: readonly SyncJob[] }) {
  const ended = useMemo(() => jobs.filter((job) => job.started_at && job.completed_at && job.status === 'completed').sort((a, b) => Date.parse(a.completed_at!) - Date.parse(b.completed_at!)), [jobs])
  const times = useMemo(() => ended.map((job) => Date.parse(job.completed_at!)), [ended])
  const took = useMemo(() => [{ label: text.one.seconds, values: ended.map((job) => tookMs(job)) }], [ended])
  const speed = useMemo(() => [{ label: text.one.perSecond, values: ended.map((job) => { const ms = tookMs(job); return ms ? looked(job) * 1000 / ms : null }) }], [ended])
  if (ended.length < 2) return null
  return html`<div class="columns"><div class="card"><${Plot} title=${text.one.duration} times=${times} series=${took} unit=${duration} /></div>
    <div class="card"><${Plot} title=${text.one.speed} times=${times} series=${speed} unit=${rate} /></div></div>`
}
