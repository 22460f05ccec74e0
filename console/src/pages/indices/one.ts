// The page of one index.
import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAsked, type Asked } from '@/api/use'
import { Button } from '@/components/button'
import { Json } from '@/components/code'
import { Confirm } from '@/components/confirm'
import { Empty } from '@/components/empty'
import { Card, Facts, Figure, Loading, PageHead, Section, State, Tag, When, type Tone } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Icon } from '@/components/icon'
import { Notice, toast } from '@/components/notice'
import { Table, type Column } from '@/components/table'
import { Tabs } from '@/components/tabs'
import { pages } from '@/shell/pages'
import { go, href } from '@/shell/router'
import { bytes, count } from '@/text/numbers'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { IndexMenu } from './actions'
import { AliasDialog } from './alias'
import { DocumentsTab } from './documents'
import { fieldsOf, hasMeaning, meaningOf } from './fields'
import { MappingTab } from './mapping'
import { MeaningDialog } from './meaning'
import { SegmentsTab } from './segments'
import { SettingsTab } from './settings'
import { Work } from './work'

interface Alias { name: string, filter: string, write: boolean }
interface Seen { name: string, aliases: Alias[], mapping: Record<string, any>, settings: Record<string, any>, defaults: Record<string, any>, stream: string | undefined, open: boolean, health: string, stats: any, segments: number | null }

async function see (index: string, signal: AbortSignal): Promise<Seen> {
  const [answer, cat] = await Promise.all([
    api('GET /{index}', { path: { index }, signal, query: { flat_settings: true, include_defaults: true, expand_wildcards: 'all' } }),
    api('GET /_cat/indices/{index}', { path: { index }, signal, query: { format: 'json', bytes: 'b', expand_wildcards: 'all' } })
  ])
  const name = Object.keys(answer)[0] ?? index
  const one = answer[name] as any
  const row = cat.find((each) => each['index'] === name)
  const open = row?.['status'] !== 'close'
  const stats = open ? (await api('GET /{index}/_stats', { path: { index: name }, signal })).indices?.[name] : undefined
  return {
    name, open, stats, mapping: one?.mappings ?? {}, settings: one?.settings ?? {}, defaults: one?.defaults ?? {}, stream: one?.data_stream, health: row?.['health'] ?? '', segments: (stats as any)?.total?.segments?.count ?? null,
    aliases: Object.entries((one?.aliases ?? {}) as Record<string, any>).map(([alias, is]) => ({ name: alias, filter: is.filter ? JSON.stringify(is.filter) : '', write: is.is_write_index === true }))
  }
}

const aliasColumns: readonly Column<Alias>[] = [
  { id: 'name', title: text.one.alias, value: (alias) => alias.name },
  { id: 'filter', title: text.one.filter, wide: true, value: (alias) => alias.filter, cell: (alias) => html`<code>${alias.filter || '–'}</code>` },
  { id: 'write', title: text.one.write, value: (alias) => alias.write ? common.yes : common.no }
]

function Aliases ({ seen, onDone }: { seen: Seen, onDone: () => void }) {
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<string | null>(null)
  const remove = (alias: string) => api('DELETE /{index}/_alias/{name}', { path: { index: seen.name, name: alias } })
  return html`<${Section} title=${text.one.aliases} actions=${seen.open && html`<${Button} small icon="add" onClick=${() => setAdding(true)}>${text.aliasing.verb}</${Button}>`}>
    ${seen.aliases.length === 0 ? html`<p class="muted">${text.one.noAlias}</p>` : html`<${Table} caption=${text.one.aliases} columns=${aliasColumns} rows=${seen.aliases} rowKey=${(alias: Alias) => alias.name} filterName="alias"
      actions=${(alias: Alias) => html`<${Button} small kind="quiet" icon="remove" label=${text.unalias.title(alias.name)} onClick=${() => setRemoving(alias.name)} />`} />`}</${Section}>
    ${adding && html`<${AliasDialog} index=${seen.name} onClose=${() => setAdding(false)} onDone=${onDone} />`}
    ${removing && html`<${Confirm} title=${text.unalias.title(removing)} verb=${text.unalias.verb} typed=${removing} action=${() => remove(removing)} onClose=${() => setRemoving(null)}
      onDone=${() => { toast(text.done.aliasRemoved(removing, seen.name)); onDone() }}><p>${text.unalias.text(removing, seen.name)}</p></${Confirm}>`}`
}

const tones: Record<string, Tone> = { green: 'good', yellow: 'warning', red: 'bad' }

