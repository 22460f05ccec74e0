import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text as common } from '@strings/common'
import { text } from '@strings/settings'

type Kind = 'persistent' | 'transient' | 'default'
interface Row { name: string, value: string, kind: Kind }

const columns: readonly Column<Row>[] = [
  { id: 'name', title: text.cluster.name, value: (row) => row.name },
  { id: 'value', title: text.cluster.value, value: (row) => row.value, wide: true, cell: (row) => html`<code>${row.value}</code>` },
  { id: 'kind', title: text.cluster.kind, value: (row) => text.cluster[row.kind] }
]

function rowsOf (answer: { persistent: object, transient: object, defaults?: object }): Row[] {
  const some = (all: object | undefined, kind: Kind): Row[] => Object.entries(all ?? {}).map(([name, value]) => ({ name, kind, value: typeof value === 'string' ? value : JSON.stringify(value) }))
  return [...some(answer.transient, 'transient'), ...some(answer.persistent, 'persistent'), ...some(answer.defaults, 'default')]
}

/** Sets one setting, or takes it away by null. */
export async function setSetting (name: string, value: unknown, kind: 'persistent' | 'transient'): Promise<void> {
  await api('PUT /_cluster/settings', { body: { [kind]: { [name]: value } } })
}

function SetDialog ({ row, onClose, onDone }: { row: Row | null, onClose: () => void, onDone: () => void }) {
  const [name, setName] = useState(row?.name ?? '')
  const [value, setValue] = useState(row?.value ?? '')
  const [keep, setKeep] = useState(row?.kind !== 'transient')
  const [doing, run] = useAction()
  const save = async (): Promise<void> => {
    await setSetting(name.trim(), value.trim() === '' ? null : value.trim(), keep ? 'persistent' : 'transient')
    toast(text.cluster.done(name.trim()))
  }
  const submit = (): void => { if (name.trim()) void run(save).then((done) => { if (done) { onDone(); onClose() } }) }
  return html`<${Dialog} title=${text.cluster.dialog} size="small" onClose=${onClose} onSubmit=${submit}
    footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${common.save}</${Button}>`}>
    <${Failure} problem=${doing.problem} />
    <${TextField} label=${text.cluster.name} value=${name} onInput=${setName} required mono disabled=${row !== null} />
    <${TextField} label=${text.cluster.value} hint=${text.cluster.valueHint} value=${value} onInput=${setValue} mono />
    <${CheckField} label=${text.cluster.keep} value=${keep} onInput=${setKeep} /></${Dialog}>`
}

export function ClusterSettings () {
  const asked = useAsked((signal) => api('GET /_cluster/settings', { signal, query: { include_defaults: true, flat_settings: true } as never }), [])
  const [editing, setEditing] = useState<Row | null | undefined>(undefined)
  const [taking, setTaking] = useState<Row | undefined>(undefined)
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const actions = (row: Row) => html`<${Menu} label=${`${common.more}: ${row.name}`} items=${[
    { title: text.cluster.change, icon: 'edit', onSelect: () => setEditing(row) },
    row.kind !== 'default' && { title: text.cluster.take, icon: 'remove', danger: true, onSelect: () => setTaking(row) }
  ]} />`
  return html`<p class="muted">${text.cluster.lead}</p><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${Table} caption=${text.cluster.caption} columns=${columns} rows=${rowsOf(asked.value)} rowKey=${(row: Row) => row.kind + row.name} actions=${actions} busy=${asked.busy}
      tools=${html`<${Button} icon="add" onClick=${() => setEditing(null)}>${text.cluster.add}</${Button}>`} empty=${html`<${Empty} title=${text.cluster.empty} />`} />
    ${editing !== undefined && html`<${SetDialog} row=${editing} onClose=${() => setEditing(undefined)} onDone=${asked.reload} />`}
    ${taking && html`<${Confirm} title=${text.cluster.remove(taking.name)} verb=${text.cluster.take} onClose=${() => setTaking(undefined)}
      action=${() => setSetting(taking.name, null, taking.kind === 'transient' ? 'transient' : 'persistent')} onDone=${() => { toast(text.cluster.taken(taking.name)); asked.reload() }}>${text.cluster.removeText}</${Confirm}>`}`
}
