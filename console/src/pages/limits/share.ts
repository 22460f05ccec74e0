import { html } from '@/ui'
import { percent } from '@/text/numbers'
import { text } from '@strings/limits'

/** How much of a limit is used, as a bar in a cell. */
export function Share ({ used, limit, name }: { used: number, limit: number | null, name: string }) {
  if (limit === null) return html`<span class="muted">${text.none}</span>`
  const share = limit > 0 ? Math.min(1, used / limit) : 1
  return html`<span class=${'share share-' + (share >= 1 ? 'full' : share >= 0.8 ? 'near' : 'free')}><span class="share-track" role="meter" aria-label=${`${text.share}: ${name}`} aria-valuemin=${0} aria-valuemax=${limit} aria-valuenow=${Math.min(used, limit)}><i style=${{ width: share * 100 + '%' }}></i></span><span class="numeric">${percent(share)}</span></span>`
}

export const shareOf = (used: number, limit: number | null): number | null => limit === null ? null : limit > 0 ? used / limit : 1
