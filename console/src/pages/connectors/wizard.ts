// A new connector in four steps. The place says how far it is, so that a reload goes on there:
// new=kind, new=directory (its names), new=directory&id=docs (its settings), and with step=sync the first sync.
import { html, useEffect, useState } from '@/ui'
import { api } from '@/api/request'
import { asProblem } from '@/api/problem'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Confirm } from '@/components/confirm'
import { Card, Loading, PageHead } from '@/components/facts'
import { Failure } from '@/components/failure'
import { RadioField, TextField } from '@/components/field'
import { Notice, toast } from '@/components/notice'
import { classes } from '@/ui'
import { go, href } from '@/shell/router'
import { text as common } from '@strings/common'
import { text } from '@strings/connectors'
import { removeConnector, startSync } from './actions'
import { CheckSource, TestResult, testSource } from './check'
import { saveValues, useRoots } from './configuration'
import { cronWords } from './cron'
import { connectors, kindOf, nameOf } from './data'
import { changedValues, missing, notesFor, SettingsForm, valuesOf, type Values } from './settings_form'

const { wizard } = text

function Steps ({ at }: { at: number }) {
  return html`<ol class="steps" aria-label=${wizard.stepsLabel}>${wizard.steps.map((name, n) => html`<li key=${name} aria-current=${n === at ? 'step' : undefined} class=${classes(n < at && 'is-done')}><span class="step-number">${n + 1}</span>${name}</li>`)}</ol>`
}

function ChooseKind () {
  const [other, setOther] = useState('')
  const next = (kind: string): void => go('connectors', [], { new: kind })
  return html`<h2>${wizard.choose}</h2><ul class="grid kinds">${Object.entries(text.kinds).map(([kind, { title, text: said }]) => html`<li key=${kind}><a class="kind card" href=${href('connectors', [], { new: kind })}><strong>${title}</strong><span class="muted">${said}</span></a></li>`)}</ul>
    <details><summary>${wizard.other}</summary><form class="form narrow connector-other" onSubmit=${(event: Event) => { event.preventDefault(); if (other.trim()) next(other.trim()) }}>
      <p class="muted">${wizard.otherHint}</p><${TextField} label=${wizard.otherLabel} value=${other} onInput=${setOther} mono /><div><${Button} type="submit" disabled=${!other.trim()}>${wizard.next}</${Button}></div></form></details>`
}

function Names ({ kind, path }: { kind: string, path: string | undefined }) {
  const suggestion = path ? path.replace(/\/+$/, '').split('/').at(-1)!.toLowerCase().replace(/[^a-z0-9-]+/g, '-') : ''
  const [id, setId] = useState(suggestion)
  const [index, setIndex] = useState<string | null>(null)
  const [name, setName] = useState('')
  const [language, setLanguage] = useState('')
  const [tried, setTried] = useState(false)
  const there = useAsked((signal) => connectors(signal).catch(() => []), [])
  const [making, run] = useAction()
  const indexName = index ?? id
  const exists = there.value?.find((one) => one.id === id)
  const taken = there.value?.some((one) => one.index_name === indexName && one.id !== id)
  const idFault = exists ? wizard.exists : tried && !id ? text.configuration.required : undefined
  const make = (): void => {
    setTried(true)
    if (!id || !indexName || exists || taken) return
    void run(async () => {
      // A PUT of a record that is there would replace it.
      const gone = await api('GET /_connector/{connector_id}', { path: { connector_id: id } }).then(() => false, (error) => asProblem(error).kind === 'missing' || Promise.reject(error))
      if (!gone) throw new Error(wizard.exists)
      await api('PUT /_connector/{connector_id}', { path: { connector_id: id }, body: { index_name: indexName, service_type: kind, ...(name ? { name } : {}), ...(language ? { language } : {}) } })
      toast(wizard.made(name || id))
      go('connectors', [], { new: kind, id, path })
    })
  }
  return html`<form class="form connector-names" onSubmit=${(event: Event) => { event.preventDefault(); make() }} novalidate>
    <div class="form-row"><${TextField} label=${wizard.name} hint=${wizard.nameHint} value=${id} onInput=${(value: string) => setId(value.trim())} required autofocus mono error=${idFault} />
      <${TextField} label=${wizard.index} hint=${wizard.indexHint} value=${indexName} onInput=${(value: string) => setIndex(value.trim())} required mono error=${taken ? wizard.taken : undefined} /></div>
    <div class="form-row"><${TextField} label=${wizard.label} hint=${wizard.labelHint} value=${name} onInput=${setName} />
      <${TextField} label=${wizard.language} hint=${wizard.languageHint} value=${language} onInput=${setLanguage} suggestions=${['english', 'german', 'french', 'spanish', 'italian', 'portuguese', 'dutch']} /></div>
    <${Failure} problem=${making.problem} />
    <div class="bar-start"><${Button} href=${href('connectors', [], { new: 'kind' })}>${wizard.back}</${Button}><${Button} kind="main" type="submit" busy=${making.busy}>${wizard.make}</${Button}></div></form>`
}

