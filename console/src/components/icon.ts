// Line icons of 16 pixels. They are never the only sign of a thing: a text or a label stands with each.
import { html } from '@/ui'

const paths = {
  overview: 'M2.5 9.5v4h3v-4zM6.5 5.5v8h3v-8zM10.5 2.5v11h3v-11z',
  indices: 'M2.5 4c0-1 2.5-1.8 5.5-1.8s5.5.8 5.5 1.8-2.5 1.8-5.5 1.8-5.5-.8-5.5-1.8zM2.5 4v4c0 1 2.5 1.8 5.5 1.8s5.5-.8 5.5-1.8V4M2.5 8v4c0 1 2.5 1.8 5.5 1.8s5.5-.8 5.5-1.8V8',
  search: 'M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3l3.2 3.2',
  chat: 'M2.5 3.5h11v7.5h-6l-3 2.5V11h-2z',
  connectors: 'M5.5 2.5v3M10.5 2.5v3M3.5 5.5h9v2a4.5 4.5 0 0 1-9 0zM8 12v2',
  inference: 'M8 2.2l1.5 4.3 4.3 1.5-4.3 1.5L8 13.8l-1.5-4.3L2.2 8l4.3-1.5z',
  models: 'M8 2.2l5.5 3v5.6l-5.5 3-5.5-3V5.2zM2.7 5.3L8 8.2l5.3-2.9M8 8.2v5.5',
  objects: 'M2.5 3h11v3.5h-11zM3.3 6.5l.9 7h7.6l.9-7M6.5 9h3',
  snapshots: 'M2.5 5h2.7l1-1.7h3.6l1 1.7h2.7v8h-11zM8 6.7a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4z',
  limits: 'M2.7 11.5a5.8 5.8 0 1 1 10.6 0M8 10l2.8-3.6M8 9.3a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6z',
  keys: 'M5.3 7.5a2.9 2.9 0 1 1 0 5.8 2.9 2.9 0 0 1 0-5.8zM7.3 8.4l5.7-5.7M11 4.7l1.7 1.7M9.3 6.4l1.2 1.2',
  audit: 'M4 2.5h8v11H4zM6 5.5h4M6 8h4M6 10.5h2.5',
  settings: 'M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 8h1.5M7 8h6.5M5.5 6.5v3M2.5 11.5h6M11.5 11.5h2M10 10v3',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  down: 'M4 6.5l4 4 4-4',
  right: 'M6.5 4l4 4-4 4',
  left: 'M9.5 4l-4 4 4 4',
  up: 'M4 9.5l4-4 4 4',
  sort: 'M5 6.5L8 3.5l3 3M5 9.5l3 3 3-3',
  add: 'M8 3v10M3 8h10',
  check: 'M3 8.5l3.3 3.3L13 5',
  warning: 'M8 2.5l6 10.8H2zM8 6.5v3.3M8 11.6h.01',
  info: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM8 7.3v3.6M8 5.1h.01',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  download: 'M8 2.5v7.5M5 7.2l3 3 3-3M2.5 13h11',
  upload: 'M8 10V2.5M5 5.3l3-3 3 3M2.5 13h11',
  refresh: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.5v2.7h-2.7',
  play: 'M4.5 3l8 5-8 5z',
  pause: 'M5 3v10M11 3v10',
  stop: 'M4 4h8v8H4z',
  remove: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.6 9h5.8l.6-9',
  edit: 'M3 13l.7-3L10.7 3l2.3 2.3-7 7zM9.5 4.2l2.3 2.3',
  eye: 'M1.5 8S4 3.7 8 3.7 14.5 8 14.5 8 12 12.3 8 12.3 1.5 8 1.5 8zM8 6.2a1.8 1.8 0 1 1 0 3.6 1.8 1.8 0 0 1 0-3.6z',
  link: 'M6.5 9.5l3-3M7 4.7l1.3-1.3a3 3 0 0 1 4.3 4.3L11.3 9M9 11.3l-1.3 1.3a3 3 0 0 1-4.3-4.3L4.7 7',
  out: 'M6.5 2.5h-4v11h4M6 8h7.5M10.5 5l3 3-3 3',
  code: 'M5.5 4.5L2 8l3.5 3.5M10.5 4.5L14 8l-3.5 3.5M9 3L7 13',
  folder: 'M2 4h4l1.5 1.7H14V13H2z',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  sun: 'M8 5.3a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z',
  screen: 'M2 3h12v8H2zM6 13.5h4',
  clock: 'M8 2.2a5.8 5.8 0 1 1 0 11.6A5.8 5.8 0 0 1 8 2.2zM8 4.8V8l2.3 1.5',
  table: 'M2.5 3h11v10h-11zM2.5 6.3h11M2.5 9.6h11M6.5 3v10',
  lock: 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5'
} as const

export type IconName = keyof typeof paths

export function Icon ({ name }: { name: IconName }) {
  return html`<svg class=${name === 'more' ? 'icon icon-dots' : 'icon'} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d=${paths[name]} /></svg>`
}

/** Three stones, one on another. */
export function Mark () {
  return html`<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
    <ellipse cx="12" cy="18.5" rx="9.5" ry="3.6" /><ellipse cx="12.6" cy="11.8" rx="6.6" ry="2.9" /><ellipse cx="11.6" cy="6" rx="4" ry="2.3" /></svg>`
}
