// Fields of forms: each with its label, its hint, and its error tied to it.
import { html, useId, useState, type ComponentChildren } from '@/ui'
import { text } from '@strings/common'
import { Button } from './button'

export interface FieldProps {
  label: ComponentChildren
  hint?: ComponentChildren
  error?: string
  required?: boolean
  disabled?: boolean
  /** The label is for screen readers alone. */
  bare?: boolean
  name?: string
}

interface Tied { 'id': string, 'aria-describedby': string | undefined, 'aria-invalid': true | undefined, 'required': boolean | undefined, 'disabled': boolean | undefined, 'name': string | undefined }

/** The frame of a field; `inside` gets the attributes that tie the control to it. */
export function Field ({ label, hint, error, required, disabled, bare, name, inside }: FieldProps & { inside: (tied: Tied) => ComponentChildren }) {
  const id = useId()
  const describedBy = [hint ? id + '-hint' : '', error ? id + '-error' : ''].filter(Boolean).join(' ') || undefined
  return html`<div class="field">
    <label for=${id} class=${bare ? 'hidden' : 'field-label'}>${label}</label>
    ${inside({ id, 'aria-describedby': describedBy, 'aria-invalid': error ? true : undefined, required, disabled, name })}
    ${hint && html`<p id=${id + '-hint'} class="field-hint">${hint}</p>`}
    ${error && html`<p id=${id + '-error'} class="field-error">${error}</p>`}</div>`
}

const valueOf = (event: Event): string => (event.target as HTMLInputElement).value

export interface TextProps extends FieldProps {
  value: string
  onInput: (value: string) => void
  placeholder?: string
  autocomplete?: string
  type?: 'text' | 'url' | 'search' | 'date' | 'time' | 'datetime-local'
  mono?: boolean
  autofocus?: boolean
  /** Values offered while typing. */
  suggestions?: readonly string[]
  onEnter?: () => void
}

export function TextField ({ value, onInput, placeholder, autocomplete = 'off', type = 'text', mono, autofocus, suggestions, onEnter, ...field }: TextProps) {
  const list = useId()
  return html`<${Field} ...${field} inside=${(tied: Tied) => html`<input ...${tied} type=${type} value=${value} placeholder=${placeholder} autocomplete=${autocomplete} spellcheck=${false}
    class=${mono ? 'mono' : undefined} autofocus=${autofocus} list=${suggestions ? list : undefined} onInput=${(event: Event) => onInput(valueOf(event))}
    onKeyDown=${onEnter && ((event: KeyboardEvent) => { if (event.key === 'Enter' && !event.isComposing) { event.preventDefault(); onEnter() } })} />
    ${suggestions && html`<datalist id=${list}>${suggestions.map((one) => html`<option key=${one} value=${one} />`)}</datalist>`}`} />`
}

export function NumberField ({ value, onInput, min, max, step, unit, ...field }:
FieldProps & { value: number | null, onInput: (value: number | null) => void, min?: number, max?: number, step?: number | 'any', unit?: string }) {
  return html`<${Field} ...${field} inside=${(tied: Tied) => html`<span class="with-unit"><input ...${tied} type="number" inputmode="decimal" value=${value ?? ''} min=${min} max=${max} step=${step}
    onInput=${(event: Event) => { const given = valueOf(event); onInput(given === '' ? null : Number(given)) }} />${unit && html`<span class="muted">${unit}</span>`}</span>`} />`
}

export function TextArea ({ value, onInput, rows = 4, placeholder, mono, ...field }: FieldProps & { value: string, onInput: (value: string) => void, rows?: number, placeholder?: string, mono?: boolean }) {
  return html`<${Field} ...${field} inside=${(tied: Tied) => html`<textarea ...${tied} rows=${rows} placeholder=${placeholder} spellcheck=${false} class=${mono ? 'mono' : undefined} value=${value}
    onInput=${(event: Event) => onInput(valueOf(event))}></textarea>`} />`
}

export interface Choice { value: string, label?: string, disabled?: boolean }

export function SelectField ({ value, onInput, choices, ...field }: FieldProps & { value: string, onInput: (value: string) => void, choices: readonly (Choice | string)[] }) {
  const all = choices.map((one): Choice => typeof one === 'string' ? { value: one } : one)
  return html`<${Field} ...${field} inside=${(tied: Tied) => html`<select ...${tied} value=${value} onChange=${(event: Event) => onInput(valueOf(event))}>
    ${all.map((one) => html`<option key=${one.value} value=${one.value} selected=${one.value === value} disabled=${one.disabled}>${one.label ?? one.value}</option>`)}</select>`} />`
}

export function CheckField ({ label, hint, value, onInput, disabled }: { label: ComponentChildren, hint?: ComponentChildren, value: boolean, onInput: (value: boolean) => void, disabled?: boolean }) {
  const id = useId()
  return html`<div class="field field-check"><input type="checkbox" id=${id} checked=${value} disabled=${disabled} aria-describedby=${hint ? id + '-hint' : undefined}
    onChange=${(event: Event) => onInput((event.target as HTMLInputElement).checked)} />
    <div><label for=${id}>${label}</label>${hint && html`<p id=${id + '-hint'} class="field-hint">${hint}</p>`}</div></div>`
}

/** One of a few, all seen at once. */
export function RadioField ({ label, value, onInput, choices, hint }: { label: ComponentChildren, value: string, onInput: (value: string) => void, choices: readonly (Choice & { hint?: ComponentChildren })[], hint?: ComponentChildren }) {
  const id = useId()
  return html`<fieldset class="field"><legend class="field-label">${label}</legend>${hint && html`<p class="field-hint">${hint}</p>`}
    ${choices.map((one) => html`<div class="field-check" key=${one.value}><input type="radio" id=${id + one.value} name=${id} checked=${one.value === value} disabled=${one.disabled} onChange=${() => onInput(one.value)} />
      <div><label for=${id + one.value}>${one.label ?? one.value}</label>${one.hint && html`<p class="field-hint">${one.hint}</p>`}</div></div>`)}</fieldset>`
}

/** A slider with its value beside it. */
export function RangeField ({ value, onInput, min, max, step, shown, ...field }: FieldProps & { value: number, onInput: (value: number) => void, min: number, max: number, step: number, shown?: (value: number) => string }) {
  return html`<${Field} ...${field} inside=${(tied: Tied) => html`<span class="with-unit"><input ...${tied} type="range" value=${value} min=${min} max=${max} step=${step} aria-valuetext=${shown?.(value)}
    onInput=${(event: Event) => onInput(Number(valueOf(event)))} /><output class="numeric">${shown ? shown(value) : value}</output></span>`} />`
}

/** A secret: hidden until it is asked for; may be pasted. `fixed`: shown to be copied, not changed. */
export function SecretField ({ value, onInput, autocomplete = 'off', fixed, autofocus, ...field }: FieldProps & { value: string, onInput?: (value: string) => void, autocomplete?: string, fixed?: boolean, autofocus?: boolean }) {
  const [seen, setSeen] = useState(false)
  return html`<${Field} ...${field} inside=${(tied: Tied) => html`<span class="with-button"><input ...${tied} type=${seen ? 'text' : 'password'} class="mono" value=${value} readonly=${fixed} autocomplete=${autocomplete} autofocus=${autofocus} spellcheck=${false}
    onInput=${(event: Event) => onInput?.(valueOf(event))} /><${Button} kind="quiet" icon="eye" label=${seen ? text.secret.hide : text.secret.show} aria-pressed=${seen} onClick=${() => setSeen(!seen)} /></span>`} />`
}
