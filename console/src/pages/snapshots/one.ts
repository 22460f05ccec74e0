import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Card, Facts, Loading, PageHead, State, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Menu } from '@/components/menu'
import { Notice, toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { go, href } from '@/shell/router'
import { bytes, count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/snapshots'
import { useRepositoryActions } from './actions'
import { isReadonly, placeOf, snapshotsOf, stateTone, tookMs, type Repository, type Snapshot } from './data'
import { Restore } from './restore'
import { Running, Sizes } from './sizes'
import { TakeSnapshot } from './take'

const { one } = text

const columns: readonly Column<Snapshot>[] = [
  { id: 'name', title: one.name, value: (row) => row.snapshot },
  { id: 'state', title: one.state, value: (row) => text.states[row.state] ?? row.state, cell: (row) => html`<${State} tone=${stateTone(row.state)}>${text.states[row.state] ?? row.state}</${State}>` },
  { id: 'started', title: one.started, value: (row) => row.start_time, cell: (row) => html`<${When} at=${row.start_time} />` },
  { id: 'took', title: one.took, numeric: true, value: tookMs, cell: (row) => duration(tookMs(row)) },
  { id: 'indices', title: one.indices, numeric: true, value: (row) => row.indices?.length ?? null, cell: (row) => html`<span title=${row.indices?.slice(0, 20).join(', ')}>${count(row.indices?.length)}</span>` },
  { id: 'failed', title: one.failed, numeric: true, extra: true, value: (row) => row.shards?.failed ?? null, cell: (row) => count(row.shards?.failed) },
  { id: 'names', title: one.details, wide: true, extra: true, value: (row) => row.indices?.join(', '), cell: (row) => html`<span class="muted" title=${row.indices?.slice(0, 40).join(', ')}>${row.indices?.slice(0, 12).join(', ')}</span>` }
]

/** Bytes that only this snapshot needs, as a dry run of its deletion tells them. */
function OwnBytes ({ repository, snapshot }: { repository: string, snapshot: string }) {
  const asked = useAsked(async (signal) => await api('DELETE /_snapshot/{repository}/{snapshot}', { path: { repository, snapshot }, query: { dry_run: true }, signal, quiet: true }) as unknown as { would?: { bytes?: number, blobs?: number } }, [repository, snapshot])
  const would = asked.value?.would
  return html`<span title=${asked.problem?.reason}>${would?.bytes === undefined ? asked.busy ? '…' : '–' : `${bytes(would.bytes)}, ${one.files(count(would.blobs))}`}</span>`
}

function Details ({ repository, snapshot, onClose, onRestore }: { repository: string, snapshot: Snapshot, onClose: () => void, onRestore: () => void }) {
  const failures = snapshot.failures ?? []
  return html`<${Dialog} size="side" title=${snapshot.snapshot} onClose=${onClose} footer=${html`<${Button} icon="refresh" onClick=${onRestore}>${one.restore}…</${Button}>`}>
    <${Facts} rows=${[[one.state, html`<${State} tone=${stateTone(snapshot.state)}>${text.states[snapshot.state] ?? snapshot.state}</${State}>`], [one.started, html`<${When} exact at=${snapshot.start_time} />`], [one.ended, html`<${When} exact at=${snapshot.end_time} />`], [one.took, duration(tookMs(snapshot))], [one.own, html`<${OwnBytes} repository=${repository} snapshot=${snapshot.snapshot} />`],
      snapshot.shards ? [one.parts, one.partsOf(count(snapshot.shards.successful), count(snapshot.shards.total))] : null, [one.indices, snapshot.indices?.join(', ') || '–'], snapshot.data_streams.length > 0 ? [one.streams, snapshot.data_streams.join(', ')] : null,
      [one.uuid, html`<code>${snapshot.uuid}</code>`], snapshot.version ? [one.version, snapshot.version] : null, snapshot.metadata && Object.keys(snapshot.metadata).length > 0 ? [one.metadata, JSON.stringify(snapshot.metadata)] : null]} />
    ${failures.length > 0 && html`<${Notice} kind="error" title=${one.failures}><ul>${failures.slice(0, 20).map((failure: any, n: number) => html`<li key=${n}>${failure.index ? `${failure.index}: ` : ''}${failure.reason ?? JSON.stringify(failure)}</li>`)}</ul></${Notice}>`}
    <details><summary>${one.raw}</summary><${Json} value=${snapshot} label=${one.raw_} /></details></${Dialog}>`
}

export function One ({ name }: { name: string }) {
  const repository = useAsked(async (signal) => (await api('GET /_snapshot/{repository}', { path: { repository: name }, signal }))[name] as Repository, [name])
  const [fast, setFast] = useState(false)
  const asked = useAsked(async (signal) => { const all = await snapshotsOf(name, signal); setFast(all.some(({ state }) => state === 'IN_PROGRESS')); return all }, [name], { every: fast ? 2000 : 30_000 })
  const [acting, setActing] = useState<{ kind: 'take' } | { kind: 'show' | 'restore' | 'remove', snapshot: Snapshot } | null>(null)
  const close = (): void => setActing(null)
  const { items, dialog } = useRepositoryActions((gone) => gone ? go('snapshots') : asked.reload())
  const trail = [{ title: text.title, href: href('snapshots') }]
  if (!repository.value) return html`<${PageHead} title=${name} trail=${trail} />${repository.problem ? html`<${Failure} problem=${repository.problem} title=${repository.problem.kind === 'missing' ? one.missing : undefined} onRetry=${repository.reload} />` : html`<${Loading} />`}`
  const readonly = isReadonly(repository.value)
  const take = html`<${Button} kind="main" icon="add" disabled=${readonly} onClick=${() => setActing({ kind: 'take' })}>${one.take}</${Button}>`
  const at = (snapshot: Snapshot) => ({ repository: name, snapshot: snapshot.snapshot })
  const running = (asked.value ?? []).filter(({ state }) => state === 'IN_PROGRESS')
  return html`<${PageHead} title=${name} trail=${trail} actions=${html`${take}<${Menu} kind="plain" items=${items(name, repository.value)} />`}>${repository.value.type} · ${placeOf(repository.value)}${readonly && ` · ${text.repositories.readonly}`}</${PageHead}>
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${running.map((each) => html`<${Running} key=${each.uuid} repository=${name} snapshot=${each} />`)}
    ${!asked.value ? !asked.problem && html`<${Loading} />` : html`<${Table} caption=${one.caption} columns=${columns} rows=${asked.value} rowKey=${(row: Snapshot) => row.uuid} onRow=${(snapshot: Snapshot) => setActing({ kind: 'show', snapshot })} sort="-started" tall
      actions=${(snapshot: Snapshot) => html`<${Menu} label=${snapshot.snapshot} items=${[{ title: one.details, icon: 'info', onSelect: () => setActing({ kind: 'show', snapshot }) }, { title: one.restore, icon: 'refresh', disabled: snapshot.state === 'IN_PROGRESS', onSelect: () => setActing({ kind: 'restore', snapshot }) },
        { title: one.remove, icon: 'remove', danger: true, disabled: readonly, onSelect: () => setActing({ kind: 'remove', snapshot }) }]} />`}
      empty=${html`<${Empty} icon="snapshots" title=${one.empty} action=${take} command=${`curl -X PUT -H "Authorization: ApiKey $KEY" $SERVER/_snapshot/${encodeURIComponent(name)}/first`}>${one.emptyText}</${Empty}>`} />`}
    ${asked.value && html`<${Sizes} repository=${name} snapshots=${asked.value} />`}
    <${Card} title=${one.settings}><${Facts} rows=${[[one.type, repository.value.type], ...Object.entries(repository.value.settings).map(([key, value]) => [key, String(value)] as const), repository.value.uuid ? [one.uuid, html`<code>${repository.value.uuid}</code>`] : null]} /></${Card}>
    ${acting?.kind === 'take' && html`<${TakeSnapshot} repository=${name} onClose=${close} onDone=${() => { setFast(true); asked.reload() }} />`}
    ${acting?.kind === 'show' && html`<${Details} repository=${name} snapshot=${acting.snapshot} onClose=${close} onRestore=${() => setActing({ kind: 'restore', snapshot: acting.snapshot })} />`}
    ${acting?.kind === 'restore' && html`<${Restore} repository=${name} snapshot=${acting.snapshot} onClose=${close} />`}
    ${acting?.kind === 'remove' && html`<${Confirm} title=${text.remove.title(acting.snapshot.snapshot)} verb=${text.remove.verb} typed=${acting.snapshot.snapshot} onClose=${close} onDone=${() => { toast(text.remove.done(acting.snapshot.snapshot)); asked.reload() }}
      dryRun=${() => api('DELETE /_snapshot/{repository}/{snapshot}', { path: at(acting.snapshot), query: { dry_run: true } })} action=${() => api('DELETE /_snapshot/{repository}/{snapshot}', { path: at(acting.snapshot), timeout: 0 })}><p>${acting.snapshot.state === 'IN_PROGRESS' ? text.remove.running : text.remove.text}</p></${Confirm}>`}${dialog}`
}
