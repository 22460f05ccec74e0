import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm, Would } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'

interface Row { name: string, value: string, own: boolean }
const { settings: words } = text
const shown = (value: unknown): string => typeof value === 'string' ? value : JSON.stringify(value)

const columns: readonly Column<Row>[] = [
  { id: 'name', title: words.name, value: (row) => row.name, cell: (row) => html`<code>${row.name}</code>` },
  { id: 'value', title: words.value, wide: true, value: (row) => row.value, cell: (row) => html`<code title=${row.value}>${row.value}</code>` },
  { id: 'from', title: words.from, value: (row) => row.own ? words.own : words.default }
]

/** What stands in the field as JSON has it: 5, true, ["a"]; all else is a text. */
function valueOf (source: string): unknown {
  try { return JSON.parse(source) } catch { return source }
}

function ChangeDialog ({ index, row, onClose, onDone }: { index: string, row: Row | null, onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState(row?.name ?? 'index.')
  const [value, setValue] = useState(row?.value ?? '')
  const [would, setWould] = useState<unknown>(undefined)
  const [doing, run] = useAction()
  const [trying, dry] = useAction()
  const put = (dry_run?: boolean) => api('PUT /{index}/_settings', { path: { index }, body: { [name.trim()]: valueOf(value) } as never, query: dry_run ? { dry_run } : {} })
  const submit = (): void => { if (name.trim()) void run(() => put()).then((done) => { if (done) { toast(text.done.settings(index)); onDone(); onClose() } }) }
  return html`<${Dialog} size="small" title=${row ? words.title(row.name) : words.titleNew} onClose=${onClose} onSubmit=${submit}
    footer=${html`<span class="foot-start"><${Button} busy=${trying.busy} onClick=${() => void dry(async () => setWould(await put(true)))}>${common.confirm.dryRun}</${Button}></span><${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${words.verb}</${Button}>`}>
    <p class="muted">${words.lead}</p>
    <${TextField} label=${words.name} value=${name} onInput=${setName} mono required disabled=${row !== null} />
    <${TextField} label=${words.value} hint=${words.valueHint} value=${value} onInput=${(next: string) => { setValue(next); setWould(undefined) }} mono autofocus />
    <div aria-live="polite">${would !== undefined && html`<${Would} answer=${would} />`}</div><${Failure} problem=${trying.problem} /><${Failure} problem=${doing.problem} /></${Dialog}>`
}

export function SettingsTab ({ index }: { index: string }) {
  const asked = useAsked((signal) => api('GET /{index}/_settings', { path: { index }, signal, query: { flat_settings: true, include_defaults: true } }), [index])
  const [changing, setChanging] = useState<Row | null | undefined>(undefined)
  const [taking, setTaking] = useState<Row | undefined>(undefined)
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const answer = Object.values(asked.value)[0] as { settings?: object, defaults?: object } | undefined
  const some = (all: object | undefined, own: boolean): Row[] => Object.entries(all ?? {}).map(([name, value]) => ({ name, value: shown(value), own }))
  const rows = [...some(answer?.settings, true), ...some(answer?.defaults, false)]
  const put = (name: string, query: object) => api('PUT /{index}/_settings', { path: { index }, body: { [name]: null } as never, query: query as never })
  const actions = (row: Row) => html`<${Menu} label=${`${common.more}: ${row.name}`} items=${[
    { title: words.change, icon: 'edit', onSelect: () => setChanging(row) },
    row.own && { title: words.takeBack, icon: 'refresh', onSelect: () => setTaking(row) }]} />`
  return html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${Table} caption=${words.caption} columns=${columns} rows=${rows} rowKey=${(row: Row) => row.name} actions=${actions} tools=${html`<${Button} small icon="edit" onClick=${() => setChanging(null)}>${words.change}</${Button}>`} />
    ${changing !== undefined && html`<${ChangeDialog} index=${index} row=${changing} onClose=${() => setChanging(undefined)} onDone=${asked.reload} />`}
    ${taking && html`<${Confirm} calm title=${words.back(taking.name)} verb=${words.takeBack} dryRun=${() => put(taking.name, { dry_run: true })} action=${() => put(taking.name, {})}
      onClose=${() => setTaking(undefined)} onDone=${() => { toast(text.done.settings(index)); asked.reload() }} />`}`
}
