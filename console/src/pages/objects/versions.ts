import { html, useEffect, useRef, useState } from '@/ui'
import { asProblem, Problem } from '@/api/problem'
import { useAction } from '@/api/use'
import { Confirm } from '@/components/confirm'
import { Empty } from '@/components/empty'
import { Loading, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField } from '@/components/field'
import { Menu } from '@/components/menu'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { bytes } from '@/text/numbers'
import { text as common } from '@strings/common'
import { text } from '@strings/objects'
import { shown, type Key } from './keys'
import { copy, downloadUrl, remove, versions, type Version, type VersionPage } from './storage'

const stateOf = (row: Version): string => row.marker ? text.versions.marker : row.latest ? text.versions.latest : text.versions.older
const columns: readonly Column<Version>[] = [
  { id: 'key', title: text.versions.key, wide: true, value: (row) => shown(row.key) },
  { id: 'state', title: text.versions.state, value: stateOf, cell: (row) => html`<${State} tone=${row.marker ? 'warning' : row.latest ? 'good' : 'off'}>${stateOf(row)}</${State}>` },
  { id: 'bytes', title: text.versions.bytes, numeric: true, value: (row) => row.bytes, cell: (row) => bytes(row.bytes) },
  { id: 'modified', title: text.versions.modified, value: (row) => row.modified, cell: (row) => html`<${When} at=${row.modified} />` },
  { id: 'id', title: text.versions.id, value: (row) => row.id, extra: true, cell: (row) => html`<code>${row.id}</code>` }
]

interface Found { rows: readonly Version[], next: VersionPage['next'], busy: boolean, problem: Problem | undefined }

/** Versions and markers of a folder, or of one object. */
export function VersionList ({ bucket, prefix, only, onChanged }: { bucket: string, prefix: Key, only?: Key, onChanged?: () => void }) {
  const [state, setState] = useState<Found>({ rows: [], next: undefined, busy: true, problem: undefined })
  const [turn, setTurn] = useState(0)
  const [deleting, setDeleting] = useState<Version | undefined>(undefined)
  const [bypass, setBypass] = useState(false)
  const [doing, run] = useAction()
  const stops = useRef(new AbortController())
  const asking = useRef(false)
  const load = async (before: readonly Version[], after: VersionPage['next'], signal: AbortSignal): Promise<void> => {
    asking.current = true
    try {
      const page = await versions(bucket, prefix, { after, signal, quiet: after !== undefined })
      const rows = only === undefined ? page.versions : page.versions.filter(({ key }) => key === only)
      setState({ rows: [...before, ...rows], next: only !== undefined && rows.length < page.versions.length ? undefined : page.next, busy: false, problem: undefined })
    } catch (error) {
      if (!signal.aborted) setState({ rows: before, next: after, busy: false, problem: asProblem(error) })
    } finally { if (!signal.aborted) asking.current = false }
  }
  useEffect(() => {
    const stop = new AbortController()
    stops.current = stop
    setState((now) => ({ ...now, busy: true }))
    void load([], undefined, stop.signal)
    return () => stop.abort()
  }, [bucket, prefix, turn])
  const reload = (): void => { setTurn((n) => n + 1); onChanged?.() }
  const restore = (row: Version): void => { void run(() => copy({ from: { bucket, key: row.key, versionId: row.id }, to: { bucket, key: row.key } })).then((done) => { if (done) { toast(text.versions.restored); reload() } }) }
  const actions = (row: Version) => html`<${Menu} label=${`${common.more}: ${shown(row.key)} ${row.id}`} items=${[
    !row.marker && { title: text.list.details, icon: 'info', href: href('objects', [bucket], { key: row.key, version: row.id }) },
    !row.marker && { title: text.list.download, icon: 'download', href: downloadUrl(bucket, row.key, row.id) },
    !row.marker && !row.latest && { title: text.versions.restore, icon: 'refresh', onSelect: () => restore(row) },
    { title: row.marker ? text.versions.deleteMarker : text.versions.delete, icon: 'remove', danger: true, onSelect: () => { setBypass(false); setDeleting(row) } }
  ]} />`
  const action = async (): Promise<void> => {
    const kept = await remove(bucket, [{ key: deleting!.key, versionId: deleting!.id }], { bypass })
    if (kept.length > 0) throw new Problem('conflict', kept[0]!.reason)
  }
  if (state.busy && state.rows.length === 0) return html`<${Loading} />`
  return html`<${Failure} problem=${state.problem} onRetry=${() => setTurn((n) => n + 1)} /><${Failure} problem=${doing.problem} />
    <${Table} caption=${text.versions.caption(only === undefined ? bucket : shown(only))} columns=${columns} rows=${state.rows} rowKey=${(row: Version) => row.key + '?' + row.id} actions=${actions} busy=${state.busy} filterName="versions" tall
      onEnd=${() => { if (state.next && !asking.current) void load(state.rows, state.next, stops.current.signal) }} empty=${!state.problem && html`<${Empty} icon="clock" title=${text.versions.none}>${text.versions.noneText}</${Empty}>`} />
    ${deleting && html`<${Confirm} title=${text.versions.confirm(shown(deleting.key))} verb=${deleting.marker ? text.versions.deleteMarker : text.versions.delete} typed=${deleting.marker ? undefined : deleting.id.slice(0, 8)} action=${action} onClose=${() => setDeleting(undefined)} onDone=${() => { toast(text.versions.deleted); reload() }}>
      <p>${text.versions.confirmText}</p><${CheckField} label=${text.versions.bypass} value=${bypass} onInput=${setBypass} /></${Confirm}>`}`
}
