import { html, useState } from '@/ui'
import type { SourceProblem } from '@/api/generated'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Empty } from '@/components/empty'
import { Loading, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Table, type Column } from '@/components/table'
import { text } from '@strings/connectors'

const columns: readonly Column<SourceProblem>[] = [
  { id: 'path', title: text.problems.path, value: (one) => one.path, cell: (one) => html`<span class="mono">${one.path}</span>` },
  { id: 'kind', title: text.problems.kind, value: (one) => text.problems.kinds[one.kind] ?? one.kind, cell: (one) => html`<${State} tone=${one.kind === 'skipped' ? 'off' : 'bad'}>${text.problems.kinds[one.kind] ?? one.kind}</${State}>` },
  { id: 'reason', title: text.problems.reason, value: (one) => one.reason, wide: true, cell: (one) => html`<span title=${one.reason}>${one.reason}</span>` }
]
const page = 1000

/** What the last sync could not read; more of it is fetched as the end of the list comes into sight. */
export function Problems ({ id, job }: { id: string, /** Changes when another sync ended. */ job: string | undefined }) {
  const [more, setMore] = useState<readonly SourceProblem[]>([])
  const ask = (from: number, signal?: AbortSignal) => api('GET /_connector/{connector_id}/_problems', { path: { connector_id: id }, query: { from, size: page }, signal })
  const asked = useAsked(async (signal) => { const first = await ask(0, signal); setMore([]); return first }, [id, job])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const rows = more.length > 0 ? [...asked.value.results, ...more] : asked.value.results
  const fetchMore = (): void => {
    if (rows.length < asked.value!.count) void ask(rows.length).then(({ results }) => setMore([...more, ...results]), () => undefined)
  }
  return html`<p class="muted">${text.problems.lead}</p><${Table} caption=${text.problems.caption} columns=${columns} rows=${rows} total=${asked.value.count} rowKey=${(one: SourceProblem) => one.kind + one.path + one.reason} onEnd=${fetchMore} filterName="problem" tall
    empty=${html`<${Empty} icon="check" title=${text.problems.none}>${text.problems.noneText}</${Empty}>`} />`
}
