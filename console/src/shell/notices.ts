// Notices that hold for all pages: no answer, waiting for the limits, the session's end.
import { html, useEffect, useState } from '@/ui'
import { reachable, waiting } from '@/api/request'
import { endsAt, findSession, session, sessionEnded } from '@/api/session'
import { Button } from '@/components/button'
import { Notice } from '@/components/notice'
import { clock, duration } from '@/text/times'
import { text } from '@strings/shell'

const warnMs = 2 * 60_000

/** The time, each second while something is counted down, else rarely. */
function useNow (): number {
  const [now, setNow] = useState(Date.now())
  const soon = endsAt.value - now < 2 * warnMs
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), soon ? 1000 : 15_000)
    return () => clearInterval(timer)
  }, [soon])
  return now
}

function SessionEnd () {
  const now = useNow()
  const left = endsAt.value - now
  useEffect(() => {
    // The server says whether it is over: another tab may have kept it.
    if (left <= 0) void findSession().catch(() => sessionEnded())
  }, [left <= 0])
  if (left > warnMs || left <= 0) return null
  const forGood = session.value!.expires_at_ms - now <= warnMs
  const span = duration(Math.ceil(left / 1000) * 1000)
  return html`<${Notice} kind="warning" title=${forGood ? text.session.endingForGood(span) : text.session.ending(span)} action=${!forGood && html`<${Button} onClick=${() => void findSession().catch(() => undefined)}>${text.session.stay}</${Button}>`} />`
}

export function Notices () {
  const wait = waiting.value
  return html`<div class="notices" aria-live="polite">
    ${!reachable.value && html`<${Notice} kind="warning" title=${text.unreachable} />`}
    ${wait && html`<${Notice} kind="warning" title=${text.waiting[wait.kind](clock(wait.until))}>${wait.reason}</${Notice}>`}
    <${SessionEnd} /></div>`
}
