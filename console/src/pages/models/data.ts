import type { Endpoint, Model, ModelStats } from '@/api/generated'
import { api } from '@/api/request'
import type { Tone } from '@/components/facts'
import type { Deployment } from '@/pages/inference/data'
import { text } from '@strings/models'

export interface Row { model: Model, stats: ModelStats | undefined, deployments: readonly Deployment[], endpoints: readonly Endpoint[] }

/** The model that quotes is the same one under another name. */
const plain = (id: string | undefined): string => (id ?? '').replace(/-quotes$/, '')

export async function models (signal?: AbortSignal): Promise<Row[]> {
  const [configs, stats, endpoints] = await Promise.all([
    api('GET /_ml/trained_models', { query: { size: 1000, include: 'definition_status' }, signal }), api('GET /_ml/trained_models/_stats', { query: { size: 1000 }, signal }),
    api('GET /_inference', { signal }).catch(() => ({ endpoints: [] as Endpoint[] }))
  ])
  return configs.trained_model_configs.map((model) => {
    const mine = stats.trained_model_stats.filter(({ model_id: id }) => plain(id) === model.model_id || id === model.model_id)
    return {
      model, stats: mine[0], deployments: mine.flatMap(({ deployment_stats: one }) => one ? [one as unknown as Deployment] : []),
      endpoints: endpoints.endpoints.filter(({ service_settings: settings }) => settings.model_id === model.model_id || plain(settings.model_id) === model.model_id)
    }
  })
}

export function stateOf ({ deployments }: Row): string {
  for (const state of ['failed', 'starting', 'stopping', 'started']) if (deployments.some((one) => one.state === state)) return state
  return 'idle'
}
export const toneOf = (state: string): Tone => ({ started: 'good', starting: 'busy', stopping: 'busy', failed: 'bad' } as Record<string, Tone>)[state] ?? 'off'
export const tasksOf = (model: Model): string => Object.keys(model.inference_config ?? {}).map((one) => text.tasks[one] ?? one.replaceAll('_', ' ')).join(', ')
/** Bytes that all deployments of a model hold. */
export const loaded = ({ deployments }: Row): number => deployments.reduce((all, one) => all + (one.load_progress?.loaded_bytes ?? 0), 0)
