// What live data look like, whether they come by the stream or by asking.
export interface Overview {
  time_ms: number
  requests_per_second: number | null
  errors_per_second: number | null
  limited_per_second: number | null
  latency_ms: { p50: number | null, p99: number | null }
  memory: { resident_bytes: number, limit_bytes: number }
  /** With less free than low_bytes people are told; than high_bytes, writes are refused. */
  disk: { total_bytes: number, free_bytes: number, low_bytes?: number | null, high_bytes?: number | null }
  /** Null: not known without the stream. */
  running: { syncs: number, tasks: number | null, merges: number, snapshots: number | null }
  ready: boolean
  version: string
  uptime_ms: number
}

export interface Job {
  kind: 'sync' | 'task' | 'snapshot' | 'deployment'
  id: string
  /** What it works on, as people name it: a connector, an index, a snapshot. */
  name: string
  state: string
  done?: number
  total?: number
  started_ms?: number
  detail?: string
}

export interface LimitUse { identity: string, kind: string, limit: number, used: number, remaining: number, /** When the window ends, in seconds of the epoch. */ reset: number }
export interface Limited { identity: string, kind: string, limit: string, operation: string, [more: string]: unknown }
export interface LimitTopic { top: { resource: string, identities: LimitUse[] }[], limited: Limited[] }

/** A line of the log, at warn and above. */
export interface LogLine { time: string, level: string, room: string, event: string, [field: string]: unknown }

/** The topic `jobs` as the stream has it. */
export interface RawJobs {
  syncs: { id: string, connector_id: string, index: string | null, job_type: string, started_at: string, done: number, total: number | null }[]
  tasks: { id: string, action: string, description: string, started_ms: number, cancelled: boolean, done?: number, total?: number }[]
  snapshots: { repository: string, snapshot: string, started_ms: number, indices: number }[]
  deployments: { deployment_id: string, model_id: string, state: string, done: number, total: number }[]
}

/** All that goes on in one list. */
export function jobList (raw: RawJobs): Job[] {
  return [
    ...raw.syncs.map((one): Job => ({ kind: 'sync', id: one.id, name: one.connector_id, state: 'in_progress', done: one.done, total: one.total || undefined, started_ms: Date.parse(one.started_at), detail: one.index ?? undefined })),
    ...raw.tasks.map((one): Job => ({ kind: 'task', id: one.id, name: one.description || one.action, state: one.cancelled ? 'canceling' : 'in_progress', done: one.done, total: one.total || undefined, started_ms: one.started_ms, detail: one.action })),
    ...raw.snapshots.map((one): Job => ({ kind: 'snapshot', id: `${one.repository}/${one.snapshot}`, name: one.snapshot, state: 'in_progress', started_ms: one.started_ms, detail: one.repository })),
    ...raw.deployments.map((one): Job => ({ kind: 'deployment', id: one.deployment_id, name: one.deployment_id, state: one.state, done: one.done, total: one.total || undefined, detail: one.model_id }))
  ]
}

export interface Topics {
  overview: Overview
  jobs: { jobs: Job[] }
  limits: LimitTopic
  log: { lines: LogLine[], lost?: number }
}
export type Topic = keyof Topics
export const topicNames: readonly Topic[] = ['overview', 'jobs', 'limits', 'log']
