import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Dialog } from '@/components/dialog'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, SelectField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { text as common } from '@strings/common'
import { text } from '@strings/indices'
import { fieldsOf } from './fields'
import { follow } from './work'

const embeds = new Set(['text_embedding', 'sparse_embedding'])

/** The change of a mapping that adds `name` and copies the chosen fields to it besides where they are copied already. */
export function mappingWith (properties: Record<string, any>, name: string, endpoint: string, from: ReadonlySet<string>): Record<string, any> {
  const copied = (all: Record<string, any>, prefix: string): Record<string, any> => Object.fromEntries(Object.entries(all).flatMap(([field, given]) => {
    const path = prefix + field
    if (given.properties) {
      const below = copied(given.properties, path + '.')
      return Object.keys(below).length > 0 ? [[field, { ...(given.type ? { type: given.type } : {}), properties: below }]] : []
    }
    return from.has(path) ? [[field, { ...given, copy_to: [...new Set([given.copy_to ?? []].flat().concat(name))] }]] : []
  }))
  return { properties: { ...copied(properties, ''), [name]: { type: 'semantic_text', inference_id: endpoint } } }
}

export function MeaningDialog ({ index, onClose, onDone }: { index: string, onClose: () => void, onDone: () => void }) {
  const asked = useAsked(async (signal) => {
    const [mapping, endpoints] = await Promise.all([api('GET /{index}/_mapping', { path: { index }, signal }), api('GET /_inference', { signal })])
    return { properties: ((Object.values(mapping)[0] as any)?.mappings?.properties ?? {}) as Record<string, any>, endpoints: endpoints.endpoints.filter(({ task_type }) => embeds.has(task_type)).map(({ inference_id }) => inference_id) }
  }, [index])
  const [name, setName] = useState('meaning')
  const [endpoint, setEndpoint] = useState('')
  const [from, setFrom] = useState<ReadonlySet<string> | null>(null)
  const [again, setAgain] = useState(true)
  const [doing, run] = useAction()
  const texts = fieldsOf({ properties: asked.value?.properties }).filter((field) => field.type === 'text' && !field.sub).map(({ path }) => path)
  const chosen = from ?? new Set(texts)
  const uses = endpoint || (asked.value?.endpoints.includes('.cairn-dense') ? '.cairn-dense' : asked.value?.endpoints[0] ?? '')
  const choose = (path: string, on: boolean): void => { const next = new Set(chosen); if (on) next.add(path); else next.delete(path); setFrom(next) }
  const save = async (): Promise<void> => {
    await api('PUT /{index}/_mapping', { path: { index }, body: mappingWith(asked.value!.properties, name.trim(), uses, chosen) })
    toast(text.meaning.started(name.trim()))
    onDone()
    if (!again) return
    const answer = await api('POST /{index}/_update_by_query', { path: { index }, query: { wait_for_completion: false, conflicts: 'proceed', refresh: true }, body: {} })
    follow((answer as { task: string }).task, `${index}: ${name.trim()}`, onDone)
  }
  const submit = (): void => { if (asked.value && name.trim() && uses) void run(save).then((done) => { if (done) onClose() }) }
  return html`<${Dialog} size="small" title=${text.meaning.title(index)} onClose=${onClose} onSubmit=${submit}
    footer=${html`<${Button} onClick=${onClose}>${common.cancel}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy} disabled=${!asked.value || !uses}>${text.meaning.verb}</${Button}>`}>
    <p class="muted">${text.meaning.text}</p><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    <${TextField} label=${text.meaning.name} value=${name} onInput=${setName} required mono autofocus />${asked.busy && !asked.value && html`<${Loading} />`}
    ${asked.value && html`${asked.value.endpoints.length > 0 ? html`<${SelectField} label=${text.meaning.endpoint} value=${uses} onInput=${setEndpoint} choices=${asked.value.endpoints} />` : html`<p>${text.meaning.none}</p>`}
      <fieldset class="field"><legend>${text.meaning.from}</legend>${texts.length === 0 && html`<p class="field-hint">${text.meaning.noText}</p>`}
        ${texts.map((path) => html`<${CheckField} key=${path} label=${path} value=${chosen.has(path)} onInput=${(on: boolean) => choose(path, on)} />`)}</fieldset>
      <${CheckField} label=${text.meaning.backfill} value=${again} onInput=${setAgain} />`}
    <${Failure} problem=${doing.problem} /></${Dialog}>`
}
