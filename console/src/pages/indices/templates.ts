// Index templates and their components: what they come to, before they are saved and for a name.
import { html, useMemo, useState } from '@/ui'
import type { ComponentTemplate, IndexTemplate, SimulatedTemplate } from '@/api/generated'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Confirm, Would } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Card, Loading, Tag } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextArea, TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { Notice, toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text as common } from '@strings/common'
import { text } from '@strings/templates'

const said = text.templates
type Kind = 'index' | 'component'
interface Row { kind: Kind, name: string, body: IndexTemplate | ComponentTemplate, patterns: string[], parts: string[], priority: number | null, usedBy: string[], streams: boolean }

async function all (signal: AbortSignal): Promise<Row[]> {
  const [indices, parts] = await Promise.all([api('GET /_index_template', { signal }), api('GET /_component_template', { signal })])
  const own = indices.index_templates.map(({ name, index_template: body }): Row => ({ kind: 'index', name, body, patterns: [body.index_patterns].flat(), parts: body.composed_of ?? [], priority: body.priority ?? null, usedBy: [], streams: body.data_stream !== undefined }))
  return [...own, ...parts.component_templates.map(({ name, component_template: body }): Row => ({ kind: 'component', name, body, patterns: [], parts: [], priority: null, usedBy: own.filter((one) => one.parts.includes(name)).map((one) => one.name), streams: false }))]
}

const columns: readonly Column<Row>[] = [
  { id: 'name', title: said.name, value: (row) => row.name },
  { id: 'kind', title: said.kind, value: (row) => said.kinds[row.kind], cell: (row) => html`${said.kinds[row.kind]}${row.streams && html` <${Tag}>${said.stream}</${Tag}>`}` },
  { id: 'patterns', title: said.patterns, value: (row) => row.patterns.join(', '), wide: true, cell: (row) => html`<span class="mono" title=${row.patterns.join(', ')}>${row.patterns.join(', ') || '–'}</span>` },
  { id: 'priority', title: said.priority, numeric: true, extra: true, value: (row) => row.priority },
  { id: 'parts', title: said.parts, extra: true, value: (row) => row.parts.join(', ') },
  { id: 'used', title: said.usedBy, extra: true, value: (row) => row.usedBy.join(', ') }
]

/** What an index would begin with. */
function Outcome ({ value }: { value: SimulatedTemplate }) {
  const of = (value.template ?? {}) as Record<'settings' | 'mappings' | 'aliases', Record<string, unknown> | undefined>
  const shown = (['settings', 'mappings', 'aliases'] as const).filter((one) => Object.keys(of[one] ?? {}).length > 0)
  return html`<${Notice} title=${said.simulated}>${shown.length === 0 ? said.nothing : shown.map((one) => html`<div key=${one}><h3>${said[one]}</h3><${Json} value=${of[one]} label=${said[one]} /></div>`)}
    ${(value.overlapping ?? []).length > 0 && html`<p>${said.overlapping} ${value.overlapping!.map(({ name, index_patterns: patterns }) => `${name} (${patterns.join(', ')})`).join('; ')}</p>`}</${Notice}>`
}

const beginnings: Record<Kind, object> = {
  index: { index_patterns: ['logs-*'], priority: 100, composed_of: [], template: { settings: { index: { refresh_interval: '5s' } }, mappings: { properties: { message: { type: 'text' } } } } },
  component: { template: { mappings: { properties: { '@timestamp': { type: 'date' } } } } }
}

function fault (json: string): string | undefined {
  try { JSON.parse(json); return undefined } catch (error) { return said.notJson((error as Error).message) }
}

async function put (kind: Kind, name: string, body: any, dry = false): Promise<unknown> {
  const query = dry ? { dry_run: true } : {}
  return kind === 'index' ? await api('PUT /_index_template/{name}', { path: { name }, query, body }) : await api('PUT /_component_template/{name}', { path: { name }, query, body })
}

async function remove ({ kind, name }: Row, dry = false): Promise<unknown> {
  const query = dry ? { dry_run: true } : {}
  return kind === 'index' ? await api('DELETE /_index_template/{name}', { path: { name }, query }) : await api('DELETE /_component_template/{name}', { path: { name }, query })
}

