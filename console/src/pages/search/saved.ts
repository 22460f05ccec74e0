// Searches that a person keeps, in the browser's storage: texts of searches, never a key.
import { html, useState } from '@/ui'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { TextField } from '@/components/field'
import { Notice } from '@/components/notice'
import { text } from '@strings/search'
import type { Form } from './body'

export interface Saved { name: string, index: string, form: Form, json: [string, string] | null }
const place = 'cairn-searches'

export function readSaved (): Saved[] {
  try {
    const found = JSON.parse(localStorage.getItem(place) ?? '[]') as unknown
    return Array.isArray(found) ? found.filter((one) => typeof one?.name === 'string' && typeof one?.index === 'string' && typeof one?.form === 'object') : []
  } catch { return [] }
}

export function SavedDialog ({ now, onLoad, onClose }: { now: Omit<Saved, 'name'>, onLoad: (one: Saved) => void, onClose: () => void }) {
  const [all, setAll] = useState(readSaved)
  const [name, setName] = useState(now.form.words)
  const [failed, setFailed] = useState(false)
  const keep = (next: Saved[]): void => {
    try { localStorage.setItem(place, JSON.stringify(next)); setAll(next) } catch { setFailed(true) }
  }
  const save = (): void => { if (name.trim()) keep([{ ...now, name: name.trim() }, ...all.filter((one) => one.name !== name.trim())]) }
  return html`<${Dialog} size="small" title=${text.savedDialog.title} onClose=${onClose} onSubmit=${save}>
    <p class="muted">${text.savedDialog.lead}</p>${failed && html`<${Notice} kind="warning">${text.savedDialog.failed}</${Notice}>`}
    <div class="inline-form"><${TextField} label=${text.savedDialog.name} value=${name} onInput=${setName} /><${Button} kind="main" type="submit">${text.savedDialog.save}</${Button}></div>
    ${all.length === 0 ? html`<p class="muted">${text.savedDialog.none}</p>` : html`<ul class="list">${all.map((one) => html`<li key=${one.name} class="saved-row"><button type="button" class="row-link" aria-label=${text.savedDialog.load(one.name)} onClick=${() => { onLoad(one); onClose() }}>${one.name}</button><span class="muted small">${one.index}${one.json && ' · JSON'}</span>
      <${Button} small kind="quiet" icon="remove" label=${text.savedDialog.remove(one.name)} onClick=${() => keep(all.filter((other) => other !== one))} /></li>`)}</ul>`}</${Dialog}>`
}
