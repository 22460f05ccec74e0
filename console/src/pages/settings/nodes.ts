// The nodes that share the store: which one serves, how their machines are, and who gives away what it owns.
import { html, useRef, useState, type ComponentChildren } from '@/ui'
import type { Answer } from '@/api/request'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Facts, Loading, State, When, type Tone } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Menu, type MenuItem } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { bytes, none, percent } from '@/text/numbers'
import { text as common } from '@strings/common'
import { text } from '@strings/settings'

const said = text.nodes
type Node = Answer<'GET /_cairn/nodes'>['nodes'][number]
interface Space { used: number, total: number }

const serves = ({ role }: Node): boolean => role === 'serving'
/** Who gives away what it owns serves until it has. */
const roleOf = (row: Node): string => row.draining ? serves(row) ? said.draining : said.drained : said.roles[row.role]
const toneOf = (row: Node): Tone => row.draining ? serves(row) ? 'busy' : 'warning' : serves(row) ? 'good' : 'off'
const roleCell = (row: Node) => html`<${State} tone=${toneOf(row)}>${roleOf(row)}</${State}>`

/** A total of nothing: the node does not tell. */
const diskOf = ({ disk }: Node): Space | null => disk?.total_in_bytes ? { used: disk.total_in_bytes - (disk.available_in_bytes ?? 0), total: disk.total_in_bytes } : null
const memoryOf = ({ memory }: Node): Space | null => memory?.total_in_bytes ? { used: memory.used_in_bytes ?? 0, total: memory.total_in_bytes } : null
const share = (space: Space | null): number | null => space && space.used / space.total
const shareCell = (space: Space | null) => html`<span title=${space && amount(space)}>${percent(share(space))}</span>`
const amount = (space: Space | null): string => space ? said.of(bytes(space.used), bytes(space.total)) : none
const loadOf = ({ load }: Node): string => load?.map((one) => one.toFixed(2)).join(' ') ?? none

const columns: readonly Column<Node>[] = [
  { id: 'name', title: said.name, value: (row) => row.name, cell: (row) => html`<span class="cut" style=${{ maxWidth: 'min(180px, 32vw)' }} title=${row.name}>${row.name}</span>` },
  { id: 'role', title: said.role, value: roleOf, cell: roleCell },
  { id: 'http', title: said.http, value: (row) => row.http, extra: true, cell: (row) => html`<code>${row.http}</code>` },
  { id: 'version', title: said.version, value: (row) => row.version, extra: true },
  { id: 'started', title: said.started, value: (row) => row.started_at, extra: true, cell: (row) => html`<${When} at=${row.started_at} />` },
  { id: 'disk', title: said.disk, numeric: true, value: (row) => share(diskOf(row)), extra: true, cell: (row) => shareCell(diskOf(row)) },
  { id: 'memory', title: said.memory, numeric: true, value: (row) => share(memoryOf(row)), extra: true, cell: (row) => shareCell(memoryOf(row)) },
  { id: 'load', title: said.load, numeric: true, value: (row) => row.load?.[0], extra: true, cell: (row) => html`<span title=${loadOf(row)}>${row.load?.[0]?.toFixed(2) ?? none}</span>` }
]

function Details ({ row, onClose, footer }: { row: Node, onClose: () => void, footer: ComponentChildren }) {
  const code = (value: string | undefined) => value ? html`<code>${value}</code>` : null
  return html`<${Dialog} title=${row.name} size="small" onClose=${onClose} footer=${footer}><${Facts} rows=${[
    [said.role, roleCell(row)], [said.id, code(row.id)], [said.http, code(row.http)], row.address ? [said.address, code(row.address)] : null, [said.version, row.version], [said.started, html`<${When} exact at=${row.started_at} />`],
    row.pid ? [said.pid, String(row.pid)] : null, [said.weight, String(row.weight)], [said.diskWhole, amount(diskOf(row))], [said.memoryWhole, amount(memoryOf(row))], [said.loadWhole, loadOf(row)]]} /></${Dialog}>`
}

