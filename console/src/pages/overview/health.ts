import { html } from '@/ui'
import { api } from '@/api/request'
import { useAsked } from '@/api/use'
import { Card, Loading, State, type Tone } from '@/components/facts'
import { Failure } from '@/components/failure'
import { text } from '@strings/overview'

const tones: Record<string, Tone> = { green: 'good', yellow: 'warning', red: 'bad' }
interface Indicator { status: string, symptom: string, diagnosis?: { cause: string, action: string }[] }

/** The health report: a line for each thing that is watched, and what to do where one is not well. */
export function HealthCard () {
  const asked = useAsked((signal) => api('GET /_health_report', { signal }), [], { every: 30_000 })
  const indicators = Object.entries(((asked.value as any)?.indicators ?? {}) as Record<string, Indicator>)
  const word = (status: string): string => (text.health as Record<string, string>)[status] ?? text.health.unknown
  return html`<${Card} title=${text.health.title}><${Failure} problem=${asked.problem} onRetry=${asked.reload} />
    ${!asked.value && asked.busy && html`<${Loading} />`}
    ${indicators.length > 0 && html`<ul class="stack-small">${indicators.map(([name, one]) => html`<li key=${name} class="health-row"><div><${State} tone=${tones[one.status] ?? 'off'}>${name.replaceAll('_', ' ')}: ${word(one.status)}</${State}></div><p class="muted small">${one.symptom}</p>
      ${one.diagnosis?.map((found) => html`<p class="small" key=${found.cause}>${found.action}</p>`)}</li>`)}</ul>`}</${Card}>`
}
