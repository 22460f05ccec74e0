// What holds, and where each value came from: a file and its line, the environment, a flag, the cluster, the default.
import { html, useState } from '@/ui'
import type { Answer } from '@/api/request'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { Facts, Loading, Tag } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Notice } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { route, setQuery } from '@/shell/router'
import { text } from '@strings/settings'

const said = text.effective
type Setting = Answer<'GET /_cairn/settings'>['settings'][number]
type Reloaded = Answer<'POST /_cairn/settings/_reload'>

const shown = (value: unknown): string => value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
const from = (row: Setting): string => said.origins[row.origin] ?? row.origin
const where = (row: Setting): string => row.where ?? ''

const columns: readonly Column<Setting>[] = [
  { id: 'name', title: said.name, value: (row) => row.name, cell: (row) => html`<code>${row.name}</code>` },
  { id: 'value', title: said.value, value: (row) => shown(row.value), wide: true, cell: (row) => row.secret ? html`<span class="muted">${shown(row.value) === '' ? said.secretNone : said.secret}</span>` : html`<code title=${shown(row.value)}>${shown(row.value) || '–'}</code>` },
  { id: 'from', title: said.from, value: from, cell: (row) => row.origin === 'default' ? html`<span class="muted">${from(row)}</span>` : html`<${Tag} title=${where(row)}>${from(row)}</${Tag}>` },
  { id: 'where', title: said.where, value: where, extra: true, cell: (row) => html`<span class="mono small" title=${where(row)}>${where(row)}</span>` },
  { id: 'restart', title: said.change, value: (row) => row.needs_restart ? said.restart : said.reload, extra: true, cell: (row) => html`<span class="muted">${row.needs_restart ? said.restart : said.reload}</span>` }
]

function Details ({ row, onClose }: { row: Setting, onClose: () => void }) {
  const variable = 'CAIRN_' + row.name.toUpperCase().replaceAll('.', '__')
  return html`<${Dialog} title=${row.name} size="small" onClose=${onClose}>${row.description && html`<p>${row.description}</p>`}
    <${Facts} rows=${[[said.value, row.secret ? said.secret : html`<code>${shown(row.value) || '–'}</code>`], row.secret ? null : [said.default, html`<code>${shown(row.default) || '–'}</code>`], [said.from, from(row)], where(row) ? [said.where, html`<code>${where(row)}</code>`] : null, [said.change, row.needs_restart ? said.restart : said.reload]]} />
    ${!row.secret && html`<p class="field-label">${said.howTo}</p><${Code} label=${said.howTo} wrap value=${`# cairn.yaml\n${row.name}: ${JSON.stringify(row.value ?? '')}\n# environment\n${variable}=${shown(row.value)}`} />`}</${Dialog}>`
}

/** What a reload did, until it is closed. */
function Result ({ told, onClose }: { told: Reloaded, onClose: () => void }) {
  const list = (names: readonly string[]) => html`<ul>${names.map((name) => html`<li key=${name}><code>${name}</code></li>`)}</ul>`
  return html`<div aria-live="polite"><${Notice} kind=${told.faults.length > 0 ? 'warning' : 'good'} title=${told.changed.length === 0 && told.faults.length === 0 ? said.reloadedNone : said.reloaded} onClose=${onClose}>
    ${told.changed.length > 0 && html`<p>${said.changed}</p>${list(told.changed)}`}${told.needs_restart.length > 0 && html`<p>${said.needsRestart}</p>${list(told.needs_restart)}`}
    ${told.faults.length > 0 && html`<p>${said.faults}</p><ul>${told.faults.map((one, n) => html`<li key=${n}><strong>${one.what}</strong>: ${one.reason}</li>`)}</ul>`}</${Notice}></div>`
}

export function EffectiveSettings () {
  const asked = useAsked((signal) => api('GET /_cairn/settings', { signal }), [])
  const [showing, setShowing] = useState<Setting | undefined>(undefined)
  const [told, setTold] = useState<Reloaded | undefined>(undefined)
  const [doing, run] = useAction()
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const { settings, files } = asked.value
  const onlyChanged = route.value.query['all'] !== '1'
  const changed = settings.filter(({ origin }) => origin !== 'default')
  const reload = (): void => { void run(async () => setTold(await api('POST /_cairn/settings/_reload'))).then((done) => { if (done) asked.reload() }) }
  return html`<p class="muted">${said.lead} ${files.length === 0 ? said.noFile : html`${said.files} ${files.map((file, n) => html`${n > 0 && ', '}<code>${file}</code>`)}.`}</p>
    <${Failure} problem=${asked.problem ?? doing.problem} onRetry=${asked.reload} />${told && html`<${Result} told=${told} onClose=${() => setTold(undefined)} />`}
    <${Table} caption=${said.caption} columns=${columns} rows=${onlyChanged ? changed : settings} rowKey=${(row: Setting) => row.name} onRow=${setShowing} busy=${asked.busy} tall filterName="setting"
      tools=${html`<div class="segments" role="group" aria-label=${said.which}><button type="button" aria-pressed=${onlyChanged} onClick=${() => setQuery({ all: null })}>${said.onlyChanged(changed.length)}</button><button type="button" aria-pressed=${!onlyChanged} onClick=${() => setQuery({ all: 1 })}>${said.all(settings.length)}</button></div>
        <${Button} small icon="refresh" busy=${doing.busy} onClick=${reload}>${said.reloadNow}</${Button}>`} empty=${html`<p class="muted">${said.none}</p>`} />
    <p class="muted small">${said.reloadHint}</p>
    ${showing && html`<${Details} row=${showing} onClose=${() => setShowing(undefined)} />`}`
}

