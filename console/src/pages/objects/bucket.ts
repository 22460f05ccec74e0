import { html, useState } from '@/ui'
import { Menu } from '@/components/menu'
import { PageHead } from '@/components/facts'
import { Tabs } from '@/components/tabs'
import { toast } from '@/components/notice'
import { go, href } from '@/shell/router'
import { text } from '@strings/objects'
import { Browser } from './browser'
import { BucketSettings } from './bucket_settings'
import { DeleteBucket } from './delete_bucket'
import type { Key } from './keys'
import { Lifecycle } from './lifecycle'
import { Policy } from './policy'
import { StorageUse } from './storage_use'
import { Unfinished } from './unfinished'
import { UploadPanel } from './upload_panel'
import { VersionList } from './versions'

export function Bucket ({ bucket, prefix }: { bucket: string, prefix: Key }) {
  const [deleting, setDeleting] = useState(false)
  return html`<${PageHead} title=${bucket} trail=${[{ title: text.title, href: href('objects') }]}
      actions=${html`<${Menu} kind="plain" items=${[{ title: text.buckets.delete, icon: 'remove', danger: true, onSelect: () => setDeleting(true) }]} />`} />
    <${UploadPanel} />
    <${Tabs} label=${bucket} tabs=${[
      { id: 'objects', title: text.tabs.objects, content: () => html`<${Browser} bucket=${bucket} prefix=${prefix} />` },
      { id: 'versions', title: text.tabs.versions, content: () => html`<${VersionList} bucket=${bucket} prefix=${prefix} />` },
      { id: 'uploads', title: text.tabs.uploads, content: () => html`<${Unfinished} bucket=${bucket} />` },
      { id: 'use', title: text.tabs.use, content: () => html`<${StorageUse} key=${prefix} bucket=${bucket} prefix=${prefix} />` },
      { id: 'lifecycle', title: text.tabs.lifecycle, content: () => html`<${Lifecycle} bucket=${bucket} />` },
      { id: 'policy', title: text.tabs.policy, content: () => html`<${Policy} bucket=${bucket} />` },
      { id: 'settings', title: text.tabs.settings, content: () => html`<${BucketSettings} bucket=${bucket} />` }
    ]} />
    ${deleting && html`<${DeleteBucket} bucket=${bucket} onClose=${() => setDeleting(false)} onDone=${() => { toast(text.delete.bucketDone(bucket)); go('objects') }} />`}`
}
