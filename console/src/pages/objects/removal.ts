// Deleting many: what is in folders is listed and deleted a thousand at a time; dry runs list alone.
import type { Key } from './keys'
import { list, remove, versions, type Gone } from './storage'

export interface Target { key: Key, folder: boolean }
export interface How { versions: boolean, bypass?: boolean, onDone: (done: number) => void, signal: AbortSignal }

interface Found extends Gone { bytes: number, marker: boolean }

/** All objects, or all their versions, of the targets, by pages. */
async function * found (bucket: string, targets: readonly Target[], allVersions: boolean, signal: AbortSignal): AsyncGenerator<Found[]> {
  const single = targets.filter(({ folder }) => !folder)
  if (!allVersions && single.length > 0) yield single.map(({ key }) => ({ key, bytes: 0, marker: false }))
  for (const { key, folder } of targets) {
    if (!folder && !allVersions) continue
    if (allVersions) {
      let after: { key: string, id: string } | undefined
      do {
        const page = await versions(bucket, key, { after, signal, quiet: after !== undefined })
        yield page.versions.filter((one) => folder || one.key === key).map((one) => ({ key: one.key, versionId: one.id, bytes: one.bytes ?? 0, marker: one.marker }))
        after = folder || page.versions.at(-1)?.key === key ? page.next : undefined
      } while (after)
    } else {
      let after: string | undefined
      do {
        const page = await list(bucket, key, { after, deep: true, signal, quiet: after !== undefined })
        yield page.files.map((one) => ({ key: one.key, bytes: one.bytes ?? 0, marker: false }))
        after = page.next
      } while (after)
    }
  }
}

/** What a deletion would take: a real count, made by listing. */
export async function countVersions (bucket: string, targets: readonly Target[], signal: AbortSignal): Promise<object> {
  let count = 0; let markers = 0; let bytes = 0
  for await (const some of found(bucket, targets, true, signal)) {
    for (const one of some) { if (one.marker) markers++; else { count++; bytes += one.bytes } }
  }
  return { would: { versions: count, delete_markers: markers, bytes } }
}

export async function countObjects (bucket: string, targets: readonly (Target & { bytes: number | null })[], signal: AbortSignal): Promise<object> {
  const single = targets.filter(({ folder }) => !folder)
  let count = single.length
  let bytes = single.reduce((all, one) => all + (one.bytes ?? 0), 0)
  for await (const some of found(bucket, targets.filter(({ folder }) => folder), false, signal)) for (const one of some) { count++; bytes += one.bytes }
  return { would: { objects: count, bytes } }
}

/** Gives what stayed, each with the reason. */
export async function removeAll (bucket: string, targets: readonly Target[], how: How): Promise<{ key: string, reason: string }[]> {
  const kept: { key: string, reason: string }[] = []
  let done = 0
  for await (const some of found(bucket, targets, how.versions, how.signal)) {
    for (let at = 0; at < some.length; at += 1000) {
      const batch = some.slice(at, at + 1000)
      kept.push(...await remove(bucket, batch, { bypass: how.bypass, signal: how.signal, quiet: done > 0 }))
      done += batch.length
      how.onDone(done)
    }
  }
  return kept
}
