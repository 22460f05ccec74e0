// A search as JSON: read while it is typed, with names of queries and fields offered.
import { html, useId, useMemo, useRef, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Failure } from '@/components/failure'
import { Notice } from '@/components/notice'
import { text } from '@strings/search'
import { members, words } from './words'

export interface Read { body?: Record<string, any>, error?: string }

/** What a text says, or where it is no JSON. */
export function readBody (source: string): Read {
  try {
    const body = JSON.parse(source.trim() === '' ? '{}' : source)
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return { error: text.editor.notJson('a search is an object', 1, 1) }
    const unknown = Object.keys(body).filter((name) => !members.includes(name))
    return { body, error: unknown.length > 0 ? text.editor.unknown(unknown.join(', ')) : undefined }
  } catch (error) {
    const said = (error as Error).message
    const at = Number(/position (\d+)/.exec(said)?.[1] ?? source.length)
    const before = source.slice(0, at).split('\n')
    return { error: text.editor.notJson(said.replace(/ in JSON at position.*$/, '').replace(/, "?\{?.*is not valid JSON$/, ''), before.length, before.at(-1)!.length + 1) }
  }
}

/** The piece of a name before the caret, where that stands within quotes. */
export function prefixAt (source: string, caret: number): string | null {
  const line = source.slice(source.lastIndexOf('\n', caret - 1) + 1, caret)
  const quotes = line.match(/(?<!\\)"/g)?.length ?? 0
  return quotes % 2 === 1 ? /[\w.\-]*$/.exec(line)![0] : null
}

const offered = 8

export function Editor ({ label, value, onInput, fields, index, onRun }: { label: string, value: string, onInput: (value: string) => void, fields: readonly string[], index: string, onRun: () => void }) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const [prefix, setPrefix] = useState<string | null>(null)
  const [at, setAt] = useState(0)
  const [valid, setValid] = useState<{ valid: boolean, error?: string } | null>(null)
  const [doing, run] = useAction()
  const read = useMemo(() => readBody(value), [value])
  const names = useMemo(() => [...new Set([...fields, ...members, ...words])], [fields])
  const found = prefix === null ? [] : names.filter((name) => name.startsWith(prefix) && name !== prefix).slice(0, offered)
  const look = (least: number): void => {
    const typed = prefixAt(area.current!.value, area.current!.selectionStart)
    setPrefix(typed !== null && typed.length >= least ? typed : null)
    setAt(0)
  }
  const take = (name: string): void => {
    const caret = area.current!.selectionStart
    const begin = caret - (prefix ?? '').length
    onInput(value.slice(0, begin) + name + value.slice(caret))
    setPrefix(null)
    requestAnimationFrame(() => { area.current?.focus(); area.current?.setSelectionRange(begin + name.length, begin + name.length) })
  }
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); onRun(); return }
    if (event.key === ' ' && event.ctrlKey) { event.preventDefault(); look(0); return }
    if (found.length === 0) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) { event.preventDefault(); setAt((at + step + found.length) % found.length) }
    if (event.key === 'Enter') { event.preventDefault(); take(found[at]!) }
    if (event.key === 'Escape') { event.preventDefault(); setPrefix(null) }
  }
  const check = async (): Promise<void> => {
    const query = read.body?.['query']
    if (query === undefined) { setValid({ valid: true, error: text.editor.noQuery }); return }
    const answer = await api('POST /{index}/_validate/query', { path: { index }, query: { explain: true }, body: { query } as never }) as any
    setValid({ valid: answer.valid, error: answer.explanations?.find((one: any) => one.error)?.error })
  }
  const format = (): void => { if (read.body) onInput(JSON.stringify(read.body, null, 2)) }
  return html`<div class="editor field"><label class="field-label" for=${id}>${label}</label>
    <textarea id=${id} ref=${area} class="mono" rows=${16} spellcheck=${false} value=${value} aria-invalid=${read.error ? true : undefined} aria-describedby=${id + '-hint ' + id + '-error'} aria-controls=${found.length > 0 ? id + '-list' : undefined}
      onInput=${(event: Event) => { onInput((event.target as HTMLTextAreaElement).value); setValid(null); look(2) }} onKeyDown=${keys} onBlur=${() => setTimeout(() => setPrefix(null), 150)}></textarea>
    ${found.length > 0 && html`<ul id=${id + '-list'} class="editor-offers" role="listbox" aria-label=${text.editor.suggestions}>${found.map((name, n) => html`<li key=${name} role="option" aria-selected=${n === at} onMouseDown=${(event: Event) => { event.preventDefault(); take(name) }}><code>${name}</code></li>`)}</ul>`}
    <div class="bar"><p id=${id + '-hint'} class="field-hint">${text.editor.hint}</p><div class="bar-end"><${Button} small disabled=${!read.body} onClick=${format}>${text.editor.format}</${Button}><${Button} small busy=${doing.busy} disabled=${!read.body} onClick=${() => void run(check)}>${text.editor.check}</${Button}></div></div>
    <p id=${id + '-error'} class="field-error" aria-live="polite">${read.error}</p>
    ${valid && (valid.valid ? html`<${Notice} kind="good">${valid.error ?? text.editor.valid}</${Notice}>` : html`<${Notice} kind="error" title=${text.editor.invalid}>${valid.error}</${Notice}>`)}<${Failure} problem=${doing.problem} /></div>`
}
