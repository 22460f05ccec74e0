import { html, useState } from '@/ui'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { CopyButton } from '@/components/code'
import { Facts, Loading, PageHead, Section, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextArea, TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Tabs } from '@/components/tabs'
import { go, href } from '@/shell/router'
import { bytes, count } from '@/text/numbers'
import { moment } from '@/text/times'
import { text as common } from '@strings/common'
import { text } from '@strings/objects'
import { CopyDialog } from './copy'
import { DeleteObjects } from './delete_objects'
import { foldersOf, nameOf, shown, type Key } from './keys'
import { Lock } from './lock'
import { Preview } from './preview'
import { ShareDialog } from './share'
import { copy, downloadUrl, head, type Head } from './storage'
import { TagEditor } from './tags'
import { VersionList } from './versions'

const metaField = /^x-(?:amz|svc)-meta-/

export function metadataOf (headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => metaField.test(name)).map(([name, value]): [string, string] => [name.replace(metaField, ''), value])
    .filter(([name], n, all) => all.findIndex(([other]) => other === name) === n)
}

function EditMetadata ({ bucket, objectKey, value, onClose, onDone }: { bucket: string, objectKey: Key, value: Head, onClose: () => void, onDone: () => void }) {
  const [lines, setLines] = useState(() => metadataOf(value.headers).map(([name, one]) => `${name}: ${one}`).join('\n'))
  const [type, setType] = useState(value.headers.get('content-type') ?? '')
  const [doing, run] = useAction()
  const given = lines.split('\n').filter((line) => line.trim() !== '')
  const bad = given.find((line) => !/^[A-Za-z0-9_.-]+\s*:.*\S/.test(line))
  const save = async (): Promise<void> => {
    const headers: Record<string, string> = { 'x-amz-metadata-directive': 'REPLACE', 'Content-Type': type || 'application/octet-stream' }
    for (const line of given) headers['x-amz-meta-' + line.slice(0, line.indexOf(':')).trim()] = line.slice(line.indexOf(':') + 1).trim()
    const place = { bucket, key: objectKey }
    await copy({ from: place, to: place, headers })
  }
  const submit = (): void => { if (!bad) void run(save).then((done) => { if (done) { toast(text.object.savedMeta); onDone(); onClose() } }) }
  return html`<${Dialog} title=${text.object.metaTitle} onClose=${onClose} onSubmit=${submit} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${common.save}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><${TextField} label=${text.object.type} value=${type} onInput=${setType} mono />
    <${TextArea} label=${text.object.meta} hint=${text.object.metaHint} error=${bad === undefined ? undefined : text.object.badMeta(bad)} value=${lines} onInput=${setLines} rows=${8} mono /></${Dialog}>`
}

