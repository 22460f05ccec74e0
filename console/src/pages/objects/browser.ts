import { classes, html, useEffect, useRef, useState } from '@/ui'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Icon } from '@/components/icon'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { bytes } from '@/text/numbers'
import { text as common } from '@strings/common'
import { text } from '@strings/objects'
import { chosenFiles, droppedFiles } from './chosen'
import { CopyDialog } from './copy'
import { DeleteObjects } from './delete_objects'
import { foldersOf, lastPart, nameOf, type Key } from './keys'
import { useListing } from './listing'
import { ShareDialog } from './share'
import { downloadUrl, type Entry } from './storage'
import { add, finished } from './upload'

const columnsOf = (prefix: Key): readonly Column<Entry>[] => [
  { id: 'name', title: text.list.name, wide: true, value: (row) => lastPart(row.key, prefix), cell: (row) => html`<span class="object-name"><${Icon} name=${row.folder ? 'folder' : 'file'} />${lastPart(row.key, prefix)}</span>` },
  { id: 'bytes', title: text.list.bytes, numeric: true, value: (row) => row.bytes, cell: (row) => row.folder ? html`<span class="muted">${text.list.folder}</span>` : bytes(row.bytes) },
  { id: 'modified', title: text.list.modified, value: (row) => row.modified, cell: (row) => html`<${When} at=${row.modified} />` },
  { id: 'storage', title: text.list.storage, value: (row) => row.storage, extra: true, cell: (row) => html`<span class="muted">${row.storage.toLowerCase() || '–'}</span>` }
]

function Trail ({ bucket, prefix }: { bucket: string, prefix: Key }) {
  const folders = foldersOf(prefix)
  return html`<nav class="object-trail" aria-label=${text.list.trail}><a href=${href('objects', [bucket])} aria-current=${folders.length === 0 ? 'page' : undefined}>${bucket}</a>
    ${folders.map((one, n) => html`<span aria-hidden="true" key=${one.key + '/'}>/</span><a key=${one.key} href=${href('objects', [bucket], { prefix: one.key })} aria-current=${n === folders.length - 1 ? 'page' : undefined}>${one.name}</a>`)}</nav>`
}

/** Two hidden inputs and their buttons. */
function Choose ({ onFiles }: { onFiles: (files: FileList) => void }) {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  useEffect(() => { folder.current?.setAttribute('webkitdirectory', '') }, [])
  const taken = (event: Event): void => { const input = event.target as HTMLInputElement; if (input.files && input.files.length > 0) onFiles(input.files); input.value = '' }
  return html`<input type="file" multiple hidden ref=${files} aria-label=${text.list.upload} onChange=${taken} /><input type="file" multiple hidden ref=${folder} aria-label=${text.list.uploadFolder} onChange=${taken} />
    <${Button} small kind="main" icon="upload" onClick=${() => files.current?.click()}>${text.list.upload}</${Button}><${Button} small icon="folder" onClick=${() => folder.current?.click()}>${text.list.uploadFolder}</${Button}>`
}

/** The objects of one folder. */
export function Browser ({ bucket, prefix }: { bucket: string, prefix: Key }) {
  const listing = useListing(bucket, prefix)
  const [over, setOver] = useState(false)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [deleting, setDeleting] = useState<readonly Entry[] | undefined>(undefined)
  const [sharing, setSharing] = useState<Entry | undefined>(undefined)
  const [copying, setCopying] = useState<Entry | undefined>(undefined)
  const [columns, setColumns] = useState(() => columnsOf(prefix))
  useEffect(() => { setColumns(columnsOf(prefix)); setSelected(new Set()) }, [prefix])
  const seen = finished.value
  const first = useRef(seen)
  useEffect(() => { if (seen !== first.current) { first.current = seen; const timer = setTimeout(listing.reload, 700); return () => clearTimeout(timer) } return undefined }, [seen])

  const take = (chosen: ReturnType<typeof chosenFiles>): void => { if (chosen.length > 0) { add(bucket, chosen); toast(text.list.onDrop(chosen.length)) } }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    setOver(false)
    if (event.dataTransfer) void droppedFiles(event.dataTransfer, prefix).then(take)
  }
  const drag = (event: DragEvent): void => { if (event.dataTransfer?.types.includes('Files')) { event.preventDefault(); setOver(true) } }
  const place = (row: Entry): string => href('objects', [bucket], row.folder ? { prefix: row.key } : { key: row.key })
  const actions = (row: Entry) => html`<${Menu} label=${`${common.more}: ${lastPart(row.key, prefix)}`} items=${[
    !row.folder && { title: text.list.download, icon: 'download', href: downloadUrl(bucket, row.key) },
    !row.folder && { title: text.list.share, icon: 'link', onSelect: () => setSharing(row) },
    !row.folder && { title: text.list.copy, icon: 'copy', onSelect: () => setCopying(row) },
    { title: text.list.delete, icon: 'remove', danger: true, onSelect: () => setDeleting([row]) }
  ]} />`
  const tools = html`${selected.size > 0 && html`<${Button} small kind="danger" icon="remove" onClick=${() => setDeleting(listing.rows.filter((row) => selected.has(row.key)))}>${text.list.deleteSome(selected.size)}</${Button}>`}
    <${Button} small kind="quiet" icon="refresh" label=${common.reload} onClick=${listing.reload} /><${Choose} onFiles=${(files: FileList) => take(chosenFiles(files, prefix))} />`
  return html`<div class=${classes('object-drop', over && 'is-over')} onDragOver=${drag} onDragLeave=${(event: DragEvent) => { if (event.currentTarget === event.target || !(event.currentTarget as Element).contains(event.relatedTarget as Node)) setOver(false) }} onDrop=${drop}>
    <${Trail} bucket=${bucket} prefix=${prefix} />
    <${Failure} problem=${listing.problem} onRetry=${listing.reload} />
    <${Table} key=${prefix} caption=${text.list.caption(bucket)} columns=${columns} rows=${listing.rows} rowKey=${(row: Entry) => row.key} rowHref=${place} actions=${actions} selected=${selected} onSelect=${setSelected} tools=${tools} busy=${listing.busy} onEnd=${listing.more} tall
      empty=${listing.problem ? undefined : html`<${Empty} icon="upload" title=${text.list.empty} command=${text.list.command(bucket, nameOf(prefix))}>${text.list.emptyText}</${Empty}>`} />
    ${listing.next && html`<div class="bar"><p class="muted small">${text.list.partial(listing.rows.length)}</p><div class="bar-end">${listing.loadingAll ? html`<${Button} small icon="stop" onClick=${listing.stop}>${text.list.stop}</${Button}>` : html`<${Button} small onClick=${listing.loadAll}>${text.list.more}</${Button}>`}</div></div>`}
    ${over && html`<p class="object-drop-here" aria-hidden="true"><${Icon} name="upload" />${text.list.drop}</p>`}</div>
    ${deleting && html`<${DeleteObjects} bucket=${bucket} targets=${deleting} onClose=${() => setDeleting(undefined)} onDone=${() => { setSelected(new Set()); listing.reload() }} />`}
    ${sharing && html`<${ShareDialog} bucket=${bucket} objectKey=${sharing.key} onClose=${() => setSharing(undefined)} />`}
    ${copying && html`<${CopyDialog} bucket=${bucket} objectKey=${copying.key} size=${copying.bytes ?? 0} onClose=${() => setCopying(undefined)} onDone=${listing.reload} />`}`
}

