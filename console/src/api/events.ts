// Live data. One tab holds the stream of the server and passes it on to the others; where the stream is refused,
// each tab that is seen asks the plain routes every five seconds, and passes on what it hears too.
import { effect, signal, useEffect, type Signal } from '@/ui'
import { poll } from './poll'
import { root } from './root'
import { session } from './session'
import { jobList, topicNames, type Topic, type Topics } from './topics'

const linesKept = 500
const pollMs = 5000
// What costs of the key's limit is asked more rarely.
const everyMs: Record<Topic, number> = { overview: pollMs, jobs: 3 * pollMs, limits: pollMs, log: pollMs }

type Live = { [T in Topic]: Signal<Topics[T] | undefined> }
const live: Live = { overview: signal(), jobs: signal(), limits: signal(), log: signal() }
/** Topics that the key may not see. */
export const refusedTopics = signal<ReadonlySet<string>>(new Set())
/** How live data come: by the stream, by asking, or not yet. */
export const source = signal<'none' | 'stream' | 'polling'>('none')

interface Message { topic: Topic, data: unknown }
const between = new BroadcastChannel('cairn-live')
const wanted = new Map<Topic, number>()
const heardAt = new Map<Topic, number>()
let stop: AbortController | undefined

function take<T extends Topic> (topic: T, data: Topics[T]): void {
  heardAt.set(topic, Date.now())
  if (topic === 'log') {
    const lines = [...(live.log.peek()?.lines ?? []), ...(data as Topics['log']).lines].slice(-linesKept)
    live.log.value = { lines }
  } else (live[topic] as Signal<unknown>).value = data
}

function tell (topic: Topic, data: unknown): void {
  take(topic, data as never)
  between.postMessage({ topic, data } satisfies Message)
}

between.onmessage = ({ data }: MessageEvent<Message | 'hello'>) => {
  if (data !== 'hello') { take(data.topic, data.data as never); if (source.peek() === 'none') source.value = 'stream'; return }
  if (!holdsStream) return
  // A tab that was opened later begins with what is known.
  for (const topic of topicNames) {
    const known = live[topic].peek()
    if (known !== undefined && topic !== 'log') between.postMessage({ topic, data: known } satisfies Message)
  }
}

let holdsStream = false

/** Holds the stream until it is refused or `signal` ends it. A break of the connection is mended by the browser. */
function stream (signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const events = new EventSource(root + '/_cairn/events?topics=' + topicNames.join(','))
    const end = (): void => { events.close(); holdsStream = false; resolve() }
    events.onopen = () => { holdsStream = true; source.value = 'stream'; refusedTopics.value = new Set() }
    events.onerror = () => { if (events.readyState === EventSource.CLOSED) end() }
    for (const topic of topicNames) {
      events.addEventListener(topic, (event) => {
        const data = JSON.parse(event.data)
        tell(topic, topic === 'jobs' ? { jobs: jobList(data) } : data)
      })
    }
    events.addEventListener('refused', (event) => {
      const { topics } = JSON.parse(event.data) as { topics: { topic: string }[] }
      refusedTopics.value = new Set([...refusedTopics.peek(), ...topics.map(({ topic }) => topic)])
    })
    signal.addEventListener('abort', end, { once: true })
  })
}

async function ask (signal: AbortSignal): Promise<void> {
  for (const topic of topicNames) {
    // What another tab told a moment ago is fresh enough.
    const fresh = Date.now() - (heardAt.get(topic) ?? 0) < everyMs[topic] - 500
    if (document.hidden || fresh || !wanted.get(topic) || refusedTopics.peek().has(topic)) continue
    const data = await poll(topic, signal)
    if (data === 'refused') refusedTopics.value = new Set([...refusedTopics.peek(), topic])
    else if (data !== null) tell(topic, data)
  }
}

async function follow (signal: AbortSignal): Promise<void> {
  between.postMessage('hello')
  void navigator.locks.request('cairn-live', { signal }, () => stream(signal)).catch(() => undefined).then(() => {
    if (!signal.aborted) source.value = 'polling'
  })
  while (!signal.aborted) {
    const silent = Date.now() - Math.max(0, ...heardAt.values()) > 3 * pollMs
    if (source.peek() === 'polling' || (source.peek() === 'stream' && silent && !holdsStream)) await ask(signal)
    await new Promise((resolve) => setTimeout(resolve, source.peek() === 'polling' ? pollMs : 1000))
  }
}

effect(() => {
  const here = session.value
  stop?.abort()
  stop = undefined
  for (const topic of topicNames) live[topic].value = undefined
  refusedTopics.value = new Set()
  source.value = 'none'
  if (!here) return
  stop = new AbortController()
  void follow(stop.signal)
})

/** Live data of a topic while a component is shown; undefined until some came, and where the key may not see them. */
export function useLive<T extends Topic> (topic: T): Topics[T] | undefined {
  useEffect(() => {
    wanted.set(topic, (wanted.get(topic) ?? 0) + 1)
    if (source.peek() === 'polling' && stop) void ask(stop.signal)
    return () => { wanted.set(topic, (wanted.get(topic) ?? 1) - 1) }
  }, [topic])
  return live[topic].value
}