function Editor ({ kind, row, onClose, onDone }: { kind: Kind, row: Row | undefined, onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState(row?.name ?? '')
  const [json, setJson] = useState(() => JSON.stringify(row?.body ?? beginnings[kind], null, 2))
  const [outcome, setOutcome] = useState<SimulatedTemplate | undefined>(undefined)
  const [would, setWould] = useState<unknown>(undefined)
  const [doing, run] = useAction()
  const [trying, attempt] = useAction()
  const bad = fault(json)
  const write = (value: string): void => { setJson(value); setOutcome(undefined); setWould(undefined) }
  const ready = bad === undefined && name.trim() !== ''
  const submit = (): void => { if (ready) void run(() => put(kind, name.trim(), JSON.parse(json))).then((done) => { if (done) { toast(said.done(name.trim())); onClose(); onDone() } }) }
  return html`<${Dialog} title=${row ? said.title(row.name) : kind === 'index' ? said.titleNew : said.titleNewPart} onClose=${onClose} onSubmit=${submit}
    footer=${html`<span class="foot-start">${kind === 'index' && html`<${Button} busy=${trying.busy} disabled=${bad !== undefined} onClick=${() => void attempt(async () => { setWould(undefined); setOutcome(await api('POST /_index_template/_simulate', { body: JSON.parse(json) })) })}>${said.simulate}</${Button}>`}
      <${Button} busy=${trying.busy} disabled=${!ready} onClick=${() => void attempt(async () => { setOutcome(undefined); setWould(await put(kind, name.trim(), JSON.parse(json), true)) })}>${said.dry}</${Button}></span>
      <${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${!ready}>${common.save}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><${TextField} label=${said.name} value=${name} onInput=${setName} disabled=${row !== undefined} required mono autofocus=${row === undefined} />
    <${TextArea} label=${said.body} hint=${said.bodyHint} value=${json} onInput=${write} rows=${14} mono error=${bad} />
    <${Failure} problem=${trying.problem} /><div aria-live="polite">${outcome && html`<${Outcome} value=${outcome} />`}${would !== undefined && html`<${Would} answer=${would} />`}</div></${Dialog}>`
}

/** The template that a name would get. */
function TryName () {
  const [name, setName] = useState('')
  const [outcome, setOutcome] = useState<SimulatedTemplate | undefined>(undefined)
  const [doing, run] = useAction()
  const ask = (event: Event): void => { event.preventDefault(); if (name.trim()) void run(async () => setOutcome(await api('POST /_index_template/_simulate_index/{name}', { path: { name: name.trim() }, body: undefined as never }))) }
  return html`<${Card} title=${said.try}><p class="muted">${said.tryHint}</p><form class="inline-form" onSubmit=${ask}><${TextField} label=${said.tryName} value=${name} onInput=${(value: string) => { setName(value); setOutcome(undefined) }} mono required /><${Button} type="submit" busy=${doing.busy}>${said.tryButton}</${Button}></form>
    <${Failure} problem=${doing.problem} /><div aria-live="polite">${outcome && html`<${Outcome} value=${outcome} />`}</div></${Card}>`
}

/** What a kept template comes to with its components. */
function Shown ({ row, onClose }: { row: Row, onClose: () => void }) {
  const asked = useAsked((signal) => api('POST /_index_template/_simulate/{name}', { path: { name: row.name }, signal, body: undefined as never }), [row.name], { when: row.kind === 'index' })
  return html`<${Dialog} title=${row.name} size="side" onClose=${onClose}><${Failure} problem=${asked.problem} onRetry=${asked.reload} />${row.kind === 'index' && (asked.value ? html`<${Outcome} value=${asked.value} />` : !asked.problem && html`<${Loading} />`)}<h3>${said.whole}</h3><${Json} value=${row.body} label=${row.name} /></${Dialog}>`
}

type Open = { what: 'add', kind: Kind } | { what: 'change' | 'show' | 'remove', row: Row }

export function Templates () {
  const asked = useAsked(all, [])
  const [open, setOpen] = useState<Open | undefined>(undefined)
  const close = (): void => setOpen(undefined)
  const rows = useMemo(() => asked.value ?? [], [asked.value])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const add = html`<${Button} small icon="add" onClick=${() => setOpen({ what: 'add', kind: 'index' })}>${said.add}</${Button}><${Button} small icon="add" onClick=${() => setOpen({ what: 'add', kind: 'component' })}>${said.addPart}</${Button}>`
  const actions = (row: Row) => html`<${Menu} label=${`${common.more}: ${row.name}`} items=${[{ title: said.show, icon: 'eye', onSelect: () => setOpen({ what: 'show', row }) }, { title: said.open, icon: 'edit', onSelect: () => setOpen({ what: 'change', row }) }, { title: said.remove, icon: 'remove', danger: true, onSelect: () => setOpen({ what: 'remove', row }) }]} />`
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${Table} caption=${said.caption} columns=${columns} rows=${rows} rowKey=${(row: Row) => `${row.kind} ${row.name}`} onRow=${(row: Row) => setOpen({ what: 'show', row })} actions=${actions} sort="name" filterName="template" busy=${asked.busy} tools=${add} empty=${html`<${Empty} icon="file" title=${said.empty}>${said.emptyText}</${Empty}>`} />
    <${TryName} />
    ${open?.what === 'add' && html`<${Editor} kind=${open.kind} onClose=${close} onDone=${asked.reload} />`}
    ${open?.what === 'change' && html`<${Editor} kind=${open.row.kind} row=${open.row} onClose=${close} onDone=${asked.reload} />`}
    ${open?.what === 'show' && html`<${Shown} row=${open.row} onClose=${close} />`}
    ${open?.what === 'remove' && html`<${Confirm} title=${said.removeTitle(open.row.name)} verb=${said.remove} typed=${open.row.name} dryRun=${() => remove(open.row, true)} action=${() => remove(open.row)} onClose=${close} onDone=${() => { toast(said.deleted(open.row.name)); asked.reload() }}><p>${said.removeText}</p></${Confirm}>`}`
}
