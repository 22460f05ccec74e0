import { html, useState } from '@/ui'
import { api } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Card, When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { CheckField, SelectField, TextField } from '@/components/field'
import { toast } from '@/components/notice'
import { moment } from '@/text/times'
import { text } from '@strings/connectors'
import { cronFault, cronWords, nextAfter } from './cron'
import { jobTypes, type Connector, type JobType } from './data'

type Choice = keyof typeof text.schedule.choices
export interface Written { choice: Choice, minute: string, time: string, day: string, cron: string }

/** An expression as the editor shows it: one of the usual ones, or the expression itself. */
export function writtenOf (cron: string): Written {
  const out: Written = { choice: 'cron', minute: '0', time: '03:00', day: '2', cron }
  const [, minute = '0', hour = '0', day = '*', , weekday = '?'] = cron.trim().split(/\s+/)
  if (cronWords(cron) === cron) return out
  const step = /^(?:0|\*)\/(5|15|30)$/.exec(minute)
  if (hour === '*' && step) return { ...out, choice: ('m' + step[1]) as Choice }
  if (hour === '*' && /^\d+$/.test(minute)) return { ...out, choice: 'hour', minute }
  if (/^(?:0|\*)\/6$/.test(hour) && minute === '0') return { ...out, choice: 'h6' }
  if (!/^\d+$/.test(hour) || !/^\d+$/.test(minute)) return out
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (/^[1-7]$/.test(weekday)) return { ...out, choice: 'week', time, day: weekday }
  const named = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'].indexOf(weekday.toUpperCase())
  if (named >= 0) return { ...out, choice: 'week', time, day: String(named + 1) }
  return /^(\d+|L)$/i.test(day) ? day === '1' ? { ...out, choice: 'month', time } : out : { ...out, choice: 'day', time }
}

export function cronOf (written: Written): string {
  const [hour, minute] = written.time.split(':').map((part) => String(Number(part)))
  switch (written.choice) {
    case 'm5': case 'm15': case 'm30': return `0 0/${written.choice.slice(1)} * * * ?`
    case 'hour': return `0 ${Number(written.minute) || 0} * * * ?`
    case 'h6': return '0 0 0/6 * * ?'
    case 'day': return `0 ${minute} ${hour} * * ?`
    case 'week': return `0 ${minute} ${hour} ? * ${written.day}`
    case 'month': return `0 ${minute} ${hour} 1 * ?`
    default: return written.cron
  }
}

const choices = Object.entries(text.schedule.choices).map(([value, label]) => ({ value, label }))

/** Words or an expression, and the next times that it means. */
export function CronField ({ value, onInput }: { value: string, onInput: (cron: string) => void }) {
  const [written, setWritten] = useState(() => writtenOf(value))
  const set = (change: Partial<Written>): void => {
    const next = { ...written, ...change }
    if (change.choice === 'cron') next.cron = cronOf(written)
    setWritten(next)
    onInput(cronOf(next))
  }
  const { schedule } = text
  const timed = written.choice === 'day' || written.choice === 'week' || written.choice === 'month'
  const fault = cronFault(value)
  const next: number[] = []
  for (let at: number | null = Date.now(); next.length < 3 && (at = fault ? null : nextAfter(value, at)) !== null;) next.push(at)
  return html`<div class="form">
    <div class="form-row"><${SelectField} label=${schedule.every} value=${written.choice} choices=${choices} onInput=${(choice: Choice) => set({ choice })} />
      ${written.choice === 'hour' && html`<${TextField} label=${schedule.minutes} value=${written.minute} onInput=${(minute: string) => set({ minute: String(Math.min(59, Number(minute.replace(/\D/g, '')))) })} />`}
      ${written.choice === 'week' && html`<${SelectField} label=${schedule.day} value=${written.day} choices=${Object.entries(schedule.days).map(([one, label]) => ({ value: one, label }))} onInput=${(day: string) => set({ day })} />`}
      ${timed && html`<${TextField} label=${`${schedule.time} (UTC)`} type="time" value=${written.time} onInput=${(time: string) => { if (/^\d\d:\d\d/.test(time)) set({ time: time.slice(0, 5) }) }} />`}</div>
    ${written.choice === 'cron' && html`<${TextField} mono label=${schedule.cron} hint=${schedule.cronHint} value=${written.cron} error=${fault ?? undefined} onInput=${(cron: string) => set({ cron })} />`}
    <p class="small muted">${cronWords(value) !== value && html`${cronWords(value)} · `}<code>${value}</code>${!fault && html` · ${schedule.next}: ${next.length === 0 ? schedule.none : next.map((at, n) => html`${n > 0 && ', '}<time key=${at} datetime=${new Date(at).toISOString()}>${moment(at)}</time>`)}`}</p></div>`
}

type State = Record<JobType, { enabled: boolean, interval: string }>

export function ScheduleEditor ({ connector, onSaved }: { connector: Connector, onSaved: () => void }) {
  const types = jobTypes.filter((type) => type !== 'access_control' || connector.configuration?.['use_document_level_security']?.value === true || connector.scheduling?.access_control?.enabled)
  const [state, setState] = useState<State>(() => Object.fromEntries(jobTypes.map((type) => [type, connector.scheduling?.[type] ?? { enabled: false, interval: '0 0 3 * * ?' }])) as State)
  const [saving, run] = useAction()
  const wrong = types.some((type) => state[type].enabled && cronFault(state[type].interval))
  const save = (): void => void run(async () => {
    const scheduling = Object.fromEntries(types.map((type) => [type, state[type]]))
    await api('PUT /_connector/{connector_id}/_scheduling', { path: { connector_id: connector.id }, body: { scheduling } })
  }).then((done) => { if (done) { toast(text.schedule.saved); onSaved() } })
  const set = (type: JobType, change: Partial<State[JobType]>): void => setState({ ...state, [type]: { ...state[type], ...change } })
  const hints: Record<JobType, [string, string]> = { full: [text.schedule.full, text.schedule.fullHint], incremental: [text.schedule.incremental, text.schedule.incrementalHint], access_control: [text.schedule.access_control, text.schedule.access_controlHint] }
  return html`<p class="muted">${text.schedule.lead}</p><div class="columns">${types.map((type) => html`<${Card} key=${type} title=${hints[type][0]}><p class="muted small">${hints[type][1]}</p>
      <${CheckField} label=${text.schedule.enabled} value=${state[type].enabled} onInput=${(enabled: boolean) => set(type, { enabled })} />
      ${state[type].enabled && html`<${CronField} value=${state[type].interval} onInput=${(interval: string) => set(type, { interval })} />`}
      ${connector.scheduling?.[type]?.enabled && html`<p class="small">${text.one.next}: <${When} at=${nextAfter(connector.scheduling[type]!.interval, Date.now())} /></p>`}</${Card}>`)}</div>
    <${Failure} problem=${saving.problem} /><div><${Button} kind="main" busy=${saving.busy} disabled=${wrong} onClick=${save}>${text.schedule.save}</${Button}></div>`
}
