// The profile of a search: each step with its time, and its share of all.
import { html } from '@/ui'
import { duration } from '@/text/times'
import { text } from '@strings/search'

interface Step { depth: number, type: string, what: string, nanos: number }

function walk (node: any, depth: number, out: Step[]): void {
  out.push({ depth, type: String(node.type ?? node.name ?? ''), what: String(node.description ?? node.reason ?? ''), nanos: node.time_in_nanos ?? 0 })
  for (const child of node.children ?? []) walk(child, depth + 1, out)
}

function stepsOf (shard: any): Step[] {
  const out: Step[] = []
  for (const knn of shard.dfs?.knn ?? []) out.push({ depth: 0, type: 'knn', what: `${knn.vector_operations_count ?? 0}`, nanos: knn.rewrite_time ?? 0 })
  for (const search of shard.searches ?? []) {
    for (const query of search.query ?? []) walk(query, 0, out)
    if (search.rewrite_time) out.push({ depth: 0, type: text.profileRewrite, what: '', nanos: search.rewrite_time })
    for (const collector of search.collector ?? []) out.push({ depth: 0, type: text.profileCollector, what: collector.name ?? '', nanos: collector.time_in_nanos ?? 0 })
  }
  for (const aggregation of shard.aggregations ?? []) walk(aggregation, 0, out)
  if (shard.fetch) out.push({ depth: 0, type: text.profileFetch, what: '', nanos: shard.fetch.time_in_nanos ?? 0 })
  return out
}

export function Profile ({ profile }: { profile: any }) {
  const shards = (profile?.shards ?? []) as any[]
  return html`<details class="profile" open><summary>${text.profileTitle}</summary>${shards.map((shard) => {
    const steps = stepsOf(shard)
    const most = Math.max(1, ...steps.map(({ nanos }) => nanos))
    return html`<table class="profile-steps" key=${shard.id}><caption class="${shards.length > 1 ? 'small' : 'hidden'}">${shard.index}</caption>
      <thead class="hidden"><tr><th scope="col">${text.profileColumns.step}</th><th scope="col">${text.profileColumns.time}</th></tr></thead>
      <tbody>${steps.map((step, n) => html`<tr key=${n}><th scope="row" style=${{ paddingLeft: step.depth * 14 + 'px' }} title=${step.what}>${step.type}${step.what && html` <code class="muted">${step.what.slice(0, 120)}</code>`}</th>
        <td class="numeric">${duration(step.nanos / 1e6)}<i aria-hidden="true" style=${{ width: step.nanos / most * 100 + '%' }}></i></td></tr>`)}</tbody></table>`
  })}</details>`
}
