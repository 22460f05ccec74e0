import { html, useState } from '@/ui'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Empty } from '@/components/empty'
import { Loading, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text } from '@strings/objects'
import { listedKey, shown, type Key } from './keys'
import { ask } from './storage'
import { all, readXml, textOf } from './xml'

interface Open { key: Key, id: string, begun: string }
const said = text.uploads.unfinished
const columns: readonly Column<Open>[] = [
  { id: 'key', title: said.key, wide: true, value: (row) => shown(row.key) },
  { id: 'begun', title: said.begun, value: (row) => row.begun, cell: (row) => html`<${When} at=${row.begun} />` },
  { id: 'id', title: said.id, value: (row) => row.id, extra: true, cell: (row) => html`<code>${row.id}</code>` }
]

async function unfinished (bucket: string, signal: AbortSignal): Promise<Open[]> {
  const answer = readXml(await (await ask('GET', { bucket, query: { 'uploads': '', 'encoding-type': 'url' } }, { signal })).text())
  return all(answer, 'Upload').map((one) => ({ key: listedKey(textOf(one, 'Key')), id: textOf(one, 'UploadId'), begun: textOf(one, 'Initiated') }))
}

/** Uploads in parts that nobody completed. */
export function Unfinished ({ bucket }: { bucket: string }) {
  const asked = useAsked((signal) => unfinished(bucket, signal), [bucket])
  const [ending, setEnding] = useState<Open | undefined>(undefined)
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  return html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} /><${Table} caption=${text.tabs.uploads} columns=${columns} rows=${asked.value} rowKey=${(row: Open) => row.id} busy=${asked.busy} filterName="uploads"
      actions=${(row: Open) => html`<${Button} small kind="quiet" icon="remove" label=${`${said.abort}: ${shown(row.key)}`} onClick=${() => setEnding(row)} />`} empty=${html`<${Empty} icon="upload" title=${said.none}>${said.noneText}</${Empty}>`} />
    ${ending && html`<${Confirm} title=${said.confirm(shown(ending.key))} verb=${said.abort} action=${() => ask('DELETE', { bucket, key: ending.key, query: { uploadId: ending.id } })} onClose=${() => setEnding(undefined)} onDone=${() => { toast(said.done); asked.reload() }}>${said.confirmText}</${Confirm}>`}`
}
