import { html, useEffect, useState } from '@/ui'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { text } from '@strings/objects'
import { putTags, tags, urlOf, type Place } from './storage'

/** The tags of an object or a bucket, changed together. */
export function TagEditor ({ place, most }: { place: Place, most: number }) {
  const asked = useAsked((signal) => tags(place, signal), [urlOf(place)])
  const [rows, setRows] = useState<readonly (readonly [string, string])[]>([])
  const [doing, run] = useAction()
  useEffect(() => { if (asked.value) setRows(Object.entries(asked.value)) }, [asked.value])
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const set = (at: number, name: string, value: string): void => setRows(rows.map((row, n) => n === at ? [name, value] : row))
  const save = (): void => { void run(() => putTags(place, Object.fromEntries(rows.filter(([name]) => name !== '')))).then((done) => { if (done) { toast(text.tags.saved); asked.reload() } }) }
  return html`<form class="stack" onSubmit=${(event: Event) => { event.preventDefault(); save() }}><${Failure} problem=${doing.problem} />
    ${rows.length === 0 && html`<p class="muted">${text.tags.none}</p>`}
    ${rows.map(([name, value], n) => html`<div class="tag-row" key=${n}><${TextField} bare=${n > 0} label=${text.tags.name} value=${name} onInput=${(given: string) => set(n, given, value)} /><${TextField} bare=${n > 0} label=${text.tags.value} value=${value} onInput=${(given: string) => set(n, name, given)} />
      <${Button} kind="quiet" icon="remove" label=${`${text.tags.remove} ${name}`} onClick=${() => setRows(rows.filter((_, other) => other !== n))} /></div>`)}
    <div class="bar-start"><${Button} icon="add" disabled=${rows.length >= most} onClick=${() => setRows([...rows, ['', '']])}>${text.tags.add}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${text.tags.save}</${Button}><span class="muted small">${text.tags.limit(most)}</span></div></form>`
}

