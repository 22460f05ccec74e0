// The search box on top: pages, indices, connectors, buckets and keys by their names.
import { html, useEffect, useId, useRef, useState } from '@/ui'
import { Icon } from '@/components/icon'
import { text } from '@strings/shell'
import { findPlaces, loadNames, type Place } from './places'
import { onKey } from './shortcuts'

export function JumpBox () {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const [names, setNames] = useState<readonly Place[]>([])
  useEffect(() => onKey('/', () => input.current?.focus()), [])
  const found = open ? findPlaces(words, names) : []
  const begin = (): void => { setOpen(true); void loadNames().then(setNames) }
  const choose = (place: Place): void => { setWords(''); setOpen(false); input.current?.blur(); location.hash = place.href }
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') { setOpen(false); setWords(''); input.current?.blur() }
    const chosen = found[at]
    if (event.key === 'Enter' && chosen && !event.isComposing) { event.preventDefault(); choose(chosen) }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && found.length > 0) { event.preventDefault(); setAt((at + step + found.length) % found.length) }
  }
  const shown = open && (found.length > 0 || words.trim() !== '')
  return html`<div class="jump" role="search"><${Icon} name="search" />
    <input ref=${input} type="text" role="combobox" aria-label=${text.search.label} aria-expanded=${shown} aria-controls=${id} aria-autocomplete="list" aria-activedescendant=${shown && found[at] ? `${id}-${at}` : undefined}
      placeholder=${text.search.placeholder} value=${words} autocomplete="off" spellcheck=${false} onFocus=${begin} onBlur=${() => setTimeout(() => setOpen(false), 120)}
      onInput=${(event: Event) => { setWords((event.target as HTMLInputElement).value); setAt(0); setOpen(true) }} onKeyDown=${keys} />
    <kbd aria-hidden="true">${text.search.key}</kbd>
    <ul id=${id} role="listbox" aria-label=${text.search.label} hidden=${!shown}>
      ${found.map((place, n) => html`<li key=${place.href} id=${`${id}-${n}`} role="option" aria-selected=${n === at} onMouseDown=${(event: Event) => { event.preventDefault(); choose(place) }}>
        <${Icon} name=${place.icon} /><span class="jump-name">${place.name}</span><span class="muted">${text.search.kinds[place.kind]}</span></li>`)}
      ${shown && found.length === 0 && html`<li class="muted jump-none" role="option" aria-selected="false" aria-disabled="true">${text.search.none}</li>`}
    </ul></div>`
}
