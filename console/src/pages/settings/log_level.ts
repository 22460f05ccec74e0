import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, SelectField } from '@/components/field'
import { toast } from '@/components/notice'
import { text as common } from '@strings/common'
import { text } from '@strings/settings'
import { setSetting } from './cluster'

const name = 'log.level'

export function LogLevel () {
  const asked = useAsked((signal) => api('GET /_cluster/settings', { signal, query: { flat_settings: true } as never }), [])
  const [chosen, setChosen] = useState<string | null>(null)
  const [keep, setKeep] = useState(false)
  const [doing, run] = useAction()
  if (!asked.value) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : html`<${Loading} />`
  const now = String(asked.value.transient[name] ?? asked.value.persistent[name] ?? '')
  const level = chosen ?? now
  const save = async (): Promise<void> => {
    // What is held the other way would go before, or come back.
    await api('PUT /_cluster/settings', { body: { transient: { [name]: null }, persistent: { [name]: null } } })
    if (level !== '') await setSetting(name, level, keep ? 'persistent' : 'transient')
    toast(text.log.done((text.log.levels as Record<string, string>)[level] ?? level))
    asked.reload()
  }
  const submit = (event: Event): void => { event.preventDefault(); void run(save) }
  return html`<p class="muted">${text.log.lead}</p><form class="form narrow" onSubmit=${submit}><${Failure} problem=${doing.problem} />
    <${SelectField} label=${text.log.label} value=${level} onInput=${setChosen} choices=${Object.entries(text.log.levels).map(([value, label]) => ({ value, label }))} />
    <${CheckField} label=${text.log.keep} value=${keep} onInput=${setKeep} />
    <div><${Button} kind="main" type="submit" busy=${doing.busy}>${common.save}</${Button}></div></form>`
}
