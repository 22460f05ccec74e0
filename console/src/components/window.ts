// Which rows of a long list are in the page: those that are seen, and some around them.
import { useEffect, useRef, useState } from '@/ui'

const around = 12

export interface Window {
  first: number
  last: number
  /** Pixels of the rows before and after. */
  before: number
  after: number
}

/** Rows of one height in a scrolling element. Sets what is to be shown after each scroll and resize. */
export function useWindow (count: number, rowHeight: number, enabled: boolean) {
  const scroller = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  useEffect(() => {
    const element = scroller.current
    if (!element || !enabled) return
    let frame = 0
    const look = (): void => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => { setTop(Math.floor(element.scrollTop / rowHeight)); setHeight(element.clientHeight) })
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    return () => { cancelAnimationFrame(frame); element.removeEventListener('scroll', look); sizes.disconnect() }
  }, [enabled, rowHeight])
  const seen = Math.ceil(height / rowHeight)
  const first = enabled ? Math.max(0, Math.min(top, count - seen) - around) : 0
  const last = enabled ? Math.min(count, top + seen + around) : count
  const window: Window = { first, last, before: first * rowHeight, after: Math.max(0, count - last) * rowHeight }
  return { scroller, window }
}
