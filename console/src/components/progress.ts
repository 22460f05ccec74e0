// How far something is: with rate and time left where they are known, and never a made-up share.
import { html, useEffect, useRef, useState } from '@/ui'
import { text } from '@strings/common'
import { count, percent } from '@/text/numbers'
import { duration } from '@/text/times'

export interface ProgressProps {
  /** What goes on, for screen readers and beside the bar. */
  label: string
  done: number
  /** Undefined or 0 while it is not known: the bar moves and shows counts alone. */
  total?: number
  /** Turns a number into text: bytes, count. */
  unit?: (value: number) => string
  /** When it began; without it the rate is of the time since this was shown. */
  started_ms?: number
  state?: 'running' | 'paused' | 'failed' | 'done'
  /** The label is not shown beside the bar. */
  bare?: boolean
}

interface Look { at: number, done: number }
const sayEachMs = 10_000

/** What is done per second, over the last half minute. */
function useRate (done: number, started: number | undefined): number | null {
  const looks = useRef<Look[]>([])
  const now = Date.now()
  const last = looks.current.at(-1)
  if (!last || last.done !== done) looks.current = [...looks.current.filter((one) => now - one.at < 30_000), { at: now, done }]
  const first = looks.current[0]!
  if (looks.current.length > 1 && now > first.at && done > first.done) return (done - first.done) * 1000 / (now - first.at)
  return started && now - started > 1000 && done > 0 ? done * 1000 / (now - started) : null
}

export function Progress ({ label, done, total, unit = count, started_ms, state = 'running', bare }: ProgressProps) {
  const perSecond = useRate(done, started_ms)
  const known = total !== undefined && total > 0
  const share = known ? Math.min(1, done / total) : undefined
  const counts = known ? text.progress.of(unit(done), unit(total)) : unit(done)
  const moving = state === 'running' && perSecond !== null
  const left = moving && known && done < total ? text.progress.left(duration(Math.max(1000, (total - done) / perSecond * 1000))) : ''
  const parts = [share === undefined ? '' : percent(Math.floor(share * 1000) / 1000), counts, moving ? text.progress.perSecond(unit(Math.round(perSecond))) : '', left].filter(Boolean)
  const said = parts.filter((_, n) => n !== 2 || !moving).join(', ')

  // Screen readers hear of it at most every ten seconds, and at the end.
  const [spoken, setSpoken] = useState('')
  const spokenAt = useRef(0)
  useEffect(() => {
    const ended = state === 'done' || state === 'failed' || share === 1
    if (!ended && Date.now() - spokenAt.current < sayEachMs) return
    spokenAt.current = Date.now()
    setSpoken(`${label}: ${said}`)
  }, [said, state])

  return html`<div class=${'progress progress-' + state}>
    <div class="progress-line">${!bare && html`<span class="progress-label">${label}</span>`}<span class="muted numeric">${parts.join(' · ')}</span></div>
    <div class=${share === undefined && state === 'running' ? 'progress-track is-unknown' : 'progress-track'} role="progressbar" aria-label=${label}
      aria-valuemin=${0} aria-valuemax=${known ? total : undefined} aria-valuenow=${known ? Math.min(done, total) : undefined} aria-valuetext=${said}>
      <div class="progress-bar" style=${{ width: share === undefined ? undefined : share * 100 + '%' }}></div></div>
    <span class="hidden" aria-live="polite">${spoken}</span></div>`
}

/** How full something is: memory, a disk, a limit. `marks`: shares at which something happens. */
export function Meter ({ label, used, total, unit = count, marks = [], bare }:
{ label: string, used: number, total: number, unit?: (value: number) => string, marks?: readonly { at: number, title: string }[], bare?: boolean }) {
  const share = total > 0 ? Math.min(1, used / total) : 0
  const passed = marks.filter(({ at }) => used >= at).length
  const said = `${text.progress.of(unit(used), unit(total))} (${percent(share)})`
  return html`<div class=${'meter meter-' + Math.min(2, passed)}>
    <div class="progress-line">${!bare && html`<span class="progress-label">${label}</span>`}<span class="muted numeric">${said}</span></div>
    <div class="progress-track" role="meter" aria-label=${label} aria-valuemin=${0} aria-valuemax=${total} aria-valuenow=${Math.min(used, total)} aria-valuetext=${said}>
      <div class="progress-bar" style=${{ width: share * 100 + '%' }}></div>
      ${marks.map(({ at, title }) => total > 0 && html`<i class="meter-mark" key=${title} title=${title} style=${{ left: Math.min(100, at / total * 100) + '%' }}></i>`)}</div></div>`
}
