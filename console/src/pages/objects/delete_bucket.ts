import { html, useRef, useState } from '@/ui'
import { Problem } from '@/api/problem'
import { Confirm } from '@/components/confirm'
import { CheckField } from '@/components/field'
import { Progress } from '@/components/progress'
import { text } from '@strings/objects'
import { removeAll } from './removal'
import { ask } from './storage'

interface Told { bucket: string, objects: number, versions: number, delete_markers: number, bytes: number, unfinished_uploads: number, more?: boolean, would: 'delete' | 'refuse', reason?: string }

/** What the server says that would happen; with `all` the objects are deleted before, so that nothing holds the bucket. */
async function dryRun (bucket: string, all: boolean): Promise<object> {
  const { would, reason, more, objects, versions, delete_markers: markers, bytes, unfinished_uploads: uploads } = await (await ask('DELETE', { bucket, query: { dry_run: 'true' } }, { timeout: 0 })).json() as Told
  const result = would === 'refuse' && !all ? text.delete.wouldRefuse(reason ?? '') : all && objects + versions > 0 ? text.delete.wouldAll : text.delete.wouldDelete
  return { would: { [text.delete.wouldName]: result, objects, versions, delete_markers: markers, bytes, unfinished_uploads: uploads, ...(more ? { [text.delete.wouldCounted]: text.delete.wouldMore } : {}) } }
}

/** Deletes a bucket; where it is said, all that is in it before. */
export function DeleteBucket ({ bucket, onClose, onDone }: { bucket: string, onClose: () => void, onDone: () => void }) {
  const [all, setAll] = useState(false)
  const [done, setDone] = useState(0)
  const stop = useRef(new AbortController())
  const close = (): void => { stop.current.abort(); onClose() }
  const action = async (): Promise<void> => {
    if (all) {
      const kept = await removeAll(bucket, [{ key: '', folder: true }], { versions: true, onDone: setDone, signal: stop.current.signal })
      if (kept.length > 0) throw new Problem('conflict', text.delete.kept(kept.length, kept[0]!.reason))
    }
    await ask('DELETE', { bucket })
  }
  return html`<${Confirm} title=${text.delete.bucketTitle(bucket)} verb=${text.settings.delete} typed=${bucket} dryRun=${() => dryRun(bucket, all)} action=${action} onClose=${close} onDone=${onDone}>
    <p>${text.delete.bucketText}</p><${CheckField} label=${text.delete.bucketAll} value=${all} onInput=${setAll} />
    ${done > 0 && html`<${Progress} label=${text.delete.progress} done=${done} />`}</${Confirm}>`
}
