import { html, useEffect, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Card } from '@/components/facts'
import { Failure } from '@/components/failure'
import { TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { text } from '@strings/connectors'
import { CheckSource } from './check'
import { type Connector } from './data'
import { changedValues, missing, notesFor, SettingsForm, valuesOf, type Values } from './settings_form'

/** The folders that connectors may read; undefined where the key may not ask. */
export function useRoots (): readonly string[] | undefined {
  return useAsked(async (signal) => (await api('GET /_cairn/folders', { signal })).roots.map(({ path }) => path), []).value
}

export async function saveValues (id: string, values: Values): Promise<void> {
  await api('PUT /_connector/{connector_id}/_configuration', { path: { connector_id: id }, body: { values } })
}

function Names ({ connector, onSaved }: { connector: Connector, onSaved: () => void }) {
  const [name, setName] = useState(connector.name ?? '')
  const [description, setDescription] = useState(connector.description ?? '')
  const [saving, run] = useAction()
  const save = (): void => void run(() => api('PUT /_connector/{connector_id}/_name', { path: { connector_id: connector.id }, body: { name, description } })).then((done) => { if (done) { toast(text.configuration.renamed); onSaved() } })
  return html`<${Card} title=${text.configuration.about}><${TextField} label=${text.configuration.name} value=${name} onInput=${setName} /><${TextField} label=${text.configuration.description} value=${description} onInput=${setDescription} />
    <${Failure} problem=${saving.problem} /><div><${Button} busy=${saving.busy} disabled=${name === (connector.name ?? '') && description === (connector.description ?? '')} onClick=${save}>${text.configuration.save}</${Button}></div></${Card}>`
}

export function Configuration ({ connector, onSaved }: { connector: Connector, onSaved: () => void }) {
  const settings = connector.configuration ?? {}
  const [values, setValues] = useState<Values>(() => valuesOf(settings))
  const [tried, setTried] = useState(false)
  const [saving, run] = useAction()
  const roots = useRoots()
  useEffect(() => { setValues(valuesOf(settings)); setTried(false) }, [JSON.stringify(settings)])
  const changed = changedValues(settings, values)
  const any = Object.keys(changed).length > 0
  const wrong = missing(settings, values)
  const save = (): void => {
    setTried(true)
    if (wrong.length === 0) void run(() => saveValues(connector.id, changed)).then((done) => { if (done) { toast(text.configuration.saved); onSaved() } })
  }
  if (Object.keys(settings).length === 0) return html`<p class="muted">${text.configuration.none}</p><${Names} connector=${connector} onSaved=${onSaved} />`
  const help = notesFor(connector.service_type, roots)
  return html`<div class="columns"><${Card} title=${text.configuration.title}>
      <form class="stack" onSubmit=${(event: Event) => { event.preventDefault(); save() }} novalidate>
        <${SettingsForm} settings=${settings} values=${values} onValues=${setValues} wrong=${tried ? wrong : []} ...${help} />
        <p class="muted small">${any ? text.configuration.unsaved : text.configuration.noted}</p><${Failure} problem=${saving.problem} />
        <div class="bar-start"><${Button} kind="main" type="submit" busy=${saving.busy} disabled=${!any}>${text.configuration.save}</${Button}>${any && html`<${Button} kind="quiet" onClick=${() => setValues(valuesOf(settings))}>${text.configuration.reset}</${Button}>`}</div></form></${Card}>
    <div class="stack"><${Names} connector=${connector} onSaved=${onSaved} /><${Card} title=${text.one.check}><${CheckSource} id=${connector.id} /></${Card}></div></div>`
}
