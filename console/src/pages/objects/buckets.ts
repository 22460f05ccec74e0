import { html, useState } from '@/ui'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Loading, PageHead, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { go, href } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/objects'
import { DeleteBucket } from './delete_bucket'
import { ask, buckets, put, type Bucket } from './storage'
import { UploadPanel } from './upload_panel'
import { element } from './xml'

const columns: readonly Column<Bucket>[] = [
  { id: 'name', title: text.buckets.name, value: (row) => row.name, wide: true },
  { id: 'created', title: text.buckets.created, value: (row) => row.created, cell: (row) => html`<${When} at=${row.created} />` },
  { id: 'region', title: text.buckets.region, value: (row) => row.region, extra: true }
]
const good = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

function CreateBucket ({ onClose, onDone }: { onClose: () => void, onDone: (name: string) => void }) {
  const [name, setName] = useState('')
  const [versioned, setVersioned] = useState(false)
  const [locked, setLocked] = useState(false)
  const [doing, run] = useAction()
  const wrong = name !== '' && !good.test(name)
  const create = async (): Promise<void> => {
    await ask('PUT', { bucket: name }, { headers: locked ? { 'x-amz-bucket-object-lock-enabled': 'true' } : {} })
    if (versioned && !locked) await put({ bucket: name, query: { versioning: '' } }, element('VersioningConfiguration', [element('Status', 'Enabled')]))
  }
  const submit = (): void => { if (good.test(name)) void run(create).then((done) => { if (done) onDone(name) }) }
  return html`<${Dialog} title=${text.buckets.createTitle} size="small" onClose=${onClose} onSubmit=${submit}
    footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${common.create}</${Button}>`}>
    <${Failure} problem=${doing.problem} />
    <${TextField} label=${text.buckets.name} hint=${text.buckets.nameHint} error=${wrong ? text.buckets.badName : undefined} value=${name} onInput=${setName} required mono autofocus />
    <${CheckField} label=${text.buckets.versioning} hint=${text.buckets.versioningHint} value=${versioned || locked} disabled=${locked} onInput=${setVersioned} />
    <${CheckField} label=${text.buckets.lock} hint=${text.buckets.lockHint} value=${locked} onInput=${setLocked} /></${Dialog}>`
}

export function Buckets () {
  const asked = useAsked(buckets, [])
  const [creating, setCreating] = useState(false)
  const [deleting, setDeleting] = useState<string | undefined>(undefined)
  const create = html`<${Button} kind="main" icon="add" onClick=${() => setCreating(true)}>${text.buckets.create}</${Button}>`
  const actions = (row: Bucket) => html`<${Menu} label=${`${common.more}: ${row.name}`} items=${[
    { title: text.buckets.settings, icon: 'settings', href: href('objects', [row.name], { tab: 'settings' }) },
    { title: text.buckets.delete, icon: 'remove', danger: true, onSelect: () => setDeleting(row.name) }
  ]} />`
  const noAccess = asked.problem?.kind === 'forbidden'
  return html`<${PageHead} title=${text.title} actions=${!noAccess && create}>${text.lead}</${PageHead}>
    ${noAccess ? html`<${Empty} icon="lock" title=${text.noAccess.title} command=${text.noAccess.command}>${text.noAccess.text} ${asked.problem!.reason}</${Empty}>` : html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />`}
    ${!asked.value ? asked.busy && html`<${Loading} />` : html`<${Table} caption=${text.buckets.title} columns=${columns} rows=${asked.value} rowKey=${(row: Bucket) => row.name} rowHref=${(row: Bucket) => href('objects', [row.name])} actions=${actions} busy=${asked.busy}
      empty=${html`<${Empty} icon="objects" title=${text.buckets.empty} command=${text.buckets.command}>${text.buckets.emptyText}</${Empty}>`} />`}
    <${UploadPanel} />
    ${creating && html`<${CreateBucket} onClose=${() => setCreating(false)} onDone=${(name: string) => { toast(text.buckets.made(name)); go('objects', [name]) }} />`}
    ${deleting !== undefined && html`<${DeleteBucket} bucket=${deleting} onClose=${() => setDeleting(undefined)} onDone=${() => { toast(text.delete.bucketDone(deleting)); asked.reload() }} />`}`
}
