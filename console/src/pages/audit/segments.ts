// The log in sealed segments, as `GET /_cairn/audit/_export` gives them, and what can be checked of them.
import { recordCall } from '@/api/calls'
import { send } from '@/api/request'
import { text } from '@strings/audit'

export interface Seal { from: number, to: number, lines: number, newest: number, follows: string, mac: string, sha256: string, sealed_at: string, key: string, faults: unknown[], signature: string }
export interface Segment { bytes: Uint8Array<ArrayBuffer>, /** Where the seal begins. */ end: number, seal: Seal, sealText: string }

const newline = 10

/** All segments, one after another, the oldest first. */
export async function * segments (signal: AbortSignal): AsyncGenerator<Segment> {
  let after = 0
  for (;;) {
    const url = `/_cairn/audit/_export?after=${after}`
    if (after === 0) recordCall({ method: 'GET', url })
    const bytes = new Uint8Array(await (await send('GET', url, undefined, { signal, timeout: 0 })).arrayBuffer())
    const last = bytes.length > 0 && bytes.at(-1) === newline ? bytes.length - 1 : bytes.length
    if (last === 0) return
    const end = bytes.lastIndexOf(newline, last - 1) + 1
    const sealText = new TextDecoder().decode(bytes.subarray(end, last))
    const seal = JSON.parse(sealText) as Seal
    yield { bytes, end, seal, sealText }
    if (seal.to <= after || seal.to >= seal.newest) return
    after = seal.to
  }
}

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
const hex = (bytes: ArrayBuffer): string => [...new Uint8Array(bytes)].map((one) => one.toString(16).padStart(2, '0')).join('')

/** Undefined where the browser cannot check signatures. */
export async function importKey (pem: string): Promise<CryptoKey | undefined> {
  if (!globalThis.crypto?.subtle) return undefined
  const body = pem.replace(/-----[^-]+-----|\s/g, '')
  return await crypto.subtle.importKey('spki', bytesOf(body), { name: 'Ed25519' }, false, ['verify']).catch(() => undefined)
}

/** Whether the lines are those that were sealed, by the key. */
export async function sealFits (segment: Segment, key: CryptoKey): Promise<boolean> {
  const digest = hex(await crypto.subtle.digest('SHA-256', segment.bytes.slice(0, segment.end)))
  const signed = segment.sealText.slice(0, segment.sealText.lastIndexOf(',"signature":"'))
  return digest === segment.seal.sha256 && await crypto.subtle.verify({ name: 'Ed25519' }, key, bytesOf(segment.seal.signature), new TextEncoder().encode(signed))
}

/** What is wrong between a segment and the one before it. */
export function breaks (before: Seal | undefined, seal: Seal): string[] {
  const out = seal.faults.map((fault) => typeof fault === 'string' ? fault : JSON.stringify(fault))
  if (before && seal.from !== before.to + 1) out.push(text.verify.gap(before.to, seal.from))
  else if (before && seal.follows !== before.mac) out.push(text.verify.follows(seal.from))
  return out
}
