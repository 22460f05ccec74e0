import { html } from '@/ui'
import { useLive } from '@/api/events'
import type { Job } from '@/api/topics'
import { Card, Loading } from '@/components/facts'
import { Progress } from '@/components/progress'
import { href } from '@/shell/router'
import { pages } from '@/shell/pages'
import { text } from '@strings/overview'

/** The page that shows more of a job, where there is one. */
function placeOf (job: Job): string | null {
  const [page, path] = { sync: ['connectors', job.name], snapshot: ['snapshots', job.detail ?? ''], deployment: ['models', job.detail ?? ''], task: ['indices', ''] }[job.kind] as [string, string]
  return pages.some(({ id }) => id === page) ? href(page, path && job.kind !== 'task' ? [path] : []) : null
}

export function JobsCard ({ merges }: { merges: number }) {
  const live = useLive('jobs')
  const row = (job: Job) => {
    const place = placeOf(job)
    const label = `${text.jobs.kinds[job.kind]} ${job.name}`
    return html`<div key=${job.kind + job.id} class="stack-small">${place && html`<a href=${place} class="job-link">${label}</a>`}
      <${Progress} label=${label} bare=${place !== null} done=${job.done ?? 0} total=${job.total} started_ms=${job.started_ms} /></div>`
  }
  return html`<${Card} title=${text.jobs.title}>${live === undefined ? html`<${Loading} />` : live.jobs.length === 0
    ? html`<p class="muted">${text.jobs.none}</p>` : html`<div class="stack">${live.jobs.map(row)}</div>`}
    ${merges > 0 && html`<p class="muted">${text.jobs.merges(merges)}</p>`}</${Card}>`
}
