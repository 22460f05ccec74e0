// A look at an object from the port of the object storage: another origin, in a frame in which no script runs.
import { html, useEffect, useState } from '@/ui'
import { useAsked } from '@/api/use'
import { Button } from '@/components/button'
import { Empty } from '@/components/empty'
import { Loading } from '@/components/facts'
import { Failure } from '@/components/failure'
import { Notice } from '@/components/notice'
import { text } from '@strings/objects'
import { shown, type Key } from './keys'
import { presign } from './share'
import type { Head } from './storage'

const largest = 32 << 20
const seconds = 300
const mediaSeconds = 6 * 3600
/** What browsers show in a frame without rights. PDF they show in a tab alone. */
const framed = /^(?:image\/|text\/plain)/
/** What they play of another origin: no script of theirs or ours sees it. Read in ranges, so of any size; the frame would have no origin to ask from. */
const played = /^(?:audio\/|video\/|application\/ogg$)/
const inTab = 'application/pdf'

interface Props { bucket: string, objectKey: Key, versionId: string | undefined, value: Head }

/** True once the browser was not let load something of the kind `directive` says. */
function useBlocked (directive: string): boolean {
  const [blocked, setBlocked] = useState(false)
  useEffect(() => {
    const told = (event: SecurityPolicyViolationEvent): void => { if (event.effectiveDirective === directive) setBlocked(true) }
    document.addEventListener('securitypolicyviolation', told)
    return () => document.removeEventListener('securitypolicyviolation', told)
  }, [directive])
  return blocked
}

const openUrl = (url: string) => html`<${Button} icon="screen" onClick=${() => window.open(url, '_blank', 'noopener,noreferrer')}>${text.preview.open}</${Button}>`

/** Sound or video. Its address is good for hours: who moves about in it asks for ranges of it. */
function Media ({ bucket, objectKey, versionId, type }: Pick<Props, 'bucket' | 'objectKey' | 'versionId'> & { type: string }) {
  const asked = useAsked((signal) => presign({ bucket, key: objectKey, versionId, preview: true, seconds: mediaSeconds, signal }), [bucket, objectKey, versionId])
  const [failed, setFailed] = useState(false)
  const blocked = useBlocked('media-src')
  if (asked.problem) return html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />`
  if (!asked.value) return html`<${Loading} />`
  const { url } = asked.value
  const open = openUrl(url)
  if (blocked) return html`<${Notice} kind="warning" title=${text.preview.blockedMedia} action=${open}>${text.preview.blockedText}</${Notice}>`
  if (failed) return html`<${Notice} kind="warning" title=${text.preview.unplayed(type)} action=${open}>${text.preview.unplayedText}</${Notice}>`
  const label = text.preview.player(shown(objectKey))
  const onError = (): void => setFailed(true)
  return html`<div class="bar"><p class="muted small">${text.preview.mediaLead(type)}</p><div class="bar-end">${open}</div></div>
    ${type.startsWith('video/') ? html`<video class="object-video" controls preload="metadata" src=${url} aria-label=${label} onError=${onError}></video>` : html`<audio class="object-audio" controls preload="metadata" src=${url} aria-label=${label} onError=${onError}></audio>`}`
}

export function Preview ({ bucket, objectKey, versionId, value }: Props) {
  // The server looks at the first bytes, and says what they are.
  const asked = useAsked((signal) => presign({ bucket, key: objectKey, versionId, preview: true, seconds, signal }), [bucket, objectKey, versionId, value.headers.get('etag')], { when: value.bytes > 0 })
  const blocked = useBlocked('frame-src')
  if (value.bytes === 0) return html`<p class="muted">${text.preview.empty}</p>`
  if (asked.problem) return html`<${Failure} problem=${asked.problem} onRetry=${asked.reload} />`
  if (!asked.value) return html`<${Loading} />`
  const { url, type } = asked.value
  const open = openUrl(url)
  if (type && played.test(type)) return html`<${Media} key=${url} bucket=${bucket} objectKey=${objectKey} versionId=${versionId} type=${type} />`
  if (value.bytes > largest) return html`<p class="muted">${text.preview.large(value.bytes)}</p>`
  if (type === inTab) return html`<${Empty} icon="eye" title=${text.preview.pdf} action=${open}>${text.preview.pdfText}</${Empty}>`
  if (!type || !framed.test(type)) return html`<${Empty} icon="eye" title=${text.preview.none}>${text.preview.noneText}</${Empty}>`
  if (blocked) return html`<${Notice} kind="warning" title=${text.preview.blocked} action=${open}>${text.preview.blockedText}</${Notice}>`
  return html`<div class="bar"><p class="muted small">${text.preview.lead(type)}</p><div class="bar-end">${open}</div></div>
    <iframe class="object-preview" sandbox="" referrerpolicy="no-referrer" src=${url} title=${text.preview.frame(shown(objectKey))}></iframe>`
}
