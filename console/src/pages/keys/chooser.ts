import { html } from '@/ui'
import { Icon } from '@/components/icon'
import { SelectField } from '@/components/field'
import { text } from '@strings/keys'

/** Some of a list: the chosen ones, each with a button that takes it away, and a field that adds one. */
export function Chooser ({ label, value, choices, onInput }: { label: string, value: readonly string[], choices: readonly string[], onInput: (value: string[]) => void }) {
  const left = choices.filter((one) => !value.includes(one))
  return html`<div class="chooser"><${SelectField} label=${label} value="" onInput=${(one: string) => { if (one) onInput([...value, one]) }} choices=${[{ value: '', label: text.form.add }, ...left.map((one) => ({ value: one }))]} />
    <div class="tags">${value.length === 0 ? html`<span class="muted small">${text.form.none}</span>` : value.map((one) => html`<button type="button" class="chosen" key=${one} aria-label=${text.form.remove(one)} onClick=${() => onInput(value.filter((other) => other !== one))}>${one}<${Icon} name="close" /></button>`)}</div></div>`
}