/** Who serves then, of the nodes that are there now. */
async function whoFollows (row: Node): Promise<object> {
  const others = (await api('GET /_cairn/nodes')).nodes.filter(({ id }) => id !== row.id)
  const names = others.filter((one) => !one.draining && !serves(one)).map(({ name }) => name)
  if (!serves(row)) return { would: { [said.dry.serves]: others.filter(serves).map(({ name }) => name), [said.dry.follows]: names } }
  return { would: { [said.dry.serves]: names.length > 0 ? names.join(said.or) : said.dry.nobody(row.name) } }
}

/** Has a node give away what it owns. Nothing is lost by it, and one press ends it. */
function Drain ({ row, onClose, onDone }: { row: Node, onClose: () => void, onDone: () => void }) {
  return html`<${Confirm} calm title=${said.drainTitle(row.name)} verb=${said.drain} dryRun=${() => whoFollows(row)} action=${() => api('POST /_cairn/nodes/{node}/_drain', { path: { node: row.id } })} onClose=${onClose} onDone=${onDone}>
    <p>${serves(row) ? said.drainServing : said.drainStanding}</p><p class="muted">${said.drainEnds}</p></${Confirm}>`
}

export function Nodes () {
  const [fast, setFast] = useState(false)
  // What was asked for, until the list shows it: all nodes know of it a moment later.
  const wish = useRef<{ id: string, draining: boolean } | undefined>(undefined)
  const look = async (signal: AbortSignal): Promise<Node[]> => {
    const { nodes } = await api('GET /_cairn/nodes', { signal })
    if (!nodes.some(({ id, draining }) => id === wish.current?.id && draining !== wish.current.draining)) wish.current = undefined
    setFast(wish.current !== undefined || nodes.some((one) => one.draining && serves(one)))
    return nodes
  }
  const asked = useAsked(look, [], { every: fast ? 1000 : 10_000 })
  const [showing, setShowing] = useState<string | undefined>(undefined)
  const [draining, setDraining] = useState<Node | undefined>(undefined)
  const [doing, run] = useAction()
  const nodes = asked.value
  if (!nodes) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const changed = (id: string, draining: boolean): void => { wish.current = { id, draining }; setFast(true); asked.reload() }
  const resume = (row: Node): void => { void run(() => api('POST /_cairn/nodes/{node}/_resume', { path: { node: row.id } })).then((done) => { if (done) { toast(said.resumed(row.name)); changed(row.id, false) } }) }
  // Of one node alone nobody could go on.
  const change = (row: Node): MenuItem | false => row.draining ? { title: said.resume, icon: 'play', onSelect: () => resume(row) } : nodes.length > 1 && { title: said.drain, icon: 'pause', onSelect: () => setDraining(row) }
  const actions = (row: Node) => html`<${Menu} label=${`${common.more}: ${row.name}`} items=${[{ title: said.details, icon: 'info', onSelect: () => setShowing(row.id) }, change(row)]} />`
  const inDetails = (row: Node) => {
    const one = change(row)
    return one && html`<${Button} icon=${one.icon} onClick=${() => { setShowing(undefined); one.onSelect?.() }}>${one.title}</${Button}>`
  }
  const shown = nodes.find(({ id }) => id === showing)
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem ?? doing.problem} onRetry=${asked.reload} />
    <${Table} caption=${said.caption} columns=${columns} rows=${nodes} rowKey=${(row: Node) => row.id} onRow=${(row: Node) => setShowing(row.id)} actions=${actions} filterName="node" />
    ${nodes.length === 1 && html`<${Empty} icon="models" title=${said.one} command=${said.command}>${nodes[0]?.address ? said.oneOnCluster : said.oneInFolder}</${Empty}>`}
    ${shown && html`<${Details} row=${shown} footer=${inDetails(shown)} onClose=${() => setShowing(undefined)} />`}
    ${draining && html`<${Drain} row=${draining} onClose=${() => setDraining(undefined)} onDone=${() => { toast(said.begun(draining.name)); changed(draining.id, true) }} />`}`
}
