// Live topics by the plain routes, where the stream is refused. Null: no answer now; "refused": the key may not see it.
import { asProblem } from './problem'
import { quantile, readMetrics, sum, type Sample } from './metrics'
import { api } from './request'
import { root } from './root'
import type { Job, Overview, Topic, Topics } from './topics'

let version: Promise<string> | undefined
let earlier: { at: number, samples: Sample[] } | undefined

/** What grew per second between two looks at a counter. */
function perSecond (now: Sample[], at: number, name: string, where: Record<string, string>): number | null {
  if (!earlier) return null
  const grown = sum(now, name, where) - sum(earlier.samples, name, where)
  return grown < 0 ? null : grown / Math.max(0.001, (at - earlier.at) / 1000)
}

/** The tasks of an answer, without the question itself. */
function tasksOf (answer: unknown): any[] {
  return ((answer as any).tasks ?? []).filter((task: any) => !task.action.endsWith('tasks/lists'))
}

async function overview (signal: AbortSignal): Promise<Overview> {
  const quiet = { signal, quiet: true }
  // Metrics and probes cost nothing of a limit, so a console that asks every five seconds does not use its key up.
  version ??= api('GET /', quiet).then((about) => about.version.cairn_version).catch((error: unknown) => { version = undefined; throw error })
  const [text, ready] = await Promise.all([
    api('GET /_metrics', quiet),
    fetch(root + '/_health/ready', { signal, cache: 'no-store' }).then((answer) => answer.ok, () => false)
  ])
  const at = Date.now()
  const samples = readMetrics(text as unknown as string)
  const ms = (share: number): number | null => {
    const seconds = earlier ? quantile(earlier.samples, samples, 'cairn_http_request_duration_seconds', share) : null
    return seconds === null ? null : seconds * 1000
  }
  const requests = (where: Record<string, string>): number | null => perSecond(samples, at, 'cairn_http_requests_total', where)
  const out: Overview = {
    time_ms: at,
    requests_per_second: requests({}),
    errors_per_second: requests({ status: '5xx' }),
    limited_per_second: perSecond(samples, at, 'cairn_ratelimit_refused_total', {}),
    latency_ms: { p50: ms(0.5), p99: ms(0.99) },
    memory: { resident_bytes: sum(samples, 'process_resident_memory_bytes'), limit_bytes: sum(samples, 'cairn_memory_limit_bytes') },
    disk: { total_bytes: sum(samples, 'cairn_disk_size_bytes'), free_bytes: sum(samples, 'cairn_disk_available_bytes') },
    running: {
      syncs: sum(samples, 'cairn_connectors_syncs_running'), tasks: null,
      merges: sum(samples, 'cairn_index_merges_running'), snapshots: null
    },
    ready,
    version: await version,
    uptime_ms: at - sum(samples, 'process_start_time_seconds') * 1000
  }
  earlier = { at, samples }
  return out
}

async function jobs (signal: AbortSignal): Promise<Topics['jobs']> {
  const quiet = { signal, quiet: true }
  const [syncs, tasks] = await Promise.all([
    api('GET /_connector/_sync_job', { ...quiet, query: { size: 100 } as never }),
    api('GET /_tasks', { ...quiet, query: { detailed: true, group_by: 'none' } as never })
  ])
  const running = ((syncs as any).results ?? []).filter((job: any) => ['in_progress', 'pending', 'canceling', 'suspended'].includes(job.status))
  const out: Job[] = running.map((job: any): Job => ({
    kind: 'sync', id: job.id, name: job.connector?.name || job.connector?.index_name || job.connector?.id, state: job.status,
    done: job.indexed_document_count, total: job.total_document_count || undefined, started_ms: Date.parse(job.started_at ?? job.created_at)
  }))
  for (const task of tasksOf(tasks)) {
    out.push({
      kind: 'task', id: `${task.node}:${task.id}`, name: task.description || task.action, state: task.cancelled ? 'canceling' : 'in_progress',
      done: task.status ? (task.status.created ?? 0) + (task.status.updated ?? 0) + (task.status.deleted ?? 0) : undefined,
      total: task.status?.total || undefined, started_ms: task.start_time_in_millis, detail: task.action
    })
  }
  return { jobs: out }
}

async function limits (signal: AbortSignal): Promise<Topics['limits']> {
  const quiet = { signal, quiet: true }
  const [top, limited] = await Promise.all([api('GET /_cairn/limits/_top', quiet), api('GET /_cairn/limits/_limited', quiet)])
  return { top: [top as any], limited: (limited as any).identities }
}

export async function poll (topic: Topic, signal: AbortSignal): Promise<Topics[Topic] | 'refused' | null> {
  try {
    if (topic === 'overview') return await overview(signal)
    if (topic === 'jobs') return await jobs(signal)
    if (topic === 'limits') return await limits(signal)
    // The log has no plain route.
    return 'refused'
  } catch (error) {
    return asProblem(error).kind === 'forbidden' ? 'refused' : null
  }
}
