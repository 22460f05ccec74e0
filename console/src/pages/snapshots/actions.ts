// What is done with a repository from a list or its page: verify, clean up, take off the list.
import { html, useState } from '@/ui'
import { asProblem } from '@/api/problem'
import { api } from '@/api/request'
import { Confirm } from '@/components/confirm'
import type { MenuItem } from '@/components/menu'
import { toast } from '@/components/notice'
import { bytes, count } from '@/text/numbers'
import { text } from '@strings/snapshots'
import { isReadonly, type Repository } from './data'

async function verify (name: string): Promise<void> {
  try {
    await api('POST /_snapshot/{repository}/_verify', { path: { repository: name } })
    toast(text.verify.done(name))
  } catch (error) { toast(asProblem(error).reason, 'error') }
}

async function cleanup (name: string): Promise<void> {
  const answer = await api('POST /_snapshot/{repository}/_cleanup', { path: { repository: name }, query: { timeout: '50s' } })
  if (!('results' in answer)) return
  toast(answer.acknowledged === false ? text.cleanup.goesOn : text.cleanup.done(count(answer.results.deleted_blobs), bytes(answer.results.deleted_bytes)))
}

export function useRepositoryActions (onDone: (gone: boolean) => void) {
  const [asking, setAsking] = useState<{ kind: 'cleanup' | 'forget', name: string } | null>(null)
  const close = (): void => setAsking(null)
  const items = (name: string, repository: Repository): (MenuItem | false)[] => [
    { title: text.verify.item, icon: 'check', onSelect: () => void verify(name) },
    { title: text.cleanup.item, icon: 'refresh', disabled: isReadonly(repository), onSelect: () => setAsking({ kind: 'cleanup', name }) },
    { title: text.forget.item, icon: 'remove', danger: true, onSelect: () => setAsking({ kind: 'forget', name }) }
  ]
  const path = { repository: asking?.name ?? '' }
  const dialog = asking?.kind === 'cleanup'
    ? html`<${Confirm} title=${text.cleanup.title(asking.name)} verb=${text.cleanup.verb} onClose=${close} onDone=${() => onDone(false)} dryRun=${() => api('POST /_snapshot/{repository}/_cleanup', { path, query: { dry_run: true } })} action=${() => cleanup(asking.name)}><p>${text.cleanup.text}</p></${Confirm}>`
    : asking && html`<${Confirm} title=${text.forget.title(asking.name)} verb=${text.forget.verb} typed=${asking.name} onClose=${close} onDone=${() => { toast(text.forget.done(asking.name)); onDone(true) }} action=${() => api('DELETE /_snapshot/{repository}', { path })}><p>${text.forget.text}</p></${Confirm}>`
  return { items, dialog }
}
