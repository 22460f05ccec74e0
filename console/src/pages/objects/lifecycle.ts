import { html, useState } from '@/ui'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Loading, State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, NumberField, TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { Notice, toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text as common } from '@strings/common'
import { text } from '@strings/objects'
import { read, write, type Rule } from './lifecycle_rules'
import { ask, configuration, put } from './storage'
import { element } from './xml'

const said = text.lifecycle
const does = (rule: Rule): string => [...(['expire', 'noncurrent', 'abort'] as const).filter((what) => rule[what] !== null).map((what) => said.says(String(rule[what]), said.whats[what])), rule.more ? said.unknown : ''].filter(Boolean).join(', ')
const columns: readonly Column<Rule>[] = [
  { id: 'id', title: said.id, value: (row) => row.id },
  { id: 'prefix', title: said.prefix, value: (row) => row.prefix, cell: (row) => row.prefix === '' ? html`<span class="muted">${text.list.top}</span>` : html`<code>${row.prefix}</code>` },
  { id: 'does', title: said.does, value: does, wide: true },
  { id: 'state', title: said.state, value: (row) => row.on ? said.on : said.off, cell: (row) => html`<${State} tone=${row.on ? 'good' : 'off'}>${row.on ? said.on : said.off}</${State}>` }
]
interface Effect { objects: number, bytes: number }
interface Would { id: string, enabled: boolean, expire_now: Effect, noncurrent_now: Effect, delete_markers_now: number, uploads_now: number }

/** What the rule would do now, by the code that applies the rules; the others count too, for an effect is of the rule that makes it first. */
async function dryRun (bucket: string, rules: readonly Rule[], at: number): Promise<{ rule: Would | undefined, more: boolean }> {
  const answer = await put({ bucket, query: { lifecycle: '', dry_run: 'true' } }, element('LifecycleConfiguration', rules.map(write)), { timeout: 0 })
  const told = await answer.json() as { rules: Would[], more: boolean }
  return { rule: told.rules[at], more: told.more }
}

/** In sentences, those that say something alone. */
function wouldText ({ rule, more }: { rule: Would | undefined, more: boolean }): string[] {
  if (!rule) return []
  const out = [said.wouldExpire(rule.expire_now.objects, rule.expire_now.bytes)]
  if (rule.noncurrent_now.objects > 0) out.push(said.wouldOlder(rule.noncurrent_now.objects, rule.noncurrent_now.bytes))
  if (rule.delete_markers_now > 0) out.push(said.wouldMarkers(rule.delete_markers_now))
  if (rule.uploads_now > 0) out.push(said.wouldUploads(rule.uploads_now))
  if (!rule.enabled) out.push(said.wouldOff)
  if (more) out.push(said.wouldMore)
  return out
}

function RuleDialog ({ bucket, rules, at, rule, onClose, onSave }: { bucket: string, rules: readonly Rule[], at: number, rule: Rule, onClose: () => void, onSave: (rule: Rule) => Promise<void> }) {
  const [now, setNow] = useState(rule)
  const [would, setWould] = useState<string[]>([])
  const [doing, run] = useAction()
  const [trying, dry] = useAction()
  const set = (changes: Partial<Rule>): void => { setNow({ ...now, ...changes }); setWould([]) }
  const none = now.expire === null && now.noncurrent === null && now.abort === null && !now.more
  const submit = (): void => { if (!none) void run(() => onSave(now)).then((done) => { if (done) onClose() }) }
  return html`<${Dialog} title=${said.title} onClose=${onClose} onSubmit=${submit} footer=${html`<span class="foot-start"><${Button} busy=${trying.busy} disabled=${none} onClick=${() => void dry(async () => setWould(wouldText(await dryRun(bucket, [...rules.slice(0, at), now, ...rules.slice(at + 1)], at))))}>${said.dry}</${Button}></span><${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${none}>${common.save}</${Button}>`}>
    <${Failure} problem=${doing.problem} /><${Failure} problem=${trying.problem} />
    <${TextField} label=${said.id} value=${now.id} onInput=${(id: string) => set({ id })} placeholder=${said.exampleId} />
    <${TextField} label=${said.prefix} value=${now.prefix} onInput=${(prefix: string) => set({ prefix })} mono />
    <${NumberField} label=${said.expire} unit=${said.days} min=${1} value=${now.expire} onInput=${(expire: number | null) => set({ expire })} />
    <${NumberField} label=${said.noncurrent} unit=${said.days} min=${1} value=${now.noncurrent} onInput=${(noncurrent: number | null) => set({ noncurrent })} />
    <${NumberField} label=${said.abort} unit=${said.days} min=${1} value=${now.abort} onInput=${(abort: number | null) => set({ abort })} hint=${none ? said.needs : undefined} />
    <${CheckField} label=${said.active} value=${now.on} onInput=${(on: boolean) => set({ on })} />
    <div aria-live="polite">${would.length > 0 && html`<${Notice}>${would.map((one) => html`<p key=${one}>${one}</p>`)}<p class="muted small">${said.dryNote}</p></${Notice}>`}</div></${Dialog}>`
}

export function Lifecycle ({ bucket }: { bucket: string }) {
  const asked = useAsked(async (signal) => read(await configuration(bucket, 'lifecycle', { signal })), [bucket])
  const [editing, setEditing] = useState<{ rule: Rule, at: number } | undefined>(undefined)
  const [deleting, setDeleting] = useState<number | undefined>(undefined)
  const rules = asked.value
  if (!rules) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const place = { bucket, query: { lifecycle: '' } }
  const save = async (all: readonly Rule[]): Promise<void> => {
    if (all.length === 0) await ask('DELETE', place)
    else await put(place, element('LifecycleConfiguration', all.map(write)))
    toast(said.saved)
    asked.reload()
  }
  const add = (): void => setEditing({ at: rules.length, rule: { id: '', prefix: '', on: true, expire: null, noncurrent: null, abort: null, more: false, source: undefined } })
  const button = html`<${Button} icon="add" onClick=${add}>${said.add}</${Button}>`
  const at = (row: Rule): number => rules.indexOf(row)
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${Table} caption=${said.caption} columns=${columns} rows=${rules} rowKey=${(row: Rule) => String(at(row))} filterName="rules" busy=${asked.busy} tools=${button} onRow=${(row: Rule) => setEditing({ rule: row, at: at(row) })}
      actions=${(row: Rule) => html`<${Menu} label=${`${common.more}: ${row.id}`} items=${[{ title: said.edit, icon: 'edit', onSelect: () => setEditing({ rule: row, at: at(row) }) }, { title: said.delete, icon: 'remove', danger: true, onSelect: () => setDeleting(at(row)) }]} />`}
      empty=${html`<${Empty} icon="clock" title=${said.none}>${said.noneText}</${Empty}>`} />
    ${editing && html`<${RuleDialog} bucket=${bucket} rules=${rules} at=${editing.at} rule=${editing.rule} onClose=${() => setEditing(undefined)} onSave=${(rule: Rule) => save([...rules.slice(0, editing.at), rule, ...rules.slice(editing.at + 1)])} />`}
    ${deleting !== undefined && html`<${Confirm} title=${said.confirm(rules[deleting]?.id ?? '')} verb=${said.delete} action=${() => save(rules.filter((_, n) => n !== deleting))} onClose=${() => setDeleting(undefined)}>${said.confirmText}</${Confirm}>`}`
}
