// Writes the YAML of a rule. The configuration file is the only place where rules are: nothing is saved here.
import { html, useState } from '@/ui'
import { Code } from '@/components/code'
import { Section } from '@/components/facts'
import { CheckField, SelectField, TextField } from '@/components/field'
import { text } from '@strings/limits'

const said = text.rules
const fields = said.fields

interface Rule { name: string, match: string, identity: string, index: string, header: string, per: string, weight: string, limit: string, window: string, shadow: boolean }
const first: Rule = { name: 'bulk', match: 'POST /{index}/_bulk', identity: '', index: '', header: '', per: 'identity', weight: 'requests', limit: '1000', window: 'hour', shadow: true }

/** Double-quoted YAML is JSON's strings. */
export function ruleYaml (rule: Rule): string {
  const quoted = (['match', 'identity', 'index', 'header'] as const).filter((name) => rule[name].trim() !== '').map((name) => `${name}: ${JSON.stringify(rule[name].trim())}`)
  const plain = [rule.per !== 'identity' && `per: ${rule.per}`, rule.weight !== 'requests' && `weight: ${rule.weight}`, `limit: ${/^\d+\w*$/.test(rule.limit) ? rule.limit : JSON.stringify(rule.limit)}`, `window: ${rule.window}`, rule.shadow && 'shadow: true'].filter(Boolean)
  return `rate_limit:\n  rules:\n    - { ${[`name: ${/^[a-z0-9_]+$/.test(rule.name) ? rule.name : JSON.stringify(rule.name)}`, ...quoted, ...plain].join(', ')} }`
}

export function RuleForm () {
  const [rule, setRule] = useState(first)
  const field = (name: Exclude<keyof Rule, 'shadow'>) => ({ value: rule[name], onInput: (value: string) => setRule({ ...rule, [name]: value }) })
  const choices = (of: Record<string, string>) => Object.entries(of).map(([value, label]) => ({ value, label }))
  return html`<${Section} title=${said.make} lead=${said.makeLead}><div class="columns"><div class="form">
      <div class="form-row"><${TextField} label=${fields.name} hint=${fields.nameHint} error=${/^[a-z0-9_]+$/.test(rule.name) ? undefined : fields.nameHint} ...${field('name')} mono /><${TextField} label=${fields.match} hint=${fields.matchHint} ...${field('match')} mono /></div>
      <div class="form-row"><${TextField} label=${fields.limit} ...${field('limit')} mono /><${SelectField} label=${fields.weight} ...${field('weight')} choices=${choices(said.weights)} /><${SelectField} label=${fields.window} ...${field('window')} choices=${choices(said.windows)} /></div>
      <div class="form-row"><${SelectField} label=${fields.per} ...${field('per')} choices=${choices(said.pers)} /><${TextField} label=${fields.identity} hint=${fields.identityHint} ...${field('identity')} mono /></div>
      <div class="form-row"><${TextField} label=${fields.index} hint=${fields.indexHint} ...${field('index')} mono /><${TextField} label=${fields.header} hint=${fields.headerHint} ...${field('header')} mono /></div>
      <${CheckField} label=${fields.shadow} value=${rule.shadow} onInput=${(shadow: boolean) => setRule({ ...rule, shadow })} /></div>
    <div class="stack"><h3>${said.yaml}</h3><${Code} value=${ruleYaml(rule)} label=${said.yaml} wrap /><p class="muted">${said.check}</p><${Code} value=${said.checkCommand} label=${said.checkCommand} /></div></div></${Section}>`
}
