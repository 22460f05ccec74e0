import { html, useRef, useState } from '@/ui'
import { Problem } from '@/api/problem'
import { useAsked } from '@/api/use'
import { Confirm } from '@/components/confirm'
import { CheckField } from '@/components/field'
import { toast } from '@/components/notice'
import { Progress } from '@/components/progress'
import { text } from '@strings/objects'
import { shown } from './keys'
import { countObjects, countVersions, removeAll } from './removal'
import { configuration, type Entry } from './storage'
import { textOf } from './xml'

const namesShown = 5

/** Deletes objects and folders. Versions stay unless it is said. */
export function DeleteObjects ({ bucket, targets, onClose, onDone }: { bucket: string, targets: readonly Entry[], onClose: () => void, onDone: () => void }) {
  const versioning = useAsked(async (signal) => textOf(await configuration(bucket, 'versioning', { signal, quiet: true }), 'Status'), [bucket])
  const [versions, setVersions] = useState(false)
  const [done, setDone] = useState(0)
  const stop = useRef(new AbortController())
  const kept = versioning.value === 'Enabled'
  const action = async (): Promise<void> => {
    const failed = await removeAll(bucket, targets, { versions, onDone: setDone, signal: stop.current.signal })
    if (failed.length > 0) { onDone(); throw new Problem('conflict', text.delete.kept(failed.length, failed[0]!.reason)) }
  }
  const dryRun = async (): Promise<unknown> => await (versions ? countVersions : countObjects)(bucket, targets, stop.current.signal)
  return html`<${Confirm} title=${text.delete.title(targets.length)} verb=${text.list.delete} typed=${targets.length > 1 || targets[0]!.folder || versions ? bucket : undefined} dryRun=${dryRun} action=${action}
      onClose=${() => { stop.current.abort(); onClose() }} onDone=${() => { toast(text.delete.done(Math.max(done, targets.length))); onDone() }}>
    <ul class="stack-small">${targets.slice(0, namesShown).map((one) => html`<li key=${one.key}><code>${shown(one.key)}</code></li>`)}${targets.length > namesShown && html`<li class="muted">… ${targets.length - namesShown}</li>`}</ul>
    <p class="muted">${kept && !versions ? text.delete.marker : text.delete.forGood} ${targets.some(({ folder }) => folder) && text.delete.lead}</p>
    ${versioning.value !== undefined && versioning.value !== '' && html`<${CheckField} label=${text.delete.versions} hint=${text.delete.versionsHint} value=${versions} onInput=${setVersions} />`}
    ${done > 0 && html`<${Progress} label=${text.delete.progress} done=${done} />`}</${Confirm}>`
}
