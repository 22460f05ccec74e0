import { html, useEffect, useState } from '@/ui'
import type { SyncRule } from '@/api/generated'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { State } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField, TextField } from '@/components/field'
import { Notice, toast } from '@/components/notice'
import { text } from '@strings/connectors'
import type { Connector } from './data'

type Operator = SyncRule['rule']
const operators = Object.entries(text.rules.operators).map(([value, label]) => ({ value, label }))
const policies = [{ value: 'exclude', label: text.rules.exclude }, { value: 'include', label: text.rules.include }]
const shape = (rules: readonly SyncRule[]): string => JSON.stringify(rules.map(({ id, field, rule, value, policy }) => [id, field, rule, value, policy]))

/** In their order, the rule for all that is left at the end. */
function ordered (rules: readonly SyncRule[] | undefined): SyncRule[] {
  return [...rules ?? []].sort((a, b) => a.order - b.order)
}

export function Rules ({ connector, onSaved }: { connector: Connector, onSaved: () => void }) {
  const filtering = connector.filtering?.[0]
  const draft = filtering?.draft
  const active = filtering?.active
  const [rules, setRules] = useState<SyncRule[]>(() => ordered(draft?.rules))
  const [saving, run] = useAction()
  useEffect(() => setRules(ordered(draft?.rules)), [JSON.stringify(draft?.rules)])
  const at = { path: { connector_id: connector.id } }
  const edited = shape(rules) !== shape(ordered(draft?.rules))
  const differs = shape(ordered(draft?.rules)) !== shape(ordered(active?.rules))
  const state = draft?.validation?.state ?? 'edited'
  const change = (n: number, to: Partial<SyncRule>): void => setRules(rules.map((one, at) => at === n ? { ...one, ...to } : one))
  const move = (n: number, by: number): void => { const next = [...rules]; const [one] = next.splice(n, 1); next.splice(n + by, 0, one!); setRules(next) }
  const add = (): void => {
    const rule: SyncRule = { id: 'rule-' + Date.now().toString(36), field: 'path', rule: 'starts_with', value: '', policy: 'exclude', order: 0 }
    const end = rules.findIndex(({ id }) => id === 'DEFAULT')
    setRules(end < 0 ? [...rules, rule] : [...rules.slice(0, end), rule, ...rules.slice(end)])
  }
  const then = (said: string) => (done: boolean): void => { if (done) { toast(said); onSaved() } }
  const put = (list: readonly SyncRule[]) => api('PUT /_connector/{connector_id}/_filtering', { ...at, body: { rules: list.map((one, order) => ({ ...one, order })) } })
  const wrong = rules.some((one) => one.id !== 'DEFAULT' && (one.field.trim() === '' || String(one.value ?? '') === ''))

  const row = (rule: SyncRule, n: number) => rule.id === 'DEFAULT'
    ? html`<li key=${rule.id} class="rule-row rule-rest"><span>${text.rules.otherwise}</span><${SelectField} bare label=${text.rules.policy} value=${rule.policy} choices=${policies} onInput=${(policy: SyncRule['policy']) => change(n, { policy })} /></li>`
    : html`<li key=${rule.id} class="rule-row">
        <${TextField} bare mono label=${`${text.rules.field} ${n + 1}`} value=${rule.field} placeholder="path" onInput=${(field: string) => change(n, { field })} />
        <${SelectField} bare label=${`${text.rules.rule} ${n + 1}`} value=${rule.rule} choices=${operators} onInput=${(operator: Operator) => change(n, { rule: operator, ...(operator === 'regex' ? { value: '.*' } : {}) })} />
        <${TextField} bare mono label=${`${text.rules.value} ${n + 1}`} value=${String(rule.value ?? '')} placeholder="drafts/" onInput=${(value: string) => change(n, { value })} />
        <${SelectField} bare label=${`${text.rules.policy} ${n + 1}`} value=${rule.policy} choices=${policies} onInput=${(policy: SyncRule['policy']) => change(n, { policy })} />
        <span class="rule-moves"><${Button} kind="quiet" small icon="up" label=${`${text.rules.up}: ${n + 1}`} disabled=${n === 0} onClick=${() => move(n, -1)} />
          <${Button} kind="quiet" small icon="down" label=${`${text.rules.down}: ${n + 1}`} disabled=${n >= rules.length - 1 || rules[n + 1]!.id === 'DEFAULT'} onClick=${() => move(n, 1)} />
          <${Button} kind="quiet" small icon="remove" label=${`${text.rules.remove}: ${n + 1}`} onClick=${() => setRules(rules.filter((_, at) => at !== n))} /></span></li>`
  return html`<p class="muted">${text.rules.lead}</p>
    <div class="bar-start"><span>${text.rules.state}:</span><${State} tone=${state === 'valid' ? 'good' : state === 'invalid' ? 'bad' : 'warning'}>${text.rules[state as 'valid' | 'invalid' | 'edited'] ?? state}</${State}><span class="muted">${differs ? text.rules.differs : text.rules.same}</span></div>
    ${(draft?.validation?.errors ?? []).map((error: any, n: number) => html`<${Notice} kind="error" key=${n} title=${(error.ids ?? []).join(', ')}>${(error.messages ?? [JSON.stringify(error)]).join(' ')}</${Notice}>`)}
    <ul class="list" aria-label=${text.rules.caption}>${rules.map(row)}${rules.length === 0 && html`<li class="muted">${text.rules.none}</li>`}</ul>
    <${Failure} problem=${saving.problem} />
    <div class="bar-start"><${Button} icon="add" onClick=${add}>${text.rules.add}</${Button}>
      <${Button} kind=${edited ? 'main' : 'plain'} busy=${saving.busy} disabled=${!edited || wrong} onClick=${() => void run(() => put(rules)).then(then(text.rules.saved))}>${text.rules.save}</${Button}>
      <${Button} kind=${!edited && differs ? 'main' : 'plain'} busy=${saving.busy} disabled=${edited || !differs || state !== 'valid'} onClick=${() => void run(() => api('PUT /_connector/{connector_id}/_filtering/_activate', at)).then(then(text.rules.activated))}>${text.rules.activate}</${Button}>
      ${(edited || differs) && html`<${Button} kind="quiet" onClick=${() => edited ? setRules(ordered(draft?.rules)) : void run(() => put(ordered(active?.rules))).then(then(text.rules.saved))}>${text.rules.discard}</${Button}>`}</div>`
}