function Overview ({ seen, onDone }: { seen: Seen, onDone: () => void }) {
  const [adding, setAdding] = useState(false)
  const fields = fieldsOf(seen.mapping)
  const meaning = fields.filter(hasMeaning)
  const total = seen.stats?.total
  const setting = (name: string): string | undefined => seen.settings['index.' + name] ?? seen.defaults['index.' + name]
  const state = seen.open ? (text.health as Record<string, string>)[seen.health] ?? seen.health : text.health.closed
  return html`<dl class="figures"><${Figure} name=${text.one.documents} value=${count(total?.docs?.count)} /><${Figure} name=${text.one.bytes} value=${bytes(total?.store?.size_in_bytes)} /><${Figure} name=${text.one.memory} value=${bytes(total?.segments?.memory_in_bytes)} />
      <${Figure} name=${text.one.segments} value=${count(total?.segments?.count)} /><${Figure} name=${text.one.fields} value=${count(fields.length)} /><${Figure} name=${text.one.deleted} value=${count(total?.docs?.deleted)} /></dl>
    <div class="columns"><${Card} title=${text.one.facts}><${Facts} rows=${[
      [text.one.status, html`<${State} tone=${seen.open ? tones[seen.health] ?? 'off' : 'off'}>${state}</${State}>`],
      [text.one.made, html`<${When} exact at=${Number(setting('creation_date')) || null} />`], [text.one.shards, setting('number_of_shards')], [text.one.refresh, text.one.refreshed(setting('refresh_interval') ?? '1s')],
      [text.one.public, setting('public') === 'true' ? html`<a href=${`/search/${encodeURIComponent(seen.name)}`}>${common.yes}</a>` : common.no], seen.stream ? [text.one.stream, seen.stream] : null, [text.one.uuid, html`<code>${setting('uuid')}</code>`]]} /></${Card}>
      <${Card} title=${text.one.meaning} actions=${seen.open && html`<${Button} small icon="add" onClick=${() => setAdding(true)}>${text.one.addMeaning}</${Button}>`}>
        ${meaning.length === 0 ? html`<p class="muted">${text.one.noMeaning}</p>` : html`<${Facts} rows=${meaning.map((field) => [field.path, html`<span class="tags"><${Tag}>${field.type}</${Tag}><${Tag}>${meaningOf(field)}</${Tag}>${field.more['inference_id'] !== undefined && html`<${Tag}>${String(field.more['inference_id'])}</${Tag}>`}</span>`])} />`}
        ${seen.mapping['_meta'] && html`<h3>${text.one.meta}</h3><${Json} value=${seen.mapping['_meta']} label=${text.one.meta} />`}</${Card}></div>
    <${Aliases} seen=${seen} onDone=${onDone} />
    ${adding && html`<${MeaningDialog} index=${seen.name} onClose=${() => setAdding(false)} onDone=${onDone} />`}`
}

function Inside ({ asked, seen }: { asked: Asked<Seen>, seen: Seen }) {
  const tab = (id: keyof typeof text.one.tabs, content: () => unknown) => ({ id, title: text.one.tabs[id], content })
  const tabs = [
    tab('overview', () => html`<${Overview} seen=${seen} onDone=${asked.reload} />`),
    seen.open && tab('documents', () => html`<${DocumentsTab} index=${seen.name} />`),
    tab('mapping', () => html`<${MappingTab} index=${seen.name} mapping=${seen.mapping} onDone=${asked.reload} />`),
    tab('settings', () => html`<${SettingsTab} index=${seen.name} />`),
    seen.open && tab('segments', () => html`<${SegmentsTab} index=${seen.name} />`)
  ].filter(Boolean)
  return html`${!seen.open && html`<${Notice} kind="info">${text.one.closed}</${Notice}>`}<${Work} /><${Tabs} label=${seen.name} tabs=${tabs} />`
}

export function OneIndex ({ index }: { index: string }) {
  const asked = useAsked((signal) => see(index, signal), [index], { every: 20_000 })
  const seen = asked.value
  const searchable = seen?.open && pages.some(({ id }) => id === 'search')
  const actions = seen && html`${searchable && html`<${Button} icon="search" href=${href('search', [seen.name])}>${text.actions.search}</${Button}>`}
    <${IndexMenu} subject=${{ name: seen.name, open: seen.open, documents: seen.stats?.total?.docs?.count ?? null }} onDone=${asked.reload} onGone=${() => go('indices')}><span>${text.one.more}</span><${Icon} name="down" /></${IndexMenu}>`
  return html`<${PageHead} title=${seen?.name ?? index} trail=${[{ title: text.title, href: href('indices') }]} actions=${actions} />
    <${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${!seen ? asked.problem?.kind === 'missing' ? html`<${Empty} icon="indices" title=${asked.problem.reason} action=${html`<${Button} href=${href('indices')}>${text.title}</${Button}>`} />` : asked.busy && html`<${Loading} />` : html`<${Inside} asked=${asked} seen=${seen} />`}`
}
