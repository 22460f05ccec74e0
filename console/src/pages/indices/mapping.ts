// The fields of an index as a tree and as JSON, and the dialog that changes them, which can be run dry.
import { html, useMemo, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Would } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Failure } from '@/components/failure'
import { TextArea } from '@/components/field'
import { toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { route, setQuery } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { fieldsOf, type Field } from './fields'
import { readJson } from './json_text'

const value = (given: unknown): string => typeof given === 'string' ? given : JSON.stringify(given)
const more = (field: Field): string => Object.entries(field.more).map(([name, given]) => `${name}: ${value(given)}`).join(', ')

const columns: readonly Column<Field>[] = [
  { id: 'path', title: text.mapping.field, value: (field) => field.path, cell: (field) => html`<span class="tree-name" style=${{ paddingLeft: field.depth * 18 + 'px' }} title=${field.path}>${field.depth > 0 && html`<i aria-hidden="true"></i>`}<code>${field.name}</code></span>` },
  { id: 'type', title: text.mapping.type, value: (field) => field.type },
  { id: 'more', title: text.mapping.more, value: more, wide: true, cell: (field) => html`<span class="muted" title=${more(field)}>${more(field)}</span>` }
]

function ChangeDialog ({ index, onClose, onDone }: { index: string, onClose: () => void, onDone: () => void }) {
  const [body, setBody] = useState('{\n  "properties": {\n    \n  }\n}')
  const [would, setWould] = useState<unknown>(undefined)
  const [doing, run] = useAction()
  const [trying, dry] = useAction()
  const given = readJson(body, {})
  const change = (value: string): void => { setBody(value); setWould(undefined); trying.clear() }
  const put = (dry_run?: boolean) => api('PUT /{index}/_mapping', { path: { index }, body: given.value, query: dry_run ? { dry_run } : {} })
  const submit = (): void => { if (!given.error) void run(() => put()).then((done) => { if (done) { toast(text.done.mapping(index)); onDone(); onClose() } }) }
  return html`<${Dialog} title=${text.mapping.title(index)} onClose=${onClose} onSubmit=${submit}
    footer=${html`<span class="foot-start"><${Button} busy=${trying.busy} disabled=${given.error !== undefined} onClick=${() => void dry(async () => setWould(await put(true)))}>${common.confirm.dryRun}</${Button}></span><${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${given.error !== undefined}>${text.mapping.verb}</${Button}>`}>
    <${TextArea} label=${text.mapping.body} hint=${text.mapping.hint} value=${body} onInput=${change} rows=${12} mono error=${given.error} />
    <div aria-live="polite">${would !== undefined && html`<${Would} answer=${would} />`}</div><${Failure} problem=${trying.problem} /><${Failure} problem=${doing.problem} /></${Dialog}>`
}

export function MappingTab ({ index, mapping, onDone }: { index: string, mapping: Record<string, unknown>, onDone: () => void }) {
  const [changing, setChanging] = useState(false)
  const asJson = route.value.query['as'] === 'json'
  const fields = useMemo(() => fieldsOf(mapping), [mapping])
  const choice = html`<div class="segments" role="group" aria-label=${text.one.tabs.mapping}><button type="button" aria-pressed=${!asJson} onClick=${() => setQuery({ as: null })}>${text.mapping.tree}</button><button type="button" aria-pressed=${asJson} onClick=${() => setQuery({ as: 'json' })}>${text.mapping.json}</button></div>
    <${Button} small icon="edit" onClick=${() => setChanging(true)}>${text.mapping.change}</${Button}>`
  return html`${asJson || fields.length === 0 ? html`<div class="bar"><div class="bar-end">${choice}</div></div>` : null}
    ${asJson ? html`<${Json} value=${mapping} label=${text.one.tabs.mapping} />` : fields.length === 0 ? html`<p class="muted">${text.mapping.none}</p>`
      : html`<${Table} caption=${text.mapping.caption} columns=${columns} rows=${fields} rowKey=${(field: Field) => field.path} tools=${choice} />`}
    ${changing && html`<${ChangeDialog} index=${index} onClose=${() => setChanging(false)} onDone=${onDone} />`}`
}