function Details ({ bucket, objectKey, value, versionId, reload }: { bucket: string, objectKey: Key, value: Head, versionId: string | undefined, reload: () => void }) {
  const [editing, setEditing] = useState(false)
  const { headers } = value
  const has = (name: string): string | null => headers.get('x-amz-' + name)
  const checksum = ['crc32', 'crc32c', 'crc64nvme', 'sha1', 'sha256'].filter((name) => has('checksum-' + name)).map((name) => `${name.toUpperCase()} ${has('checksum-' + name)}`).join(', ')
  const meta = metadataOf(headers)
  const uri = `s3://${bucket}/${nameOf(objectKey)}`
  return html`<${Facts} rows=${[
      [text.object.uri, html`<code>s3://${bucket}/${shown(objectKey)}</code> <${CopyButton} value=${uri} />`],
      [text.object.size, `${bytes(value.bytes)} (${count(value.bytes)} B)`],
      [text.object.type, headers.get('content-type')],
      [text.object.modified, html`<${When} exact at=${headers.get('last-modified')} />`],
      [text.object.etag, html`<code>${(headers.get('etag') ?? '').replaceAll('"', '')}</code>`],
      has('version-id') && [text.object.version, html`<code>${has('version-id')}</code>`],
      checksum !== '' && [text.object.checksum, html`<code>${checksum}</code>`],
      [text.object.storage, (has('storage-class') ?? 'STANDARD').toLowerCase()],
      [text.object.encryption, has('server-side-encryption') ?? text.object.none],
      has('mp-parts-count') && [text.object.parts, has('mp-parts-count')],
      has('object-lock-mode') && [text.object.retention, `${moment(has('object-lock-retain-until-date'))} (${has('object-lock-mode')!.toLowerCase()})`],
      has('object-lock-legal-hold') && [text.object.hold, has('object-lock-legal-hold') === 'ON' ? common.yes : common.no],
      has('expiration') && [text.object.expires, has('expiration')]
    ]} />
    <${Section} title=${text.object.meta} actions=${versionId === undefined && html`<${Button} small icon="edit" onClick=${() => setEditing(true)}>${text.object.editMeta}</${Button}>`}>${meta.length === 0 ? html`<p class="muted">${text.object.noMeta}</p>` : html`<${Facts} rows=${meta} />`}</${Section}>
    ${editing && html`<${EditMetadata} bucket=${bucket} objectKey=${objectKey} value=${value} onClose=${() => setEditing(false)} onDone=${reload} />`}`
}

/** One object, or one version of it. */
export function ObjectPlace ({ bucket, objectKey, versionId }: { bucket: string, objectKey: Key, versionId: string | undefined }) {
  const asked = useAsked((signal) => head(bucket, objectKey, versionId, signal), [bucket, objectKey, versionId])
  const [open, setOpen] = useState<'share' | 'copy' | 'delete' | undefined>(undefined)
  const folders = foldersOf(objectKey)
  const parent = folders.at(-1)?.key ?? ''
  const name = shown(objectKey.slice(parent.length)) || shown(objectKey)
  const close = (): void => setOpen(undefined)
  const value = asked.value
  const back = (): void => go('objects', [bucket], { prefix: parent })
  return html`<${PageHead} title=${name} trail=${[{ title: text.title, href: href('objects') }, { title: bucket, href: href('objects', [bucket]) }, ...folders.map((one) => ({ title: one.name, href: href('objects', [bucket], { prefix: one.key }) }))]}
      actions=${value && html`<${Button} kind="main" icon="download" href=${downloadUrl(bucket, objectKey, versionId)}>${text.list.download}</${Button}><${Button} icon="link" onClick=${() => setOpen('share')}>${text.list.share}</${Button}>
        <${Menu} kind="plain" items=${[{ title: text.list.copy, icon: 'copy', onSelect: () => setOpen('copy') }, { title: text.list.delete, icon: 'remove', danger: true, onSelect: () => setOpen('delete') }]} />`} />
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${!value ? asked.busy && html`<${Loading} />` : html`<${Tabs} label=${name} tabs=${[
      { id: 'details', title: text.object.tabs.details, content: () => html`<${Details} bucket=${bucket} objectKey=${objectKey} value=${value} versionId=${versionId} reload=${asked.reload} />` },
      { id: 'preview', title: text.object.tabs.preview, content: () => html`<${Preview} bucket=${bucket} objectKey=${objectKey} versionId=${versionId} value=${value} />` },
      { id: 'versions', title: text.object.tabs.versions, content: () => html`<${VersionList} bucket=${bucket} prefix=${objectKey} only=${objectKey} onChanged=${asked.reload} />` },
      { id: 'tags', title: text.object.tabs.tags, content: () => html`<${TagEditor} place=${{ bucket, key: objectKey, query: { versionId } }} most=${10} />` },
      { id: 'lock', title: text.object.tabs.lock, content: () => html`<${Lock} bucket=${bucket} objectKey=${objectKey} versionId=${versionId} headers=${value.headers} onChanged=${asked.reload} />` }
    ]} />`}
    ${open === 'share' && html`<${ShareDialog} bucket=${bucket} objectKey=${objectKey} versionId=${versionId} onClose=${close} />`}
    ${open === 'copy' && html`<${CopyDialog} bucket=${bucket} objectKey=${objectKey} size=${value?.bytes ?? 0} onClose=${close} onDone=${back} />`}
    ${open === 'delete' && html`<${DeleteObjects} bucket=${bucket} targets=${[{ key: objectKey, folder: false, bytes: value?.bytes ?? 0, modified: '', etag: '', storage: '', checksum: '' }]} onClose=${close} onDone=${back} />`}`
}
