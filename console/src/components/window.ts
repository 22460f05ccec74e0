// Which rows of a long list are in the page: those that are seen, and some around them.
import { useEffect, useLayoutEffect, useRef, useState } from '@/ui'

const around = 12
/** After a leap nothing of what is drawn is of use later: as little as possible is drawn until the list rests. */
const aroundLeap = 2
const restsAfterMs = 120

export interface Window {
  first: number
  last: number
  /** Pixels of the rows before and after. */
  before: number
  after: number
}

/** A row that has the focus goes out of the page, or shows another record: the list itself takes the focus then. */
function keepFocus (scroller: HTMLElement, first: number, last: number): void {
  const row = document.activeElement?.closest('tr[aria-rowindex]')
  if (!row || !scroller.contains(row)) return
  const at = Number(row.getAttribute('aria-rowindex')) - 2
  if (at >= 0 && (at < first || at >= last)) scroller.focus({ preventScroll: true })
}

/** Rows of one height in a scrolling element. Sets what is to be shown after each scroll and resize. */
export function useWindow (count: number, rowHeight: number, enabled: boolean) {
  const scroller = useRef<HTMLDivElement>(null)
  const [{ top, height, more }, set] = useState({ top: 0, height: 600, more: around })
  const size = useRef({ count, top: 0 })
  size.current.count = count
  const placed = (at: number, high: number, beside: number) => {
    const seen = Math.ceil(high / rowHeight)
    return { first: Math.max(0, Math.min(at, size.current.count - seen) - beside), last: Math.min(size.current.count, at + seen + beside) }
  }
  useEffect(() => {
    const element = scroller.current
    if (!element || !enabled) return
    let frame = 0
    let rest = 0
    const show = (beside: number): void => {
      const next = { top: Math.floor(element.scrollTop / rowHeight), height: element.clientHeight, more: beside }
      const { first, last } = placed(next.top, next.height, beside)
      keepFocus(element, first, last)
      size.current.top = next.top
      set(next)
    }
    const look = (): void => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => {
        const leaps = Math.abs(Math.floor(element.scrollTop / rowHeight) - size.current.top) > around
        show(leaps ? aroundLeap : around)
        clearTimeout(rest)
        if (leaps) rest = setTimeout(() => show(around), restsAfterMs)
      })
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => { cancelAnimationFrame(frame); clearTimeout(rest); element.removeEventListener('scroll', look); sizes.disconnect() }
  }, [enabled, rowHeight])
  const { first, last } = enabled ? placed(top, height, more) : { first: 0, last: count }
  const window: Window = { first, last, before: first * rowHeight, after: Math.max(0, count - last) * rowHeight }
  return { scroller, window }
}

/** Says in `data-overflows` whether a list is wider than its place: cells that stick cost a layer each, so they stick where that is of use. */
export function useOverflow (scroller: { readonly current: HTMLElement | null }, enabled: boolean): void {
  const look = (): void => { const element = scroller.current; element?.toggleAttribute('data-overflows', element.scrollWidth > element.clientWidth) }
  useLayoutEffect(() => { if (enabled) look() })
  useEffect(() => {
    const element = scroller.current
    if (!element || !enabled) return
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => sizes.disconnect()
  }, [enabled])
}
