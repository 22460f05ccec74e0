// Endpoints with the state of their deployments and their figures.
import { readMetrics, quantile, sum, type Sample } from '@/api/metrics'
import type { Endpoint, ModelStats } from '@/api/generated'
import { api } from '@/api/request'
import type { Tone } from '@/components/facts'

export type { Endpoint, ModelStats }

export interface Row {
  endpoint: Endpoint
  deployment: Deployment | undefined
  figures: Figures | undefined
}

/** What `_stats` says of a deployment, as far as pages read it. */
export interface Deployment {
  deployment_id: string
  model_id: string
  state: string
  reason?: string
  allocation_status?: { allocation_count: number, target_allocation_count: number, state: string }
  load_progress?: { loaded_bytes: number, total_bytes: number }
  download_progress?: { phase: string, received_bytes: number, total_bytes: number, source: string }
  queue_capacity?: number
  threads_per_allocation?: number
  error_count?: number
  rejected_execution_count?: number
  inference_count?: number
  peak_throughput_per_minute?: number
  text_steps?: Record<string, number>
  nodes?: DeploymentNode[]
}

/** What one node does for a deployment. */
export interface DeploymentNode {
  node: Record<string, { name: string }>
  routing_state: { routing_state: string, reason?: string }
  number_of_allocations: number
  inference_count: number
  number_of_pending_requests?: number
  throughput_last_minute?: number
  average_inference_time_ms?: number
}

export interface Figures { requests: number, perSecond: number | null, tokensPerSecond: number | null, p50: number | null, p99: number | null, prompt: number, generated: number }

export const isRemote = (endpoint: Endpoint): boolean => !['cairn', 'elasticsearch', 'elser'].includes(endpoint.service)
export const isBuiltIn = (endpoint: Endpoint): boolean => endpoint.inference_id.startsWith('.')
export const deploymentOf = (endpoint: Endpoint): string => String(endpoint.service_settings['deployment_id'] ?? endpoint.inference_id)
export const pending = (deployment: Deployment | undefined): number | null => deployment?.nodes ? deployment.nodes.reduce((all, one) => all + (one.number_of_pending_requests ?? 0), 0) : null

export const lastMinute = (deployment: Deployment): number | null => deployment.nodes?.length ? deployment.nodes.reduce((all, one) => all + (one.throughput_last_minute ?? 0), 0) : null
/** Of one input, in the mean of all nodes. */
export function inputMs (deployment: Deployment): number | null {
  const nodes = deployment.nodes ?? []
  const inputs = nodes.reduce((all, one) => all + one.inference_count, 0)
  return inputs ? nodes.reduce((all, one) => all + (one.average_inference_time_ms ?? 0) * one.inference_count, 0) / inputs : null
}

export function stateOf ({ endpoint, deployment }: Pick<Row, 'endpoint' | 'deployment'>): string {
  return isRemote(endpoint) ? 'remote' : deployment?.state ?? 'idle'
}
export const toneOf = (state: string): Tone => ({ started: 'good', starting: 'busy', stopping: 'busy', failed: 'bad', remote: 'good' } as Record<string, Tone>)[state] ?? 'off'

export async function deployments (signal?: AbortSignal): Promise<Map<string, Deployment>> {
  const { trained_model_stats: stats } = await api('GET /_ml/trained_models/_stats', { query: { size: 1000 }, signal })
  return new Map(stats.flatMap((one) => one.deployment_stats ? [[(one.deployment_stats as unknown as Deployment).deployment_id, one.deployment_stats as unknown as Deployment]] : []))
}

export interface Look { at: number, samples: readonly Sample[] }
let earlier: Look | undefined
let latest: Look | undefined

/** The counters of inference; kept with the look before, so that rates can be told. */
export async function lookAtMetrics (signal?: AbortSignal): Promise<{ now: Look, before: Look | undefined }> {
  const all = readMetrics(await api('GET /_metrics', { signal, quiet: true }) as unknown as string)
  const now = { at: Date.now(), samples: all.filter(({ name }) => name.startsWith('cairn_inference_')) }
  if (!latest || now.at - latest.at > 2000) { earlier = latest; latest = now }
  return { now, before: earlier }
}

export function figuresOf (id: string, now: Look, before: Look | undefined): Figures {
  const mine = (look: Look): Sample[] => look.samples.filter(({ labels }) => labels['endpoint'] === id)
  const samples = mine(now)
  const old = before ? mine(before) : []
  const seconds = before ? (now.at - before.at) / 1000 : 0
  const rate = (name: string, where: Record<string, string> = {}): number | null => {
    const grown = sum(samples, name, where) - sum(old, name, where)
    return before && grown >= 0 && seconds > 0 ? grown / seconds : null
  }
  const ms = (share: number): number | null => {
    const bound = quantile([], samples, 'cairn_inference_request_duration_seconds', share)
    return bound === null ? null : bound * 1000
  }
  const tokens = 'cairn_inference_tokens_total'
  return {
    requests: sum(samples, 'cairn_inference_requests_total'), perSecond: rate('cairn_inference_requests_total'), tokensPerSecond: rate(tokens, { kind: 'generated' }),
    p50: ms(0.5), p99: ms(0.99), prompt: sum(samples, tokens, { kind: 'prompt' }), generated: sum(samples, tokens, { kind: 'generated' })
  }
}

export const modelCpu = (look: Look, model: string): number => sum(look.samples, 'cairn_inference_cpu_seconds_total', { model_id: model })
