// Shortcuts of a single key, which can be turned off: they disturb those who speak to their computer.
import { signal } from '@/ui'

const name = 'cairn-shortcuts'
const stored = (): boolean => { try { return localStorage.getItem(name) !== 'off' } catch { return true } }
export const shortcuts = signal(stored())

export function setShortcuts (on: boolean): void {
  try { if (on) localStorage.removeItem(name); else localStorage.setItem(name, 'off') } catch { /* Kept until the tab is closed. */ }
  shortcuts.value = on
}

/** Whether a key press belongs to a text that is being typed. */
function typing (event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement
  return event.ctrlKey || event.metaKey || event.altKey || target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || document.querySelector('dialog[open]') !== null
}

/** Calls `then` when `key` is pressed outside of texts. Gives what ends that. */
export function onKey (key: string, then: () => void): () => void {
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== key || !shortcuts.peek() || typing(event)) return
    event.preventDefault()
    then()
  }
  document.addEventListener('keydown', pressed)
  return () => document.removeEventListener('keydown', pressed)
}
