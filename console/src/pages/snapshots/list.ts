import { html } from '@/ui'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Menu } from '@/components/menu'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/snapshots'
import { useRepositoryActions } from './actions'
import { CreateRepository } from './create'
import { isReadonly, last, placeOf, repositories, tookMs, type Row } from './data'

const words = text.repositories
const state = (row: Row): string => row.problem ? row.problem.reason : isReadonly(row.repository) ? words.readonly : words.writable

const columns: readonly Column<Row>[] = [
  { id: 'name', title: words.name, value: ({ name }) => name },
  { id: 'type', title: words.type, value: ({ repository }) => repository.type },
  { id: 'state', title: words.state, value: state, cell: (row) => html`<span title=${row.problem?.reason}><${State} tone=${row.problem ? 'bad' : isReadonly(row.repository) ? 'off' : 'good'}>${row.problem ? words.unreachable : state(row)}</${State}></span>` },
  { id: 'snapshots', title: words.snapshots, numeric: true, value: ({ snapshots }) => snapshots?.length ?? null, cell: ({ snapshots }) => count(snapshots?.length) },
  { id: 'last', title: words.last, value: ({ snapshots }) => last(snapshots)?.start_time ?? null, cell: ({ snapshots }) => html`<${When} at=${last(snapshots)?.start_time} />` },
  { id: 'took', title: words.duration, numeric: true, extra: true, value: ({ snapshots }) => { const one = last(snapshots); return one ? tookMs(one) : null }, cell: ({ snapshots }) => { const one = last(snapshots); return duration(one ? tookMs(one) : null) } },
  { id: 'place', title: words.place, wide: true, extra: true, value: ({ repository }) => placeOf(repository), cell: ({ repository }) => html`<span class="mono" title=${placeOf(repository)}>${placeOf(repository)}</span>` }
]

export function Repositories ({ adding, onAdding }: { adding: boolean, onAdding: (on: boolean) => void }) {
  const asked = useAsked(repositories, [], { every: 60_000 })
  const { items, dialog } = useRepositoryActions(() => asked.reload())
  const add = html`<${Button} kind="main" icon="add" onClick=${() => onAdding(true)}>${text.add}</${Button}>`
  return html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${!asked.value ? !asked.problem && html`<${Loading} />` : html`<${Table} caption=${words.caption} columns=${columns} rows=${asked.value} rowKey=${({ name }: Row) => name} rowHref=${({ name }: Row) => href('snapshots', [name])} sort="name"
      actions=${({ name, repository }: Row) => html`<${Menu} label=${name} items=${items(name, repository)} />`} empty=${html`<${Empty} icon="snapshots" title=${words.empty} command=${words.command} action=${add}>${words.emptyText}</${Empty}>`} />`}
    ${adding && html`<${CreateRepository} onClose=${() => onAdding(false)} onDone=${asked.reload} />`}${dialog}`
}