function Settings ({ id, kind, path }: { id: string, kind: string, path: string | undefined }) {
  const asked = useAsked((signal) => api('GET /_connector/{connector_id}', { path: { connector_id: id }, signal }), [id])
  const [values, setValues] = useState<Values | null>(null)
  const [tried, setTried] = useState(false)
  const [tested, setTested] = useState<Awaited<ReturnType<typeof testSource>> | null>(null)
  const [removing, setRemoving] = useState(false)
  const [saving, run] = useAction()
  const roots = useRoots()
  const settings = asked.value?.configuration ?? {}
  useEffect(() => { if (asked.value) setValues({ ...valuesOf(settings), ...(path && 'path' in settings ? { path } : {}) }) }, [asked.value])
  if (!asked.value || !values) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const wrong = missing(settings, values)
  const next = (): void => go('connectors', [], { new: kind, id, step: 'sync' })
  const save = (): void => {
    setTried(true)
    setTested(null)
    if (wrong.length > 0) return
    void run(async () => {
      const changed = changedValues(settings, values)
      if (Object.keys(changed).length > 0) await saveValues(id, changed)
      const result = await testSource(id)
      if (result.ok) next(); else setTested(result)
    })
  }
  const foreign = Object.keys(settings).length === 0
  return html`<p class="muted">${foreign ? text.configuration.none : wizard.settingsLead(kindOf(kind))}</p>
    <form class="stack connector-settings" onSubmit=${(event: Event) => { event.preventDefault(); save() }} novalidate>
      ${!foreign && html`<${SettingsForm} settings=${settings} values=${values} onValues=${setValues} wrong=${tried ? wrong : []} ...${notesFor(kind, roots)} />`}
      <${Failure} problem=${saving.problem} />${tested && html`<${TestResult} tested=${tested} />`}
      <div class="bar-start"><${Button} kind="quiet" icon="remove" onClick=${() => setRemoving(true)}>${wizard.discard}</${Button}>
        ${foreign ? html`<${Button} kind="main" href=${href('connectors', [id])}>${wizard.later}</${Button}>` : html`<${Button} kind="main" type="submit" busy=${saving.busy}>${wizard.save}</${Button}>`}</div></form>
    ${removing && html`<${Confirm} title=${text.remove.title(id)} verb=${text.remove.verb} onClose=${() => setRemoving(false)} dryRun=${() => removeConnector(id, { hard: true, dry_run: true })} action=${() => removeConnector(id, { hard: true })} onDone=${() => { toast(text.remove.done(id)); go('connectors') }}><p>${text.remove.text}</p></${Confirm}>`}`
}

const offered = ['', '0 0/15 * * * ?', '0 0 * * * ?', '0 0 3 * * ?'] as const

function FirstSync ({ id }: { id: string }) {
  const asked = useAsked((signal) => api('GET /_connector/{connector_id}', { path: { connector_id: id }, signal }), [id])
  const [interval, setInterval] = useState<string>('')
  const [starting, run] = useAction()
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const connector = asked.value
  const schedule = async (): Promise<void> => {
    if (interval) await api('PUT /_connector/{connector_id}/_scheduling', { path: { connector_id: id }, body: { scheduling: { incremental: { enabled: true, interval } } } })
  }
  const end = (sync: boolean): void => void run(async () => {
    await schedule()
    if (sync) await startSync(id, nameOf(connector), 'full')
  }).then((done) => { if (done) go('connectors', [id]) })
  return html`<${Notice} kind="good">${wizard.syncLead}</${Notice}>
    <div class="columns"><${Card} title=${wizard.lookFirst}><${CheckSource} id=${id} /></${Card}>
      <${Card} title=${wizard.steps[3]}>
        <${RadioField} label=${wizard.schedule} hint=${wizard.scheduleHint} value=${interval} onInput=${setInterval} choices=${offered.map((value) => ({ value, label: value ? cronWords(value) : wizard.never }))} />
        <${Failure} problem=${starting.problem} />
        <div class="bar-start"><${Button} href=${href('connectors', [], { new: connector.service_type, id })}>${wizard.back}</${Button}><${Button} busy=${starting.busy} onClick=${() => end(false)}>${wizard.later}</${Button}>
          <${Button} kind="main" icon="play" busy=${starting.busy} onClick=${() => end(true)}>${wizard.syncNow}</${Button}></div></${Card}></div>`
}

export function Wizard ({ query }: { query: Readonly<Record<string, string>> }) {
  const kind = query['new'] ?? 'kind'
  const { id, path } = query
  const at = kind === 'kind' ? 0 : !id ? 1 : query['step'] !== 'sync' ? 2 : 3
  const title = at === 0 ? wizard.title : `${wizard.title}: ${id ?? kindOf(kind)}`
  return html`<${PageHead} title=${title} trail=${[{ title: text.title, href: href('connectors') }]} actions=${html`<${Button} href=${id ? href('connectors', [id]) : href('connectors')}>${common.close}</${Button}>`} />
    <${Steps} at=${at} />
    ${at === 0 ? html`<${ChooseKind} />` : at === 1 ? html`<${Names} key=${kind} kind=${kind} path=${path} />` : at === 2 ? html`<${Settings} key=${id} id=${id!} kind=${kind} path=${path} />` : html`<${FirstSync} key=${id} id=${id!} />`}`
}
