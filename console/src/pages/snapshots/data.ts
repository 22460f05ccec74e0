import type { Repository, Snapshot } from '@/api/generated'
import { api } from '@/api/request'
import type { Problem } from '@/api/problem'
import { asProblem } from '@/api/problem'
import type { Tone } from '@/components/facts'
import { text } from '@strings/snapshots'

export type { Repository, Snapshot }
export interface Row { name: string, repository: Repository, snapshots: readonly Snapshot[] | undefined, problem: Problem | undefined }

export async function snapshotsOf (repository: string, signal?: AbortSignal): Promise<Snapshot[]> {
  return (await api('GET /_snapshot/{repository}/{snapshot}', { path: { repository, snapshot: '_all' }, signal })).snapshots
}

/** All repositories with their snapshots. One that cannot be read says why, and does not hide the others. */
export async function repositories (signal?: AbortSignal): Promise<Row[]> {
  const all = Object.entries(await api('GET /_snapshot', { signal }))
  return await Promise.all(all.map(async ([name, repository]): Promise<Row> => {
    try {
      return { name, repository, snapshots: await snapshotsOf(name, signal), problem: undefined }
    } catch (error) { return { name, repository, snapshots: undefined, problem: asProblem(error) } }
  }))
}

export const isReadonly = ({ settings }: Repository): boolean => String(settings['readonly']) === 'true'

export function placeOf ({ type, settings }: Repository): string {
  if (type === 'fs') return String(settings['location'] ?? '')
  const inside = [settings['bucket'], settings['base_path']].filter(Boolean).join('/')
  const at = settings['endpoint'] ?? (settings['client'] === '_own' ? text.repositories.own : settings['client'])
  return at ? `${inside} (${at})` : inside
}

export const last = (snapshots: readonly Snapshot[] | undefined): Snapshot | undefined => snapshots?.reduce<Snapshot | undefined>((best, one) => (one.start_time_in_millis ?? 0) >= (best?.start_time_in_millis ?? 0) ? one : best, undefined)
export const stateTone = (state: string): Tone => ({ SUCCESS: 'good', PARTIAL: 'warning', FAILED: 'bad', IN_PROGRESS: 'busy' } as Record<string, Tone>)[state] ?? 'off'
export const tookMs = (one: Snapshot): number | null => one.state === 'IN_PROGRESS' ? Date.now() - (one.start_time_in_millis ?? Date.now()) : one.duration_in_millis ?? null
