// Small pieces of pages: their head, sections, cards, pairs of names and values, states, moments.
import { classes, html, useEffect, useRef, type ComponentChildren } from '@/ui'
import { text } from '@strings/common'
import { ago, asDate, moment } from '@/text/times'
import { CallButton } from './call'

/** The head of a page: its title, what it is, its actions, and its API calls. `trail`: the places above. */
export function PageHead ({ title, children, actions, trail }: { title: string, children?: ComponentChildren, actions?: ComponentChildren, trail?: readonly { title: string, href: string }[] }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => { document.title = `${title} · Cairn` }, [title])
  return html`<header class="page-head"><div class="page-title">
      ${trail && trail.length > 0 && html`<nav aria-label="Trail" class="trail">${trail.map((one) => html`<a key=${one.href} href=${one.href}>${one.title}</a><span aria-hidden="true">/</span>`)}</nav>`}
      <h1 ref=${heading} tabindex="-1">${title}</h1>${children && html`<div class="page-lead muted">${children}</div>`}</div>
    <div class="page-actions">${actions}<${CallButton} /></div></header>`
}

export function Section ({ title, children, actions, lead }: { title: string, children?: ComponentChildren, actions?: ComponentChildren, lead?: ComponentChildren }) {
  return html`<section class="section"><header class="section-head"><div><h2>${title}</h2>${lead && html`<p class="muted">${lead}</p>`}</div>${actions && html`<div class="bar-end">${actions}</div>`}</header>${children}</section>`
}

export function Card ({ title, children, actions, wide }: { title?: ComponentChildren, children?: ComponentChildren, actions?: ComponentChildren, wide?: boolean }) {
  return html`<section class=${classes('card', wide && 'card-wide')}>${title && html`<header class="card-head"><h2>${title}</h2>${actions}</header>`}${children}</section>`
}

/** One number that matters, with its name and a line below. */
export function Figure ({ name, value, children, href }: { name: string, value: ComponentChildren, children?: ComponentChildren, href?: string }) {
  return html`<div class="figure"><dt>${href ? html`<a href=${href}>${name}</a>` : name}</dt><dd class="figure-value numeric">${value}</dd>${children && html`<dd class="muted small">${children}</dd>`}</div>`
}

export function Facts ({ rows }: { rows: readonly (readonly [string, ComponentChildren] | null | false)[] }) {
  return html`<dl class="facts">${rows.map((row) => row && html`<div key=${row[0]}><dt>${row[0]}</dt><dd>${row[1] ?? '–'}</dd></div>`)}</dl>`
}

export type Tone = 'good' | 'warning' | 'bad' | 'busy' | 'off'

/** A state: a dot whose form tells as much as its colour, and the word. */
export function State ({ tone, children }: { tone: Tone, children: ComponentChildren }) {
  return html`<span class=${'state state-' + tone}><i aria-hidden="true"></i>${children}</span>`
}

export function Tag ({ children, title }: { children: ComponentChildren, title?: string }) {
  return html`<span class="tag" title=${title}>${children}</span>`
}

/** A moment: how long ago, with the exact time at hand. */
export function When ({ at, exact }: { at: number | string | null | undefined, exact?: boolean }) {
  const date = asDate(at)
  return date ? html`<time datetime=${date.toISOString()} title=${exact ? ago(at) : moment(at)}>${exact ? moment(at) : ago(at)}</time>` : html`<span class="muted">–</span>`
}

export function Loading () {
  return html`<div class="loading" role="status"><span class="hidden">${text.loading}</span><i></i><i></i><i></i></div>`
}
