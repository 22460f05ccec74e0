import { html, useState } from '@/ui'
import type { SeenFolder } from '@/api/generated'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Facts, Loading, Section, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextField } from '@/components/field'
import { Table, type Column } from '@/components/table'
import { href } from '@/shell/router'
import { text } from '@strings/connectors'
import { connectors } from './data'

type Row = SeenFolder & { origin: string, used: string[] }

const columns: readonly Column<Row>[] = [
  { id: 'path', title: text.folders.path, value: (row) => row.path, cell: (row) => html`<span class="mono">${row.path}</span>` },
  { id: 'state', title: text.folders.state, value: (row) => row.readable ? text.folders.readable : row.reason ?? text.folders.notReadable, cell: (row) => html`<${State} tone=${row.readable ? 'good' : 'bad'}>${row.readable ? text.folders.readable : row.reason ?? text.folders.notReadable}</${State}>` },
  { id: 'used', title: text.folders.used, value: (row) => row.used.join(', '), cell: (row) => row.used.length === 0 ? '–' : row.used.map((id, n) => html`${n > 0 && ', '}<a href=${href('connectors', [id])} key=${id}>${id}</a>`) },
  { id: 'origin', title: text.folders.origin, value: (row) => row.origin, wide: true }
]

/** Asks how the server sees one folder. */
function Look () {
  const [path, setPath] = useState('')
  const [seen, setSeen] = useState<SeenFolder | undefined>(undefined)
  const [asking, run] = useAction()
  const look = (): void => { if (path.trim()) void run(async () => setSeen((await api('GET /_cairn/folders', { query: { path: path.trim() } })).folder)) }
  return html`<${Section} title=${text.folders.check}>
    <div class="connector-look"><${TextField} label=${text.folders.path} hint=${text.folders.checkHint} value=${path} onInput=${setPath} onEnter=${look} mono placeholder="/srv/documents" /><${Button} busy=${asking.busy} onClick=${look}>${text.folders.look}</${Button}></div>
    <${Failure} problem=${asking.problem} />
    ${seen && html`<div class="card" aria-live="polite"><${Facts} rows=${[
      [text.folders.path, html`<span class="mono">${seen.path}</span>`],
      [text.folders.state, html`<${State} tone=${seen.readable ? 'good' : 'bad'}>${seen.readable ? text.folders.readable : text.folders.notReadable}</${State}>`],
      seen.allowed !== undefined && [text.folders.allowed, html`<${State} tone=${seen.allowed ? 'good' : 'warning'}>${seen.allowed ? text.folders.allowed : text.folders.notAllowed}</${State}>`],
      seen.reason ? [text.folders.reason, seen.reason] : null]} />
      ${seen.allowed && seen.readable && html`<div><${Button} icon="add" href=${href('connectors', [], { new: 'directory', path: seen.path })}>${text.folders.connector}</${Button}></div>`}</div>`}</${Section}>`
}

export function Folders () {
  const asked = useAsked(async (signal) => {
    const [folders, all] = await Promise.all([api('GET /_cairn/folders', { signal }), connectors(signal).catch(() => [])])
    const beneath = (root: string, path: unknown): boolean => typeof path === 'string' && (path === root || path.startsWith(root.replace(/\/*$/, '/')))
    return folders.roots.map((root): Row => ({
      ...root, origin: folders.origin, used: all.filter(({ configuration }) => beneath(root.path, configuration?.['path']?.value ?? configuration?.['repository']?.value)).map(({ id }) => id)
    }))
  }, [])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  return html`<p class="muted">${text.folders.lead}</p>
    <${Table} caption=${text.folders.caption} columns=${columns} rows=${asked.value} rowKey=${(row: Row) => row.path} sort="path" filterName="folder"
      empty=${html`<${Empty} icon="folder" title=${text.folders.none} command=${text.folders.command}>${text.folders.noneText}</${Empty}>`} /><${Look} />`
}
