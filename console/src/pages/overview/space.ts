import { html } from '@/ui'
import type { Overview } from '@/api/topics'
import { Card, Loading } from '@/components/facts'
import { Meter } from '@/components/progress'
import { bytes } from '@/text/numbers'
import { text } from '@strings/overview'

/** Memory against its limit, the disk against the marks at which something happens. */
export function SpaceCard ({ live }: { live: Overview | undefined }) {
  if (!live) return html`<${Card} title=${text.space.title}><${Loading} /></${Card}>`
  const { memory, disk } = live
  const mark = (free: number | null | undefined, title: string) => free ? [{ at: disk.total_bytes - free, title }] : []
  return html`<${Card} title=${text.space.title}>
    ${memory.limit_bytes > 0
      ? html`<div><${Meter} label=${text.space.memory} used=${memory.resident_bytes} total=${memory.limit_bytes} unit=${bytes} marks=${[{ at: memory.limit_bytes * 0.9, title: '90 %' }]} /><p class="muted small">${text.space.memoryNote}</p></div>`
      : html`<p>${text.space.memory}: ${bytes(memory.resident_bytes)}</p>`}
    <${Meter} label=${text.space.disk} used=${disk.total_bytes - disk.free_bytes} total=${disk.total_bytes} unit=${bytes} marks=${[...mark(disk.low_bytes, text.space.low), ...mark(disk.high_bytes, text.space.high)]} />
  </${Card}>`
}
