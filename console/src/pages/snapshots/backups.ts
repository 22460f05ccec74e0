import { html, useState } from '@/ui'
import type { Backup } from '@/api/generated'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Card, Facts, Loading, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, SecretField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { Progress } from '@/components/progress'
import { Table, type Column } from '@/components/table'
import { bytes, count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text as common } from '@strings/common'
import { text } from '@strings/snapshots'

const words = text.backups
const took = (row: Backup): number => (row.ended ? Date.parse(row.ended) : Date.now()) - Date.parse(row.begun)

const columns: readonly Column<Backup>[] = [
  { id: 'begun', title: words.begun, value: (row) => row.begun, cell: (row) => html`<${When} at=${row.begun} />` },
  { id: 'state', title: words.state, value: (row) => words.states[row.state], cell: (row) => html`<span title=${row.error}><${State} tone=${row.state === 'done' ? row.damaged ? 'warning' : 'good' : row.state === 'failed' ? 'bad' : 'busy'}>${words.states[row.state]}</${State}></span>` },
  { id: 'took', title: words.took, numeric: true, value: took, cell: (row) => duration(took(row)) },
  { id: 'files', title: words.files, numeric: true, value: (row) => row.files.total, cell: (row) => count(row.files.total) },
  { id: 'bytes', title: words.bytes, numeric: true, value: (row) => row.bytes ?? null, cell: (row) => bytes(row.bytes) },
  { id: 'added', title: words.added, numeric: true, value: (row) => row.bytes_added, cell: (row) => bytes(row.bytes_added) },
  { id: 'damaged', title: words.damaged, numeric: true, extra: true, value: (row) => Number(row.damaged ?? 0), cell: (row) => count(Number(row.damaged ?? 0)) },
  { id: 'how', title: words.how, extra: true, value: (row) => row.scheduled ? words.bySchedule : words.byHand },
  { id: 'place', title: words.place, wide: true, extra: true, value: (row) => row.error ?? row.place, cell: (row) => html`<span title=${row.error ?? row.place} class=${row.error ? undefined : 'mono'}>${row.error ?? row.place}</span>` }
]

function Make ({ place, onClose, onDone }: { place: string | undefined, onClose: () => void, onDone: () => void }) {
  const [elsewhere, setElsewhere] = useState(!place)
  const [values, setValues] = useState({ place: '', key: '', client: '' })
  const [reread, setReread] = useState(false)
  const [making, run] = useAction()
  const set = (change: Partial<typeof values>): void => setValues({ ...values, ...change })
  const ready = !elsewhere || (values.place !== '' && values.key !== '')
  const make = (): void => {
    if (!ready) return
    const body = elsewhere ? { place: values.place, key: values.key.trim(), ...(values.client ? { client: values.client } : {}) } : {}
    void run(async () => { await api('POST /_cairn/backups', { body: { ...body, reread }, quiet: elsewhere }) }).then((done) => { if (done) { toast(words.done); onClose(); onDone() } })
  }
  return html`<${Dialog} size="small" title=${words.title} onClose=${onClose} onSubmit=${make} footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${making.busy} disabled=${!ready}>${words.verb}</${Button}>`}>
    <p class="muted">${place ? words.configured(place) : words.noPlace}</p><${Failure} problem=${making.problem} />
    ${place && html`<${CheckField} label=${words.elsewhere} value=${elsewhere} onInput=${setElsewhere} />`}
    ${elsewhere && html`<${TextField} label=${words.placeLabel} hint=${words.placeHint} value=${values.place} onInput=${(one: string) => set({ place: one.trim() })} required mono /><${SecretField} label=${words.key} hint=${words.keyHint} value=${values.key} onInput=${(key: string) => set({ key })} required /><${TextField} label=${words.client} hint=${words.clientHint} value=${values.client} onInput=${(client: string) => set({ client: client.trim() })} mono />`}
    <${CheckField} label=${words.reread} value=${reread} onInput=${setReread} /></${Dialog}>`
}

export function Backups () {
  const [fast, setFast] = useState(false)
  const asked = useAsked(async (signal) => { const all = await api('GET /_cairn/backups', { signal }); setFast(all.backups.some(({ state }) => state === 'running')); return all }, [], { every: fast ? 2000 : 30_000 })
  const [making, setMaking] = useState(false)
  const [cancelling, setCancelling] = useState(false)
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const { backups, place, next, keep } = asked.value
  const make = html`<${Button} kind="main" icon="add" onClick=${() => setMaking(true)}>${words.make}</${Button}>`
  return html`<p class="muted">${words.lead}</p><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${backups.filter(({ state }) => state === 'running').map((one) => html`<${Card} key=${one.id}><${Progress} label=${`${words.running} ${one.id}`} done=${one.files.done} total=${one.files.total} unit=${count} started_ms=${Date.parse(one.begun)} />
      <div class="bar"><span class="muted small">${words.read}: ${bytes(one.bytes_read)} · ${words.added}: ${bytes(one.bytes_added)}</span><${Button} small icon="stop" onClick=${() => setCancelling(true)}>${words.cancel}</${Button}></div></${Card}>`)}
    ${place && html`<${Card}><${Facts} rows=${[[words.place, html`<span class="mono">${place}</span>`], next ? [words.next, html`<${When} at=${next} />`] : null, keep ? [words.keep, words.keepOf(count(keep))] : null]} /></${Card}>`}
    <${Table} caption=${words.caption} columns=${columns} rows=${backups} rowKey=${(row: Backup) => row.id} sort="-begun" filterName="backup" tools=${backups.length > 0 && make} empty=${html`<${Empty} icon="snapshots" title=${words.empty} command=${words.command} action=${make}>${words.emptyText}</${Empty}>`} />
    <p class="muted small">${words.restore}</p>
    ${making && html`<${Make} place=${place} onClose=${() => setMaking(false)} onDone=${() => { setFast(true); asked.reload() }} />`}
    ${cancelling && html`<${Confirm} title=${words.cancelTitle} verb=${words.cancel} onClose=${() => setCancelling(false)} action=${() => api('DELETE /_cairn/backups')} onDone=${() => { toast(words.cancelled); asked.reload() }}><p>${words.cancelText}</p></${Confirm}>`}`
}
