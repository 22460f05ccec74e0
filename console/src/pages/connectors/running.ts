import { html } from '@/ui'
import { State } from '@/components/facts'
import { Notice } from '@/components/notice'
import { Progress } from '@/components/progress'
import { bytes, count } from '@/text/numbers'
import { text } from '@strings/connectors'
import { doing, figure, jobTone, looked, total, type SyncJob } from './data'

/** A sync that runs: how many items and bytes of how many, as far as the source knows; and why it waits. */
export function Running ({ job }: { job: SyncJob }) {
  const begun = job.started_at ? Date.parse(job.started_at) : undefined
  const all = total(job)
  const found = figure(job, 'bytes_found') ?? 0
  const read = figure(job, 'bytes_looked_at') ?? 0
  const waits = doing(job)
  const state = job.status === 'in_progress' && !waits ? 'running' : 'paused'
  return html`<div class="stack"><div class="bar-start"><${State} tone=${jobTone(job.status)}>${text.job[job.status]}</${State}><span class="muted">${text.jobTypes[job.job_type]}, ${text.triggers[job.trigger_method]}</span></div>
    ${waits && html`<${Notice} kind="warning">${text.one.waits(waits)}</${Notice}>`}
    ${job.status !== 'pending' && html`<${Progress} label=${text.one.items} done=${looked(job)} total=${all} unit=${count} started_ms=${begun} state=${state} />`}
    ${found > 0 && html`<${Progress} label=${text.one.bytesOf} done=${read} total=${all ? found : undefined} unit=${bytes} started_ms=${begun} state=${state} />`}</div>`
}
