// What the form says beside the words: fields, weights, filters.
import { html } from '@/ui'
import { Button } from '@/components/button'
import { CheckField, NumberField, RangeField, SelectField, TextField } from '@/components/field'
import { text } from '@strings/search'
import type { Filter, Form, Op } from './body'
import type { Subject } from './subject'

type Change = (changes: Partial<Form>) => void
const ops = Object.keys(text.filters.ops) as Op[]

function Filters ({ form, subject, onChange }: { form: Form, subject: Subject, onChange: Change }) {
  const usable = subject.fields.filter(({ type }) => !['object', 'nested', 'semantic_text', 'dense_vector', 'sparse_vector'].includes(type)).map(({ path }) => path)
  const set = (n: number, changes: Partial<Filter>): void => onChange({ filters: form.filters.map((one, at) => at === n ? { ...one, ...changes } : one) })
  const add = (): void => onChange({ filters: [...form.filters, { field: usable[0] ?? '', op: 'is', value: '' }] })
  return html`<fieldset class="field"><legend>${text.filters.title}</legend>
    ${form.filters.map((filter, n) => html`<div class="filter-row" key=${n}><${SelectField} bare label=${text.filters.field} value=${filter.field} choices=${usable} onInput=${(field: string) => set(n, { field })} />
      <${SelectField} bare label=${text.filters.op} value=${filter.op} choices=${ops.map((value) => ({ value, label: text.filters.ops[value] }))} onInput=${(op: Op) => set(n, { op })} />
      ${filter.op === 'exists' ? html`<span></span>` : html`<${TextField} bare label=${text.filters.value} placeholder=${text.filters.value} value=${filter.value} onInput=${(value: string) => set(n, { value })} />`}
      <${Button} kind="quiet" icon="close" label=${text.filters.remove} onClick=${() => onChange({ filters: form.filters.filter((_, at) => at !== n) })} /></div>`)}
    <div><${Button} small icon="add" disabled=${usable.length === 0} onClick=${add}>${text.filters.add}</${Button}></div></fieldset>`
}

function Fusion ({ form, subject, onChange }: { form: Form, subject: Subject, onChange: Change }) {
  const weight = (value: number): string => value.toFixed(1)
  return html`<div class="form"><div class="form-row"><${SelectField} label=${text.fusion} value=${form.fusion} choices=${Object.entries(text.fusions).map(([value, label]) => ({ value, label }))} onInput=${(fusion: Form['fusion']) => onChange({ fusion })} />
      ${subject.meanings.length > 1 && html`<${SelectField} label=${text.meaningField} value=${form.meaning || subject.meanings[0]} choices=${subject.meanings} onInput=${(meaning: string) => onChange({ meaning })} />`}</div>
    ${form.fusion === 'linear' ? html`<div class="form-row"><${RangeField} label=${text.weightWords} value=${form.weightWords} min=${0} max=${3} step=${0.1} shown=${weight} onInput=${(weightWords: number) => onChange({ weightWords })} />
        <${RangeField} label=${text.weightMeaning} value=${form.weightMeaning} min=${0} max=${3} step=${0.1} shown=${weight} onInput=${(weightMeaning: number) => onChange({ weightMeaning })} /></div><p class="field-hint">${text.weightHint}</p>`
      : html`<div class="form-row"><${NumberField} label=${text.constant} value=${form.constant} min=${1} step=${1} onInput=${(constant: number | null) => onChange({ constant: constant ?? 60 })} /></div>`}
    <div class="form-row"><${NumberField} label=${text.window} value=${form.window} min=${1} max=${10000} step=${1} onInput=${(window: number | null) => onChange({ window: window ?? 100 })} /></div></div>`
}

export function Options ({ form, subject, onChange }: { form: Form, subject: Subject, onChange: Change }) {
  const chosen = new Set(form.fields.length > 0 ? form.fields : subject.texts)
  const choose = (path: string, on: boolean): void => {
    const next = subject.texts.filter((one) => one === path ? on : chosen.has(one))
    onChange({ fields: next.length === subject.texts.length ? [] : next })
  }
  return html`<details class="options"><summary>${text.options}</summary><div class="columns">
    <div class="form">${subject.texts.length > 0 && html`<fieldset class="field"><legend>${text.fields}</legend><div class="check-grid">${subject.texts.map((path) => html`<${CheckField} key=${path} label=${path} value=${chosen.has(path)} onInput=${(on: boolean) => choose(path, on)} />`)}</div></fieldset>`}
      <${Filters} form=${form} subject=${subject} onChange=${onChange} /></div>
    <div class="form">${subject.meanings.length > 0 && html`<${Fusion} form=${form} subject=${subject} onChange=${onChange} />`}
      <div class="form-row"><${NumberField} label=${text.size} value=${form.size} min=${1} max=${100} step=${1} onInput=${(size: number | null) => onChange({ size: Math.max(1, Math.min(100, size ?? 10)) })} />
        <div class="form"><${CheckField} label=${text.highlight} value=${form.highlight} onInput=${(highlight: boolean) => onChange({ highlight })} /><${CheckField} label=${text.profile} value=${form.profile} onInput=${(profile: boolean) => onChange({ profile })} /></div></div></div></div></details>`
}
