// The listing of a folder, a thousand at a time: the first at once, more when the end comes into sight, all when it is asked for.
import { useEffect, useRef, useState } from '@/ui'
import { asProblem, type Problem } from '@/api/problem'
import type { Key } from './keys'
import { list, type Entry } from './storage'

interface State { folders: readonly Entry[], files: readonly Entry[], rows: readonly Entry[], next: string | undefined, busy: boolean, problem: Problem | undefined, loadingAll: boolean }
const nothing: State = { folders: [], files: [], rows: [], next: undefined, busy: true, problem: undefined, loadingAll: false }
/** While all is loaded the table is drawn again after so many. */
const drawnEach = 5000

export interface Listing extends State { more: () => void, loadAll: () => void, stop: () => void, reload: () => void }

export function useListing (bucket: string, prefix: Key): Listing {
  const [state, setState] = useState<State>(nothing)
  const [turn, setTurn] = useState(0)
  const place = useRef('')
  const stops = useRef(new AbortController())
  const asking = useRef(false)
  const wantAll = useRef(false)

  const load = async (from: State, signal: AbortSignal): Promise<void> => {
    asking.current = true
    let { folders, files, next } = from
    try {
      let fresh = 0
      do {
        const page = await list(bucket, prefix, { after: next, signal, quiet: next !== undefined })
        if (signal.aborted) return
        folders = page.folders.length > 0 ? [...folders, ...page.folders] : folders
        files = page.files.length > 0 ? [...files, ...page.files] : files
        next = page.next
        fresh += page.folders.length + page.files.length
        const goesOn = wantAll.current && next !== undefined
        if (goesOn && fresh < drawnEach) continue
        fresh = 0
        setState({ folders, files, rows: folders.length > 0 ? [...folders, ...files] : files, next, busy: goesOn, problem: undefined, loadingAll: goesOn })
      } while (wantAll.current && next !== undefined)
    } catch (error) {
      const problem = asProblem(error)
      if (!signal.aborted && problem.kind !== 'stopped') setState({ folders, files, rows: [...folders, ...files], next, busy: false, problem, loadingAll: false })
    } finally { if (!signal.aborted) asking.current = false }
  }

  useEffect(() => {
    const stop = new AbortController()
    stops.current = stop
    wantAll.current = false
    const here = bucket + '/' + prefix
    setState((now) => place.current === here ? { ...now, busy: true } : nothing)
    place.current = here
    void load(nothing, stop.signal)
    return () => stop.abort()
  }, [bucket, prefix, turn])

  const more = (): void => { if (state.next !== undefined && !asking.current) void load(state, stops.current.signal) }
  return { ...state, more, loadAll: () => { wantAll.current = true; setState({ ...state, loadingAll: true }); more() }, stop: () => { wantAll.current = false }, reload: () => setTurn((n) => n + 1) }
}
