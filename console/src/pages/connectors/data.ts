// What the pages of connectors ask for, and what follows from it.
import { api } from '@/api/request'
import type { Connector, ConnectorSchedule, SyncJob } from '@/api/generated'
import type { Tone } from '@/components/facts'
import { text } from '@strings/connectors'
import { cronWords, nextAfter } from './cron'

export type { Connector, SyncJob }
export type JobType = 'full' | 'incremental' | 'access_control'
export const jobTypes: readonly JobType[] = ['full', 'incremental', 'access_control']

export const nameOf = (connector: Connector): string => connector.name || connector.id
export const kindOf = (type: string | null): string => text.kinds[type ?? '']?.title ?? type ?? ''
/** Runs inside of the server. */
export const runsHere = (connector: Connector): boolean => (connector.service_type ?? '') in text.kinds

export async function connectors (signal?: AbortSignal): Promise<Connector[]> {
  return (await api('GET /_connector', { query: { size: 1000 }, signal })).results
}

export async function jobsOf (id: string, signal?: AbortSignal): Promise<SyncJob[]> {
  return (await api('GET /_connector/_sync_job', { query: { connector_id: id, size: 100 }, signal })).results
}

/** The newest jobs of all connectors, by the id of the connector. */
export async function lastJobs (signal?: AbortSignal): Promise<Map<string, SyncJob>> {
  const { results } = await api('GET /_connector/_sync_job', { query: { size: 200 }, signal })
  const out = new Map<string, SyncJob>()
  for (const job of results) if (!out.has(job.connector.id)) out.set(job.connector.id, job)
  return out
}

export const active = (job: SyncJob | undefined): boolean => job !== undefined && ['pending', 'in_progress', 'canceling', 'suspended'].includes(job.status)

export const stateTone = (status: string): Tone => ({ connected: 'good', configured: 'good', error: 'bad', needs_configuration: 'warning' } as Record<string, Tone>)[status] ?? 'off'
export const jobTone = (status: string): Tone => ({ completed: 'good', error: 'bad', in_progress: 'busy', canceling: 'busy', suspended: 'warning', pending: 'busy' } as Record<string, Tone>)[status] ?? 'off'

/** A figure that a job told in its metadata. */
export function figure (job: SyncJob, name: string): number | undefined {
  const value = job.metadata?.[name]
  return typeof value === 'number' ? value : undefined
}

export const doing = (job: SyncJob | undefined): string | undefined => typeof job?.metadata?.['doing'] === 'string' ? job.metadata['doing'] : undefined
export const looked = (job: SyncJob): number => figure(job, 'files_looked_at') ?? job.indexed_document_count + job.deleted_document_count
export const failed = (job: SyncJob): number => (figure(job, 'files_unreadable') ?? 0) + (figure(job, 'documents_refused') ?? 0)

/** Sources that know all of their items before the first is read; others learn of them on the way. */
const toldAtOnce = new Set(['directory', 'elasticsearch', 'maildir'])

export function total (job: SyncJob): number | undefined {
  const known = job.job_type === 'access_control' || toldAtOnce.has(job.connector.service_type ?? '')
  return known && job.total_document_count ? job.total_document_count : undefined
}

export function tookMs (job: SyncJob): number | null {
  if (!job.started_at) return null
  const end = job.completed_at ?? job.canceled_at
  return (end ? Date.parse(end) : Date.now()) - Date.parse(job.started_at)
}

const schedules = (connector: Connector): [JobType, ConnectorSchedule][] => jobTypes.flatMap((type) => {
  const one = connector.scheduling?.[type]
  return one?.enabled ? [[type, one] as [JobType, ConnectorSchedule]] : []
})
export const scheduled = (connector: Connector): boolean => schedules(connector).length > 0
export const watches = (connector: Connector): boolean => connector.configuration?.['watch']?.value === true

/** All that begins syncs by itself, in words. */
export function scheduleWords (connector: Connector): string {
  const parts = schedules(connector).map(([type, one]) => `${text.jobTypes[type]}: ${cronWords(one.interval)}`)
  if (watches(connector)) parts.push(text.watching)
  return parts.join('; ')
}

export function nextSync (connector: Connector, now = Date.now()): number | null {
  const all = schedules(connector).map(([, one]) => nextAfter(one.interval, now)).filter((at) => at !== null)
  return all.length > 0 ? Math.min(...all) : null
}
