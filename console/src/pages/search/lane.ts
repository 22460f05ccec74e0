// One ranking with its hits and with what it cost.
import { html } from '@/ui'
import type { Problem } from '@/api/problem'
import { Json } from '@/components/code'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Notice } from '@/components/notice'
import { count } from '@/text/numbers'
import { duration } from '@/text/times'
import { text } from '@strings/search'
import { rankings } from './body'
import { HitCard } from './card'
import { Profile } from './profile'
import type { Ranking } from './ranking'
import type { Result } from './run'

export interface LaneState { ranking: Ranking, busy: boolean, result?: Result, problem?: Problem }

function totalOf (result: Result): string {
  const total = result.answer.hits.total
  return typeof total === 'object' ? text.total(count(total.value), total.relation === 'gte') : typeof total === 'number' ? text.total(count(total), false) : ''
}

/** The rank of each hit. */
export function ranksOf (lane: LaneState): Map<string, number> {
  return new Map((lane.result?.answer.hits.hits ?? []).map((hit, n) => [hit._index + '\u0000' + hit._id, n + 1]))
}

export function Lane ({ lane, others, onRetry }: { lane: LaneState, others: readonly { title: string, ranks: Map<string, number> }[], onRetry: () => void }) {
  const { ranking, result } = lane
  const hits = result?.answer.hits.hits ?? []
  const cost = text.costOf(rankings(ranking.body))
  return html`<section class="lane" aria-label=${ranking.title} aria-busy=${lane.busy || undefined}>
    <header class="lane-head"><h2>${ranking.title}</h2><p class="muted small">${result ? html`${totalOf(result)} · <span title=${text.costTitle}>${cost}</span> · ${text.took(duration(result.answer.took), duration(Math.round(result.whole)))}` : html`<span title=${text.costTitle}>${cost}</span>`}</p></header>
    <${Failure} problem=${lane.problem} onRetry=${onRetry} />${lane.busy && !result && html`<${Loading} />`}
    ${result?.answer.timed_out && html`<${Notice} kind="warning">${text.timedOut}</${Notice}>`}
    ${result && hits.length === 0 && !result.answer.aggregations && html`<div class="lane-none"><strong>${text.nothing}</strong><p class="muted">${ranking.way === 'words' ? text.nothingWords : text.nothingOther}</p></div>`}
    ${hits.length > 0 && html`<ol class=${lane.busy ? 'hits is-old' : 'hits'}>${hits.map((hit, n) => html`<${HitCard} key=${ranking.id + hit._index + hit._id} hit=${hit} rank=${n + 1} ranking=${ranking} others=${others.map(({ title, ranks }) => ({ title, rank: ranks.get(hit._index + '\u0000' + hit._id) ?? null }))} />`)}</ol>`}
    ${result?.answer.aggregations && html`<h3>${text.aggregations}</h3><${Json} value=${result.answer.aggregations} label=${text.aggregations} />`}
    ${result?.answer.suggest && html`<h3>${text.suggest}</h3><${Json} value=${result.answer.suggest} label=${text.suggest} />`}
    ${result?.answer.profile && html`<${Profile} profile=${result.answer.profile} />`}
    ${result && html`<details class="raw"><summary>${text.raw}</summary><${Json} value=${result.answer} label=${text.raw} /></details>`}</section>`
}
