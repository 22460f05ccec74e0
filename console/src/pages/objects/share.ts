import { html, useState } from '@/ui'
import { recordCall } from '@/api/calls'
import { send } from '@/api/request'
import { useAction } from '@/api/use'
import { Button } from '@/components/button'
import { Code } from '@/components/code'
import { Dialog } from '@/components/dialog'
import { When } from '@/components/facts'
import { Failure } from '@/components/failure'
import { SelectField } from '@/components/field'
import { text as common } from '@strings/common'
import { text } from '@strings/objects'
import { nameOf, pathOf, shown, type Key } from './keys'

export interface Presign { bucket: string, key: Key, versionId?: string, method?: string, preview?: boolean, seconds: number, signal?: AbortSignal }
/** `type`: of an address to look at, what the bytes are; null where they are nothing that may be shown. */
export interface Presigned { url: string, type?: string | null }

/** Browsers resolve dots in paths: such a key stands in the address with its slashes escaped, which means the same to the storage. */
function inOnePiece (url: string, bucket: string, key: Key): string {
  const path = pathOf(key)
  const begins = url.indexOf(`/${encodeURIComponent(bucket)}/`, url.indexOf('//') + 2)
  return path === key || begins < 0 ? url : url.slice(0, begins) + `/${encodeURIComponent(bucket)}/${path}` + url.slice(url.indexOf('?'))
}

/** An address on the object storage's own port that is good for a while; with `preview` one to look at, which the storage keeps harmless. */
export async function presign ({ bucket, key, versionId, method = 'GET', preview, seconds, signal }: Presign): Promise<Presigned> {
  const body = { bucket, key: nameOf(key), version_id: versionId, method, preview, expires_in_seconds: seconds }
  const call = { method: 'POST', url: '/_cairn/objects/_presign', body }
  recordCall(call)
  const answer = await (await send(call.method, call.url, JSON.stringify(body), { headers: { 'Content-Type': 'application/json' }, signal })).json() as Presigned
  return { ...answer, url: inOnePiece(answer.url, bucket, key) }
}

export function ShareDialog ({ bucket, objectKey, versionId, onClose }: { bucket: string, objectKey: Key, versionId?: string, onClose: () => void }) {
  const [seconds, setSeconds] = useState('3600')
  const [method, setMethod] = useState('GET')
  const [made, setMade] = useState<{ url: string, ends: number } | undefined>(undefined)
  const [doing, run] = useAction()
  const make = (): void => { void run(async () => { setMade({ url: (await presign({ bucket, key: objectKey, versionId, method, seconds: Number(seconds) })).url, ends: Date.now() + Number(seconds) * 1000 }) }) }
  return html`<${Dialog} title=${text.share.title(shown(objectKey))} onClose=${onClose} onSubmit=${make} footer=${html`<${Button} onClick=${onClose}>${common.close}</${Button}><${Button} kind="main" type="submit" busy=${doing.busy}>${text.share.make}</${Button}>`}>
    <p class="muted">${text.share.lead}</p><${Failure} problem=${doing.problem} />
    <${SelectField} label=${text.share.lasts} value=${seconds} onInput=${(value: string) => { setSeconds(value); setMade(undefined) }} choices=${Object.entries(text.share.choices).map(([value, label]) => ({ value, label }))} />
    <${SelectField} label=${text.share.method} value=${method} onInput=${(value: string) => { setMethod(value); setMade(undefined) }} choices=${Object.entries(text.share.methods).map(([value, label]) => ({ value, label }))} />
    <div aria-live="polite">${made && html`<${Code} value=${made.url} label=${text.share.address} wrap /><p class="muted small">${text.share.ends} <${When} exact at=${made.ends} /></p>`}</div></${Dialog}>`
}
