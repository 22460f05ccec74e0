// Asking a source without writing anything: whether it answers, its first documents, what a sync would do.
import { html, useState } from '@/ui'
import { api } from '@/api/request'
import type { Problem } from '@/api/problem'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Facts, Figure } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Notice } from '@/components/notice'
import { bytes, count } from '@/text/numbers'
import { text } from '@strings/connectors'

interface Tested { ok: boolean, source?: Record<string, unknown>, error?: { type?: string, reason?: string }, reason?: string }
interface Previewed { documents: { _id: string, _source: Record<string, unknown> }[], problems: { path: string, reason: string }[] }
interface Counted { bytes: number, changed: number, items: number, new: number, problems: { path: string, reason: string }[], skipped: number, unchanged: number, unreadable: number, vanished: number }

const at = (id: string) => ({ path: { connector_id: id }, timeout: 5 * 60_000 })
export const testSource = async (id: string): Promise<Tested> => await api('POST /_connector/{connector_id}/_test', at(id)) as Tested

export function TestResult ({ tested }: { tested: Tested }) {
  if (!tested.ok) return html`<${Notice} kind="error" title=${text.check.bad}><p class="reason">${tested.error?.reason ?? tested.reason}</p></${Notice}>`
  const facts = Object.entries(tested.source ?? {}).map(([name, value]) => [name.replaceAll('_', ' '), typeof value === 'number' ? count(value) : typeof value === 'object' ? JSON.stringify(value) : String(value)] as const)
  return html`<${Notice} kind="good" title=${text.check.ok}>${facts.length > 0 && html`<${Facts} rows=${facts} />`}</${Notice}>`
}

function Problems ({ problems }: { problems: readonly { path: string, reason: string }[] }) {
  return problems.length === 0 ? null : html`<${Notice} kind="warning" title=${text.check.problems}><ul>${problems.slice(0, 20).map((one) => html`<li key=${one.path + one.reason}><span class="mono">${one.path}</span>: ${one.reason.replace(one.path + ': ', '')}</li>`)}</ul></${Notice}>`
}

function Preview ({ found }: { found: Previewed }) {
  return html`<div class="stack"><h3>${text.check.previewTitle}</h3>${found.documents.length === 0 ? html`<p class="muted">${text.check.previewNone}</p>`
    : html`<div class="list">${found.documents.map((one) => html`<details key=${one._id} class="connector-document"><summary><strong>${String(one._source['title'] ?? one._source['path'] ?? one._id)}</strong> <span class="muted small mono">${String(one._source['path'] ?? one._id)}</span></summary>
      <${Json} value=${one._source} label=${one._id} /></details>`)}</div>`}<${Problems} problems=${found.problems ?? []} /></div>`
}

function Count ({ found }: { found: Counted }) {
  const { check } = text
  return html`<div class="stack"><h3>${check.dryTitle}</h3><dl class="figures">
    <${Figure} name=${check.items} value=${count(found.items)}>${bytes(found.bytes)}</${Figure}><${Figure} name=${check.new} value=${count(found.new)} /><${Figure} name=${check.changed} value=${count(found.changed)} />
    <${Figure} name=${check.unchanged} value=${count(found.unchanged)} /><${Figure} name=${check.vanished} value=${count(found.vanished)} /><${Figure} name=${check.skipped} value=${count(found.skipped)} />
    <${Figure} name=${check.unreadable} value=${count(found.unreadable)} /></dl><${Problems} problems=${found.problems} /></div>`
}

type What = 'test' | 'preview' | 'dry'

/** Three buttons, and what the last one of them gave. */
export function CheckSource ({ id }: { id: string }) {
  const [shown, setShown] = useState<{ what: What, value: unknown } | null>(null)
  const [busy, setBusy] = useState<What | null>(null)
  const [asking, run] = useAction()
  const ask = (what: What, question: () => Promise<unknown>) => async (): Promise<void> => {
    setBusy(what)
    await run(async () => { setShown(null); setShown({ what, value: await question() }) })
    setBusy(null)
  }
  const button = (what: What, label: string, hint: string, question: () => Promise<unknown>) =>
    html`<${Button} busy=${busy === what} disabled=${busy !== null && busy !== what} onClick=${ask(what, question)} aria-description=${hint}>${label}</${Button}>`
  return html`<div class="stack"><div class="bar-start">
      ${button('test', text.check.test, text.check.testHint, () => testSource(id))}
      ${button('preview', text.check.preview, text.check.previewHint, () => api('POST /_connector/{connector_id}/_preview', at(id)))}
      ${button('dry', text.check.dry, text.check.dryHint, () => api('POST /_connector/{connector_id}/_dry_run', at(id)))}</div>
    <${Failure} problem=${asking.problem as Problem | undefined} />
    <div aria-live="polite">${busy && html`<p class="muted">${text.check.testing}</p>`}${shown?.what === 'test' && html`<${TestResult} tested=${shown.value as Tested} />`}
      ${shown?.what === 'preview' && html`<${Preview} found=${shown.value as Previewed} />`}${shown?.what === 'dry' && html`<${Count} found=${shown.value as Counted} />`}</div></div>`
}
