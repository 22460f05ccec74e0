// What can be done with an index: the same in the list and on its page.
import { html, useState, type ComponentChildren } from '@/ui'
import { api } from '@/api/request'
import { asProblem } from '@/api/problem'
import { Confirm } from '@/components/confirm'
import { NumberField } from '@/components/field'
import { Menu, type MenuItem } from '@/components/menu'
import { toast } from '@/components/notice'
import { pages } from '@/shell/pages'
import { href } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { AliasDialog } from './alias'
import { CopyDialog } from './copy'
import { MeaningDialog } from './meaning'
import { follow } from './work'

type Open = 'alias' | 'copy' | 'meaning' | 'merge' | 'close' | 'delete'
export interface Subject { name: string, open: boolean, documents: number | null }

function MergeConfirm ({ index, onClose, onDone }: { index: string, onClose: () => void, onDone: () => void }) {
  const [segments, setSegments] = useState<number | null>(1)
  const merge = async (): Promise<void> => {
    const answer = await api('POST /{index}/_forcemerge', { path: { index }, query: { max_num_segments: segments ?? 1, wait_for_completion: false } })
    const task = (answer as { task?: string }).task
    if (task) follow(task, `${text.work.actions['indices:admin/forcemerge']} ${index}`, onDone)
  }
  return html`<${Confirm} calm title=${text.merging.title(index)} verb=${text.merging.verb} action=${merge} onClose=${onClose} onDone=${onDone}><p>${text.merging.text}</p>
    <${NumberField} label=${text.merging.segments} value=${segments} onInput=${setSegments} min=${1} step=${1} /></${Confirm}>`
}

/** A dialog of the chosen action. `onGone`: after the index was deleted. */
function Chosen ({ kind, subject, names, onClose, onDone, onGone }: { kind: Open, subject: Subject, names: readonly string[], onClose: () => void, onDone: () => void, onGone: () => void }) {
  const index = subject.name
  switch (kind) {
    case 'alias': return html`<${AliasDialog} index=${index} onClose=${onClose} onDone=${onDone} />`
    case 'copy': return html`<${CopyDialog} index=${index} names=${names} onClose=${onClose} onDone=${onDone} />`
    case 'meaning': return html`<${MeaningDialog} index=${index} onClose=${onClose} onDone=${onDone} />`
    case 'merge': return html`<${MergeConfirm} index=${index} onClose=${onClose} onDone=${onDone} />`
    case 'close': return html`<${Confirm} title=${text.closing.title(index)} verb=${text.closing.verb} typed=${index} onClose=${onClose}
      action=${() => api('POST /{index}/_close', { path: { index } })} onDone=${() => { toast(text.done.closed(index)); onDone() }}><p>${text.closing.text}</p></${Confirm}>`
    case 'delete': return html`<${Confirm} title=${text.remove.title(index)} verb=${text.remove.verb} typed=${index} onClose=${onClose}
      dryRun=${() => api('DELETE /{index}', { path: { index }, query: { dry_run: true } })} action=${() => api('DELETE /{index}', { path: { index } })}
      onDone=${() => { toast(text.done.deleted(index)); onGone() }}><p>${text.remove.text(subject.documents)}</p></${Confirm}>`
  }
}

/** The menu of an index with its dialogs. `children`: what the button shows. */
export function IndexMenu ({ subject, names = [], onDone, onGone, children }: { subject: Subject, names?: readonly string[], onDone: () => void, onGone: () => void, children?: ComponentChildren }) {
  const [open, setOpen] = useState<Open | null>(null)
  const index = subject.name
  const at = { path: { index } }
  const now = (action: () => Promise<unknown>, said: string) => (): void => {
    action().then(() => { toast(said); onDone() }, (error: unknown) => { toast(asProblem(error).reason, 'error') })
  }
  const searchable = subject.open && pages.some(({ id }) => id === 'search')
  const items: (MenuItem | false)[] = subject.open ? [
    searchable && { title: text.actions.search, icon: 'search', href: href('search', [index]) },
    { title: text.actions.refresh, icon: 'refresh', onSelect: now(() => api('POST /{index}/_refresh', at), text.done.refreshed(index)) },
    { title: text.actions.flush, icon: 'download', onSelect: now(() => api('POST /{index}/_flush', at), text.done.flushed(index)) },
    { title: text.actions.merge, icon: 'snapshots', onSelect: () => setOpen('merge') },
    { title: text.actions.alias, icon: 'link', onSelect: () => setOpen('alias') },
    { title: text.actions.copy, icon: 'copy', onSelect: () => setOpen('copy') },
    { title: text.actions.semantic, icon: 'inference', onSelect: () => setOpen('meaning') },
    { title: text.actions.close, icon: 'lock', onSelect: () => setOpen('close') },
    { title: text.actions.delete, icon: 'remove', danger: true, onSelect: () => setOpen('delete') }
  ] : [
    { title: text.actions.open, icon: 'play', onSelect: now(() => api('POST /{index}/_open', at), text.done.opened(index)) },
    { title: text.actions.delete, icon: 'remove', danger: true, onSelect: () => setOpen('delete') }
  ]
  return html`<${Menu} label=${`${common.more}: ${index}`} kind=${children ? 'plain' : 'quiet'} items=${items}>${children}</${Menu}>
    ${open && html`<${Chosen} kind=${open} subject=${subject} names=${names} onClose=${() => setOpen(null)} onDone=${onDone} onGone=${onGone} />`}`
}
