// Asking in a component: what came, what failed, and asking again.
import { useEffect, useRef, useState } from '@/ui'
import { asProblem, type Problem } from './problem'
import { reachable } from './request'

export interface Asked<T> {
  /** The last answer; kept while the next is awaited. */
  value: T | undefined
  problem: Problem | undefined
  /** True while a question is under way. */
  busy: boolean
  reload: () => void
}

export interface Every {
  /** Milliseconds between questions while the tab is seen. */
  every?: number
  /** False: does not ask. */
  when?: boolean
}

interface State<T> { value: T | undefined, problem: Problem | undefined, busy: boolean }

/** Asks at once, whenever `inputs` change, and each `every` milliseconds. What is no longer wanted is stopped. */
export function useAsked<T> (ask: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[], options: Every = {}): Asked<T> {
  const [state, setState] = useState<State<T>>({ value: undefined, problem: undefined, busy: true })
  const [turn, setTurn] = useState(0)
  const asked = useRef(ask)
  asked.current = ask
  const before = useRef<readonly unknown[]>([])
  const there = reachable.value

  useEffect(() => {
    if (options.when === false) { setState((s) => ({ ...s, busy: false })); return }
    const stop = new AbortController()
    // What was asked about something else is not shown for this.
    const same = before.current.length === inputs.length && before.current.every((one, n) => one === inputs[n])
    before.current = inputs
    setState((s) => ({ value: same ? s.value : undefined, problem: same ? s.problem : undefined, busy: true }))
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = (): void => {
      if (!options.every || stop.signal.aborted) return
      timer = setTimeout(() => { document.hidden ? again() : void look() }, options.every)
    }
    const look = async (): Promise<void> => {
      try {
        const value = await asked.current(stop.signal)
        if (!stop.signal.aborted) setState({ value, problem: undefined, busy: false })
      } catch (error) {
        const problem = asProblem(error)
        if (!stop.signal.aborted && problem.kind !== 'stopped') setState((s) => ({ value: s.value, problem, busy: false }))
      }
      again()
    }
    void look()
    return () => { stop.abort(); clearTimeout(timer) }
  }, [...inputs, turn, there, options.every ?? 0, options.when ?? true])

  return { ...state, reload: () => setTurn((n) => n + 1) }
}

export interface Doing {
  busy: boolean
  problem: Problem | undefined
  clear: () => void
}

/** Runs an action of a person: one at a time, its problem kept for the page to show. True where it was done. */
export function useAction (): [Doing, (action: () => Promise<unknown>) => Promise<boolean>] {
  const [state, setState] = useState<{ busy: boolean, problem: Problem | undefined }>({ busy: false, problem: undefined })
  const running = useRef(false)
  const run = async (action: () => Promise<unknown>): Promise<boolean> => {
    if (running.current) return false
    running.current = true
    setState({ busy: true, problem: undefined })
    try {
      await action()
      setState({ busy: false, problem: undefined })
      return true
    } catch (error) {
      setState({ busy: false, problem: asProblem(error) })
      return false
    } finally { running.current = false }
  }
  return [{ ...state, clear: () => setState({ busy: false, problem: undefined }) }, run]
}
