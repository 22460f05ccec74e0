import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { Json } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Facts, State, When } from '@/components/facts'
import { Menu } from '@/components/menu'
import { Notice } from '@/components/notice'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { bytes, count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text as common } from '@strings/common'
import { text } from '@strings/connectors'
import { active, doing, failed, figure, jobTone, looked, tookMs, type SyncJob } from './data'
import { Running } from './running'

const columns: readonly Column<SyncJob>[] = [
  { id: 'started', title: text.jobs.started, value: (job) => job.started_at ?? job.created_at, cell: (job) => html`<${When} at=${job.started_at ?? job.created_at} />` },
  { id: 'type', title: text.jobs.type, value: (job) => text.jobTypes[job.job_type] },
  { id: 'state', title: text.jobs.state, value: (job) => text.job[job.status] ?? job.status, cell: (job) => html`<${State} tone=${jobTone(job.status)}>${text.job[job.status] ?? job.status}</${State}>` },
  { id: 'took', title: text.jobs.took, numeric: true, value: tookMs, cell: (job) => duration(tookMs(job)) },
  { id: 'written', title: text.jobs.written, numeric: true, value: (job) => job.indexed_document_count, cell: (job) => count(job.indexed_document_count) },
  { id: 'removed', title: text.jobs.removed, numeric: true, value: (job) => job.deleted_document_count, cell: (job) => count(job.deleted_document_count) },
  { id: 'looked', title: text.jobs.looked, numeric: true, value: looked, cell: (job) => count(looked(job)) },
  { id: 'bytes', title: text.jobs.bytes, numeric: true, value: (job) => figure(job, 'bytes_looked_at') ?? null, cell: (job) => bytes(figure(job, 'bytes_looked_at')) },
  { id: 'failed', title: text.jobs.failed, numeric: true, value: failed, cell: (job) => count(failed(job)) },
  { id: 'trigger', title: text.jobs.trigger, value: (job) => text.triggers[job.trigger_method] },
  { id: 'error', title: text.jobs.error, wide: true, value: (job) => job.error ?? doing(job) ?? '', cell: (job) => html`<span title=${job.error ?? undefined}>${job.error ?? doing(job) ?? ''}</span>` }
]

function Details ({ job, onClose }: { job: SyncJob, onClose: () => void }) {
  const some = (name: string, title: string) => figure(job, name) === undefined ? null : [title, count(figure(job, name))] as const
  return html`<${Dialog} size="side" title=${text.jobs.details} onClose=${onClose}>
    ${active(job) && html`<${Running} job=${job} />`}${job.error && html`<${Notice} kind="error">${job.error}</${Notice}>`}
    <${Facts} rows=${[
      [text.jobs.id, html`<code>${job.id}</code>`], [text.jobs.state, text.job[job.status] ?? job.status], [text.jobs.type, text.jobTypes[job.job_type]], [text.jobs.trigger, text.triggers[job.trigger_method]],
      [text.jobs.started, html`<${When} exact at=${job.started_at} />`], [text.jobs.took, duration(tookMs(job))], [text.jobs.written, count(job.indexed_document_count)], [text.jobs.removed, count(job.deleted_document_count)],
      some('files_looked_at', text.jobs.looked), [text.jobs.bytes, bytes(figure(job, 'bytes_looked_at'))], some('files_unchanged', text.jobs.unchanged), some('files_resumed', text.jobs.resumed), some('files_skipped', text.jobs.skipped),
      some('files_unreadable', text.problems.kinds['unreadable']!), some('documents_refused', text.jobs.refused), some('documents_left_out', text.jobs.leftOut), doing(job) ? [text.jobs.doing, doing(job)] : null]} />
    <details><summary>${text.jobs.raw}</summary><${Json} value=${job} label=${text.jobs.raw} /></details></${Dialog}>`
}

export function Jobs ({ jobs, busy, reload }: { jobs: readonly SyncJob[], busy: boolean, reload: () => void }) {
  const [open, setOpen] = useState<string | null>(null)
  const [removing, setRemoving] = useState<SyncJob | null>(null)
  const [cancelling, setCancelling] = useState<SyncJob | null>(null)
  const shown = jobs.find(({ id }) => id === open)
  const at = (job: SyncJob) => ({ path: { connector_sync_job_id: job.id } })
  return html`<${Table} caption=${text.jobs.caption} columns=${columns} rows=${jobs} rowKey=${(job: SyncJob) => job.id} onRow=${(job: SyncJob) => setOpen(job.id)} sort="-started" busy=${busy} filterName="sync"
      actions=${(job: SyncJob) => html`<${Menu} label=${`${common.more}: ${job.id}`} items=${[
        active(job) ? { title: text.actions.cancel, icon: 'stop', onSelect: () => setCancelling(job) } : { title: text.jobs.remove, icon: 'remove', danger: true, onSelect: () => setRemoving(job) }]} />`}
      empty=${html`<${Empty} icon="refresh" title=${text.jobs.empty}>${text.jobs.emptyText}</${Empty}>`} />
    ${shown && html`<${Details} job=${shown} onClose=${() => setOpen(null)} />`}
    ${cancelling && html`<${Confirm} title=${text.actions.cancelTitle} verb=${text.actions.cancel} onClose=${() => setCancelling(null)} action=${() => api('PUT /_connector/_sync_job/{connector_sync_job_id}/_cancel', at(cancelling))} onDone=${() => { toast(text.actions.cancelled); reload() }}><p>${text.actions.cancelText}</p></${Confirm}>`}
    ${removing && html`<${Confirm} title=${text.jobs.removeTitle} verb=${text.jobs.remove} onClose=${() => setRemoving(null)} action=${() => api('DELETE /_connector/_sync_job/{connector_sync_job_id}', at(removing))} onDone=${() => { toast(text.jobs.removed_); reload() }}><p>${text.jobs.removeText}</p></${Confirm}>`}`
}
