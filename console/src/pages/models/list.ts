import { html, useMemo, useState } from '@/ui'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading, PageHead, Section, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Menu } from '@/components/menu'
import { Bars } from '@/components/plot'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { bytes, count, none } from '@/text/numbers'
import { text } from '@strings/models'
import { Deploy, RemoveModel } from './actions'
import { loaded, models, stateOf, tasksOf, toneOf, type Row } from './data'
import { Uploads } from './import'

const columns: readonly Column<Row>[] = [
  { id: 'id', title: text.list.id, value: ({ model }) => model.model_id },
  { id: 'format', title: text.list.format, value: ({ model }) => model.model_type },
  { id: 'tasks', title: text.list.tasks, extra: true, value: ({ model }) => tasksOf(model) },
  { id: 'size', title: text.list.size, numeric: true, value: ({ model }) => model.model_size_bytes, cell: ({ model }) => bytes(model.model_size_bytes) },
  { id: 'state', title: text.list.state, value: (row) => text.states[stateOf(row)], cell: (row) => html`<${State} tone=${toneOf(stateOf(row))}>${text.states[stateOf(row)]}</${State}>` },
  { id: 'loaded', title: text.list.loaded, numeric: true, value: ({ deployments }) => deployments.length, cell: ({ deployments }) => count(deployments.length) },
  { id: 'memory', title: text.list.memory, numeric: true, extra: true, value: loaded, cell: (row) => loaded(row) > 0 ? bytes(loaded(row)) : none },
  { id: 'used', title: text.list.used, numeric: true, value: ({ endpoints }) => endpoints.length, cell: ({ endpoints }) => count(endpoints.length) },
  { id: 'created', title: text.list.created, extra: true, value: ({ model }) => new Date(model.create_time).toISOString(), cell: ({ model }) => html`<${When} at=${model.create_time} />` },
  { id: 'description', title: text.list.description, wide: true, extra: true, value: ({ model }) => model.description, cell: ({ model }) => html`<span title=${model.description}>${model.description}</span>` }
]

export function ModelList () {
  const [loading, setLoading] = useState(false)
  const asked = useAsked(async (signal) => { const rows = await models(signal); setLoading(rows.some((row) => stateOf(row) === 'starting')); return rows }, [], { every: loading ? 3000 : 20_000 })
  const [acting, setActing] = useState<{ kind: 'deploy' | 'remove', row: Row } | null>(null)
  const close = (): void => setActing(null)
  const memory = useMemo(() => (asked.value ?? []).map((row) => ({ name: row.model.model_id, value: loaded(row) })).filter(({ value }) => value > 0).sort((a, b) => b.value - a.value), [asked.value])
  const add = html`<${Button} kind="main" icon="upload" href=${href('models', [], { import: 1 })}>${text.import}</${Button}>`
  return html`<${PageHead} title=${text.title} actions=${add}>${text.lead}</${PageHead}><${Uploads} /><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${!asked.value ? !asked.problem && html`<${Loading} />` : html`<${Table} caption=${text.list.caption} columns=${columns} rows=${asked.value} rowKey=${({ model }: Row) => model.model_id} rowHref=${({ model }: Row) => href('models', [model.model_id])} sort="id" tall
      actions=${(row: Row) => html`<${Menu} label=${row.model.model_id} items=${[{ title: text.one.deploy, icon: 'play', onSelect: () => setActing({ kind: 'deploy', row }) }, { title: text.remove.item, icon: 'remove', danger: true, onSelect: () => setActing({ kind: 'remove', row }) }]} />`}
      empty=${html`<${Empty} icon="models" title=${text.list.empty} command=${text.list.command} action=${add}>${text.list.emptyText}</${Empty}>`} />`}
    ${memory.length > 1 && html`<${Section} title=${text.list.memory}><div class="card"><${Bars} label=${text.list.memory} rows=${memory} unit=${bytes} /></div></${Section}>`}
    ${acting?.kind === 'deploy' && html`<${Deploy} id=${acting.row.model.model_id} onClose=${close} onDone=${asked.reload} />`}${acting?.kind === 'remove' && html`<${RemoveModel} row=${acting.row} onClose=${close} onDone=${asked.reload} />`}`
}
