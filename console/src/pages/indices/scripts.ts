// Scripts and templates of searches that the server keeps by a name.
import { html, useState } from '@/ui'
import type { StoredScript } from '@/api/generated'
import { asProblem } from '@/api/problem'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Dialog } from '@/components/dialog'
import { Empty } from '@/components/empty'
import { Card, Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField, TextArea, TextField } from '@/components/field'
import { Menu } from '@/components/menu'
import { Notice, toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { text as common } from '@strings/common'
import { text } from '@strings/templates'

const said = text.scripts
interface Row { id: string, script: StoredScript }
interface Language { language: string, contexts: readonly string[] }

const sourceOf = ({ source }: StoredScript): string => typeof source === 'string' ? source : JSON.stringify(source, null, 2)

/** All scripts: the state of the cluster lists them. */
async function listed (signal: AbortSignal): Promise<Row[]> {
  const { metadata } = await api('GET /_cluster/state/{metric}', { path: { metric: 'metadata' }, signal }) as unknown as { metadata?: { stored_scripts?: Record<string, StoredScript> } }
  return Object.entries(metadata?.stored_scripts ?? {}).map(([id, script]) => ({ id, script }))
}

const columns: readonly Column<Row>[] = [
  { id: 'id', title: said.id, value: (row) => row.id },
  { id: 'language', title: said.language, value: (row) => row.script.lang },
  { id: 'source', title: said.source, value: (row) => sourceOf(row.script), wide: true, cell: (row) => html`<code title=${sourceOf(row.script)}>${sourceOf(row.script).replace(/\s+/g, ' ').slice(0, 160)}</code>` }
]

/** Writes a script, or makes one. `note`: what a person should know of it first. */
function Editor ({ row, languages, note, onClose, onDone, onRemove }: { row: Row | undefined, languages: readonly Language[], note?: string, onClose: () => void, onDone: () => void, onRemove?: () => void }) {
  const [id, setId] = useState(row?.id ?? '')
  const [lang, setLang] = useState(row?.script.lang ?? 'painless')
  const [source, setSource] = useState(row ? sourceOf(row.script) : '')
  const [context, setContext] = useState('')
  const [params, setParams] = useState('{}')
  const [made, setMade] = useState<unknown>(undefined)
  const [doing, run] = useAction()
  const [trying, attempt] = useAction()
  let bad: string | undefined
  try { JSON.parse(params || '{}') } catch (error) { bad = said.notJson((error as Error).message) }
  const ready = id.trim() !== '' && source.trim() !== ''
  const put = async (): Promise<void> => {
    const body = { script: { ...(row?.script.options && lang === row.script.lang ? { options: row.script.options } : {}), lang, source } }
    if (context) await api('PUT /_scripts/{id}/{context}', { path: { id: id.trim(), context }, body })
    else await api('PUT /_scripts/{id}', { path: { id: id.trim() }, body })
  }
  const submit = (): void => { if (ready) void run(put).then((done) => { if (done) { toast(said.saved(id.trim())); onClose(); onDone() } }) }
  const render = (): void => { void attempt(async () => setMade((await api('POST /_render/template', { body: { source, params: JSON.parse(params || '{}') } })).template_output)) }
  const contexts = languages.find(({ language }) => language === lang)?.contexts ?? []
  const footer = html`<span class="foot-start">${onRemove && html`<${Button} kind="danger" onClick=${onRemove}>${said.remove}</${Button}>`}</span>
    <${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${!ready}>${common.save}</${Button}>`
  return html`<${Dialog} title=${row ? said.title(row.id) : said.titleNew} onClose=${onClose} onSubmit=${submit} footer=${footer}>
    ${note && html`<${Notice}>${note}</${Notice}>`}<${Failure} problem=${doing.problem} />
    <div class="form-row"><${TextField} label=${said.id} value=${id} onInput=${setId} disabled=${row !== undefined && note === undefined} required mono />
      <${SelectField} label=${said.language} value=${lang} onInput=${(value: string) => { setLang(value); setContext(''); setMade(undefined) }} choices=${languages.map(({ language }) => ({ value: language, label: said.languages[language] ?? language }))} />
      <${SelectField} label=${said.context} hint=${said.contextHint} value=${context} onInput=${setContext} choices=${[{ value: '', label: said.noContext }, ...contexts.map((one) => ({ value: one }))]} /></div>
    <${TextArea} label=${said.source} hint=${said.sourceHint[lang]} value=${source} onInput=${(value: string) => { setSource(value); setMade(undefined) }} rows=${12} mono required />
    ${lang === 'mustache' && html`<div class="inline-form"><${TextArea} label=${said.params} value=${params} onInput=${setParams} rows=${2} mono error=${bad} /><${Button} busy=${trying.busy} disabled=${bad !== undefined || source.trim() === ''} onClick=${render}>${said.render}</${Button}></div>
      <${Failure} problem=${trying.problem} /><div aria-live="polite">${made !== undefined && html`<${Notice} title=${said.rendered}><${Json} value=${made} label=${said.rendered} /></${Notice}>`}</div>`}</${Dialog}>`
}

type Open = { what: 'write', row: Row | undefined, note?: string, there: boolean } | { what: 'remove', row: Row }

export function Scripts () {
  const asked = useAsked(async (signal) => {
    const [rows, { language_contexts: languages }] = await Promise.all([listed(signal), api('GET /_script_language', { signal })])
    return { rows, languages: languages as Language[] }
  }, [])
  const [name, setName] = useState('')
  const [open, setOpen] = useState<Open | undefined>(undefined)
  const [opening, run] = useAction()
  const close = (): void => setOpen(undefined)
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const { rows, languages } = asked.value
  const add = html`<${Button} small icon="add" onClick=${() => setOpen({ what: 'write', row: undefined, there: false })}>${said.add}</${Button}>`
  const look = (event: Event): void => {
    event.preventDefault()
    const id = name.trim()
    if (id === '') return
    void run(async () => {
      try {
        const { script } = await api('GET /_scripts/{id}', { path: { id } })
        setOpen({ what: 'write', row: { id, script: script! }, there: true })
      } catch (error) {
        if (asProblem(error).kind !== 'missing') throw error
        setOpen({ what: 'write', row: { id, script: { lang: 'painless', source: '' } }, note: said.missing(id), there: false })
      }
    })
  }
  const actions = (row: Row) => html`<${Menu} label=${`${common.more}: ${row.id}`} items=${[{ title: said.open, icon: 'edit', onSelect: () => setOpen({ what: 'write', row, there: true }) }, { title: said.remove, icon: 'remove', danger: true, onSelect: () => setOpen({ what: 'remove', row }) }]} />`
  return html`<p class="muted">${said.lead}</p><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${Table} caption=${said.caption} columns=${columns} rows=${rows} rowKey=${({ id }: Row) => id} onRow=${(row: Row) => setOpen({ what: 'write', row, there: true })} actions=${actions} sort="id" filterName="script" tools=${add} empty=${html`<${Empty} icon="code" title=${said.empty}>${said.emptyText}</${Empty}>`} />
    <${Card} title=${said.openTitle}><form class="inline-form" onSubmit=${look}><${TextField} label=${said.id} value=${name} onInput=${setName} mono required /><${Button} type="submit" busy=${opening.busy}>${said.open}</${Button}></form><${Failure} problem=${opening.problem} /></${Card}>
    ${open?.what === 'write' && html`<${Editor} row=${open.row} languages=${languages} note=${open.note} onClose=${close} onDone=${asked.reload} onRemove=${open.there && (() => setOpen({ what: 'remove', row: open.row! }))} />`}
    ${open?.what === 'remove' && html`<${Confirm} title=${said.removeTitle(open.row.id)} verb=${said.remove} typed=${open.row.id} action=${() => api('DELETE /_scripts/{id}', { path: { id: open.row.id } })} onClose=${close} onDone=${() => { toast(said.removed(open.row.id)); asked.reload() }}><p>${said.removeText}</p></${Confirm}>`}`
}
