// The fields of a source, made from what the server says about each: label, help, kind, choices.
import { html } from '@/ui'
import type { ConnectorSetting } from '@/api/generated'
import { CheckField, NumberField, SecretField, SelectField, TextArea, TextField } from '@/components/field'
import { text } from '@strings/connectors'

export type Settings = Record<string, ConnectorSetting>
export type Values = Record<string, unknown>

/** What stands for a secret that is kept. */
const kept = '********'
const long = new Set(['query', 'ssl_ca'])

const ordered = (settings: Settings): [string, ConnectorSetting][] => Object.entries(settings).sort(([, a], [, b]) => (a.order ?? 0) - (b.order ?? 0))
const lines = (value: unknown): string => Array.isArray(value) ? value.join('\n') : typeof value === 'string' ? value.split(',').map((one) => one.trim()).join('\n') : ''
const listed = (written: string): string[] => written.split('\n').map((one) => one.trim()).filter(Boolean)

/** The values as the form begins with them; secrets are empty. */
export function valuesOf (settings: Settings): Values {
  return Object.fromEntries(ordered(settings).map(([name, one]) => {
    const value = one.value ?? one.default_value ?? null
    return [name, one.sensitive ? '' : one.type === 'list' ? lines(value) : value]
  }))
}

/** What is to be sent: values that differ from those that are kept. */
export function changedValues (settings: Settings, values: Values): Values {
  const before = valuesOf(settings)
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== before[name]).map(([name, value]) => [name, settings[name]?.type === 'list' ? listed(String(value)) : value === '' ? null : value]))
}

/** Names of fields that are needed and empty. */
export function missing (settings: Settings, values: Values): string[] {
  return ordered(settings).filter(([name, one]) => one.required && (values[name] === null || values[name] === '') && !(one.sensitive && one.value === kept)).map(([name]) => name)
}

export interface FormProps { settings: Settings, values: Values, onValues: (values: Values) => void, /** Fields that are shown as missing. */ wrong: readonly string[], /** Help besides the server's. */ notes?: Record<string, string>, suggestions?: Record<string, readonly string[]> }

export function SettingsForm ({ settings, values, onValues, wrong, notes = {}, suggestions = {} }: FormProps) {
  const field = ([name, one]: [string, ConnectorSetting]) => {
    const set = (value: unknown): void => onValues({ ...values, [name]: value })
    const hint = [one.tooltip, notes[name]].filter(Boolean).join('. ').replaceAll('..', '.') || undefined
    const common = { key: name, name, label: one.label || name, hint, required: one.required, error: wrong.includes(name) ? text.configuration.required : undefined, onInput: set }
    const value = values[name]
    if (one.sensitive) return html`<${SecretField} ...${common} autocomplete="new-password" value=${String(value ?? '')} required=${one.required && one.value !== kept} hint=${one.value === kept ? text.configuration.secretKept : hint} />`
    if (one.options && one.options.length > 0) return html`<${SelectField} ...${common} value=${String(value ?? '')} choices=${one.options.map((option: any) => typeof option === 'object' ? { value: String(option.value), label: String(option.label) } : { value: String(option) })} />`
    if (one.type === 'bool') return html`<${CheckField} ...${common} value=${value === true} />`
    if (one.type === 'int') return html`<${NumberField} ...${common} value=${typeof value === 'number' ? value : null} step=${1} />`
    if (one.type === 'list') return html`<${TextArea} ...${common} mono rows=${3} value=${String(value ?? '')} hint=${[hint?.replace(/,? with commas between/, ''), text.configuration.lines].filter(Boolean).join('. ').replaceAll('..', '.')} />`
    if (long.has(name)) return html`<${TextArea} ...${common} mono rows=${3} value=${String(value ?? '')} />`
    return html`<${TextField} ...${common} mono=${/path|url|endpoint|repository|table|host/.test(name)} value=${String(value ?? '')} suggestions=${suggestions[name]} />`
  }
  return html`<div class="form connector-form">${ordered(settings).map(field)}</div>`
}

/** Help that depends on the server: the folders that it may read, and the list of hosts. */
export function notesFor (type: string | null, roots: readonly string[] | undefined): { notes: Record<string, string>, suggestions: Record<string, readonly string[]> } {
  const folders = roots === undefined ? '' : roots.length > 0 ? text.wizard.folders(roots.join(', ')) : text.wizard.noFolders
  if (type === 'directory' || type === 'maildir') return { notes: { path: folders }, suggestions: { path: roots ?? [] } }
  if (type === 'git') return { notes: { repository: `${folders} ${text.wizard.hosts}` }, suggestions: { repository: roots ?? [] } }
  const host = { postgresql: 'host', mysql: 'host', s3: 'endpoint', web_pages: 'urls', feeds: 'urls', code_hosting: 'url', elasticsearch: 'url' }[type ?? '']
  return { notes: host ? { [host]: text.wizard.hosts } : {}, suggestions: {} }
}
