// Which words an analyzer, or a field of an index, makes of a text.
import { html, useState } from '@/ui'
import type { Answer } from '@/api/request'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Tag } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField, TextArea, TextField } from '@/components/field'
import { Table, type Column } from '@/components/table'
import { route, setQuery } from '@/shell/router'
import { text } from '@strings/templates'
import { fieldsOf } from './fields'

const said = text.analyze
type Word = Answer<'POST /_analyze'>['tokens'][number]
type Way = 'field' | 'analyzer' | 'parts'

// Those that every index has; a language's own is named by it.
const analyzers = ['standard', 'simple', 'whitespace', 'stop', 'keyword', 'pattern', 'english', 'german', 'french', 'spanish', 'italian', 'dutch', 'portuguese', 'russian', 'swedish']
const tokenizers = ['standard', 'whitespace', 'letter', 'lowercase', 'keyword', 'ngram', 'edge_ngram', 'pattern', 'path_hierarchy', 'uax_url_email']
const listed = (names: string): string[] => names.split(',').map((one) => one.trim()).filter(Boolean)

export function Analyze ({ names }: { names: readonly string[] }) {
  const index = names.find((name) => name === route.value.query['index']) ?? ''
  const fields = useAsked(async (signal) => Object.values(await api('GET /{index}/_mapping', { path: { index }, signal })).flatMap((one) => fieldsOf((one as any).mappings)).filter(({ type }) => ['text', 'keyword', 'match_only_text', 'search_as_you_type', 'wildcard'].includes(type)).map(({ path }) => path), [index], { when: index !== '' })
  const [chosen, setWay] = useState<Way>(index === '' ? 'analyzer' : 'field')
  const way = index === '' && chosen === 'field' ? 'analyzer' : chosen
  const [field, setField] = useState('')
  const [analyzer, setAnalyzer] = useState('standard')
  const [tokenizer, setTokenizer] = useState('standard')
  const [filters, setFilters] = useState('lowercase')
  const [charFilters, setCharFilters] = useState('')
  const [value, setValue] = useState(said.example)
  const [words, setWords] = useState<{ list: readonly Word[], of: string } | undefined>(undefined)
  const [doing, run] = useAction()
  const body = way === 'field' ? { field: field || fields.value?.[0], text: value } : way === 'analyzer' ? { analyzer, text: value }
    : { tokenizer, ...(listed(filters).length > 0 ? { filter: listed(filters) } : {}), ...(listed(charFilters).length > 0 ? { char_filter: listed(charFilters) } : {}), text: value }
  const ready = value !== '' && (way !== 'field' || (body as { field?: string }).field !== undefined)
  const look = (event: Event): void => {
    event.preventDefault()
    if (ready) void run(async () => setWords({ of: value, list: (index === '' ? await api('POST /_analyze', { body }) : await api('POST /{index}/_analyze', { path: { index }, body })).tokens }))
  }
  const columns: readonly Column<Word>[] = [
    { id: 'word', title: said.word, value: (row) => row.token, cell: (row) => html`<code>${row.token}</code>` },
    { id: 'cut', title: said.cut, wide: true, value: (row) => words?.of.slice(row.start_offset, row.end_offset) },
    { id: 'place', title: said.place, numeric: true, value: (row) => row.position },
    { id: 'from', title: said.from, numeric: true, extra: true, value: (row) => row.start_offset }, { id: 'to', title: said.to, numeric: true, extra: true, value: (row) => row.end_offset },
    { id: 'type', title: said.type, extra: true, value: (row) => row.type }
  ]
  const ways = Object.entries(said.ways).filter(([one]) => one !== 'field' || index !== '').map(([one, label]) => ({ value: one, label }))
  return html`<p class="muted">${said.lead}</p><form class="card stack" onSubmit=${look}><${Failure} problem=${fields.problem} /><${Failure} problem=${doing.problem} />
      <div class="form-row"><${SelectField} label=${said.index} value=${index} onInput=${(next: string) => { setQuery({ index: next || null }); setField(''); setWay(next === '' ? 'analyzer' : 'field') }} choices=${[{ value: '', label: said.noIndex }, ...names.map((name) => ({ value: name }))]} />
        <${SelectField} label=${said.by} value=${way} onInput=${setWay} choices=${ways} />
        ${way === 'field' && html`<${SelectField} label=${said.field} value=${field || fields.value?.[0] || ''} onInput=${setField} choices=${fields.value ?? []} />`}
        ${way === 'analyzer' && html`<${TextField} label=${said.analyzer} value=${analyzer} onInput=${setAnalyzer} suggestions=${analyzers} mono required />`}
        ${way === 'parts' && html`<${TextField} label=${said.tokenizer} value=${tokenizer} onInput=${setTokenizer} suggestions=${tokenizers} mono required />`}</div>
      ${way === 'parts' && html`<div class="form-row"><${TextField} label=${said.charFilters} value=${charFilters} onInput=${setCharFilters} mono /><${TextField} label=${said.filters} hint=${said.filtersHint} value=${filters} onInput=${setFilters} mono /></div>`}
      <${TextArea} label=${said.value} value=${value} onInput=${setValue} rows=${3} />
      <div><${Button} kind="main" type="submit" icon="search" busy=${doing.busy} disabled=${!ready}>${said.run}</${Button}></div></form>
    <div aria-live="polite">${words && (words.list.length === 0 ? html`<p class="muted">${said.none}</p>` : html`<p class="muted">${said.found(words.list.length)}</p><p class="tags">${words.list.slice(0, 200).map((one, n) => html`<${Tag} key=${n} title=${`${one.start_offset}–${one.end_offset}`}>${one.token}</${Tag}>`)}</p>`)}</div>
    ${words && words.list.length > 0 && html`<${Table} caption=${said.caption} columns=${columns} rows=${words.list} rowKey=${(row: Word) => `${row.position} ${row.start_offset} ${row.token}`} filterName=${null} />`}`
}
