import { html, useRef, useState } from '@/ui'
import { readMetrics } from '@/api/metrics'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Card } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Bars } from '@/components/plot'
import { Progress } from '@/components/progress'
import { bytes, count } from '@/text/numbers'
import { text } from '@strings/objects'
import { lastPart, type Key } from './keys'
import { list } from './storage'

const said = text.use
const foldersShown = 20
const operationsShown = 10

interface Counted { folders: Map<Key, { objects: number, bytes: number }>, objects: number, done: boolean }

/** How much lies in each folder: counted by listing, when it is asked for. */
function ByFolder ({ bucket, prefix }: { bucket: string, prefix: Key }) {
  const [found, setFound] = useState<Counted | undefined>(undefined)
  const [doing, run] = useAction()
  const stop = useRef(new AbortController())
  const countAll = async (): Promise<void> => {
    stop.current = new AbortController()
    const now: Counted = { folders: new Map(), objects: 0, done: false }
    let after: string | undefined
    do {
      const page = await list(bucket, prefix, { after, deep: true, quiet: after !== undefined, signal: stop.current.signal })
      for (const one of page.files) {
        const slash = one.key.indexOf('/', prefix.length)
        const folder = slash < 0 ? prefix : one.key.slice(0, slash + 1)
        const sum = now.folders.get(folder) ?? { objects: 0, bytes: 0 }
        now.folders.set(folder, { objects: sum.objects + 1, bytes: sum.bytes + (one.bytes ?? 0) })
      }
      now.objects += page.files.length
      after = page.next
      setFound({ ...now })
    } while (after)
    setFound({ ...now, done: true })
  }
  const rows = [...found?.folders ?? []].sort(([, a], [, b]) => b.bytes - a.bytes)
  return html`<${Card} title=${said.folders} actions=${doing.busy ? html`<${Button} small icon="stop" onClick=${() => stop.current.abort()}>${text.list.stop}</${Button}>` : html`<${Button} small onClick=${() => void run(countAll)}>${said.count}</${Button}>`}>
    <p class="muted">${said.foldersLead}</p><${Failure} problem=${doing.problem} />
    ${found && (found.done ? html`<p>${said.total(found.objects, rows.reduce((all, [, one]) => all + one.bytes, 0))}</p>` : html`<${Progress} label=${said.count} done=${found.objects} />`)}
    ${rows.length > 0 && html`<${Bars} label=${said.folders} unit=${bytes} rows=${rows.slice(0, foldersShown).map(([key, one]) => ({ name: said.folder(key === prefix ? said.here : lastPart(key, prefix), one.objects), value: one.bytes }))} />`}</${Card}>`
}

/** What was asked of the object storage since the server was started. */
function Requests () {
  const asked = useAsked(async (signal) => readMetrics(await api('GET /_metrics', { signal }) as unknown as string), [], { every: 15_000 })
  const sums = new Map<string, number>()
  for (const { name, labels, value } of asked.value ?? []) if (name === 'cairn_http_requests_total' && labels['surface'] === 'objects' && value > 0) sums.set(labels['operation'] ?? '', (sums.get(labels['operation'] ?? '') ?? 0) + value)
  const rows = [...sums].sort(([, a], [, b]) => b - a).slice(0, operationsShown)
  return html`<${Card} title=${said.requests}><p class="muted">${said.requestsLead}</p><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${rows.length > 0 ? html`<${Bars} label=${said.requests} unit=${count} rows=${rows.map(([name, value]) => ({ name, value }))} />` : asked.value && html`<p>${said.noRequests}</p>`}</${Card}>`
}

export function StorageUse ({ bucket, prefix }: { bucket: string, prefix: Key }) {
  return html`<div class="columns"><${ByFolder} bucket=${bucket} prefix=${prefix} /><${Requests} /></div>`
}
