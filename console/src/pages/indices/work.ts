// Tasks that copy, write again, delete or merge: their progress, and their results once they end.
import { html, signal, useEffect } from '@/ui'
import type { Task } from '@/api/generated'
import { api } from '@/api/request'
import { useAction, useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Section } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Notice, toast } from '@/components/notice'
import { Progress } from '@/components/progress'
import { duration } from '@/text/times'
import { text } from '@strings/indices'

interface Followed { id: string, title: string, then?: () => void }
/** Tasks that were started here; they stay until their result was seen. */
const followed = signal<readonly Followed[]>([])

/** Shows a task that was just started until somebody closes its result. */
export function follow (id: string, title: string, then?: () => void): void { followed.value = [...followed.peek(), { id, title, then }] }

const forget = (id: string): void => { followed.value = followed.peek().filter((one) => one.id !== id) }
const actions = Object.keys(text.work.actions)
const idOf = (task: Task): string => `${task.node}:${task.id}`
const titleOf = (task: Task): string => task.description || (text.work.actions as Record<string, string>)[task.action] || task.action

function doneOf (task: Task): number {
  const status = (task.status ?? {}) as Record<string, number>
  return (status['created'] ?? 0) + (status['updated'] ?? 0) + (status['deleted'] ?? 0) + (status['noops'] ?? 0) + (status['version_conflicts'] ?? 0)
}

function Running ({ task, title }: { task: Task, title: string }) {
  const [doing, run] = useAction()
  const cancel = (): void => { void run(() => api('POST /_tasks/{task_id}/_cancel', { path: { task_id: idOf(task) } })).then((done) => { if (done) toast(text.work.cancelled, 'info') }) }
  return html`<div class="stack-small"><div class="work-row"><${Progress} label=${title} done=${doneOf(task)} total=${(task.status as any)?.total || undefined} started_ms=${task.start_time_in_millis} />
    ${task.cancellable && html`<${Button} small icon="stop" busy=${doing.busy} onClick=${cancel}>${text.work.cancel}</${Button}>`}</div><${Failure} problem=${doing.problem} /></div>`
}

function Ended ({ one, answer }: { one: Followed, answer: { task: Task, response?: any, error?: any } }) {
  const { task, response, error } = answer
  const failures = (response?.failures ?? []) as { id?: string, cause?: { reason?: string } }[]
  const kind = error || failures.length > 0 ? 'error' : task.cancelled ? 'warning' : 'good'
  const title = error || failures.length > 0 ? text.work.failed(one.title) : task.cancelled ? text.work.endedCancelled(one.title) : text.work.ended(one.title)
  return html`<${Notice} kind=${kind} title=${title} onClose=${() => forget(one.id)}>
    ${error && html`<p>${error.reason}</p>`}${response?.total !== undefined && html`<p>${text.work.result(response, duration(response.took))}</p>`}
    ${failures.length > 0 && html`<p>${text.work.failures(failures.length)}</p><ul>${failures.slice(0, 5).map((failure) => html`<li key=${failure.id}><code>${failure.id}</code> ${failure.cause?.reason}</li>`)}</ul>`}</${Notice}>`
}

function FollowedTask ({ one }: { one: Followed }) {
  const asked = useAsked((stop) => api('GET /_tasks/{task_id}', { path: { task_id: one.id }, signal: stop, quiet: true }), [one.id], { every: 1000 })
  const answer = asked.value
  useEffect(() => { if (answer?.completed) one.then?.() }, [answer?.completed])
  if (!answer) return asked.problem ? html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />` : null
  return answer.completed ? html`<${Stopped} one=${one} answer=${answer} />` : html`<${Running} task=${answer.task} title=${one.title} />`
}

/** Once a task has ended nothing is asked any more. */
const ended = new Map<string, any>()
function Stopped ({ one, answer }: { one: Followed, answer: any }) {
  useEffect(() => { ended.set(one.id, answer); followed.value = [...followed.peek()] }, [])
  return html`<${Ended} one=${one} answer=${answer} />`
}

/** Work in the background, of this person and of others; nothing where none runs. */
export function Work () {
  const asked = useAsked((stop) => api('GET /_tasks', { signal: stop, quiet: true, query: { detailed: true, group_by: 'none', actions: actions.join(',') } }), [], { every: 10_000 })
  const mine = followed.value
  const known = new Set(mine.map(({ id }) => id))
  const all = Array.isArray(asked.value?.tasks) ? asked.value.tasks : []
  const others = all.filter((task) => !task.parent_task_id && !known.has(idOf(task)))
  if (mine.length === 0 && others.length === 0) return null
  return html`<${Section} title=${text.work.title}><div class="stack">
    ${mine.map((one) => ended.has(one.id) ? html`<${Ended} key=${one.id} one=${one} answer=${ended.get(one.id)} />` : html`<${FollowedTask} key=${one.id} one=${one} />`)}
    ${others.map((task) => html`<${Running} key=${idOf(task)} task=${task} title=${titleOf(task)} />`)}</div></${Section}>`
}
