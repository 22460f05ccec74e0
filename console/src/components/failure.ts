// A problem and what to do about it.
import { html, type ComponentChildren } from '@/ui'
import type { Problem } from '@/api/problem'
import { text } from '@strings/problems'
import { Button } from './button'
import { Notice } from './notice'

/** What the person can do, by the kind of the problem. */
export function whatToDo (problem: Problem): string { return text.todo[problem.kind] }

export function Failure ({ problem, onRetry, title, children }:
{ problem: Problem | undefined, onRetry?: () => void, title?: string, children?: ComponentChildren }) {
  if (!problem || problem.kind === 'stopped' || problem.kind === 'signed_out') return null
  return html`<${Notice} kind=${problem.kind === 'limited' || problem.kind === 'busy' ? 'warning' : 'error'} title=${title ?? text.title[problem.kind]}
    action=${onRetry && html`<${Button} small icon="refresh" onClick=${onRetry}>${text.retry}</${Button}>`}>
    <p class="reason">${problem.reason}</p>
    <p class="muted">${whatToDo(problem)}${problem.type && html` <code>${problem.type}</code>`}</p>${children}
  </${Notice}>`
}
