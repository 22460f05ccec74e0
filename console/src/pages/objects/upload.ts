// Uploads: small files in one request, larger ones in parts that can be paused, resumed and sent again one by one.
// They go on while other pages are open; only closing the tab ends them.
import { signal } from '@/ui'
import { asProblem, Problem, problemOf } from '@/api/problem'
import { csrfToken, sessionUsed } from '@/api/session'
import { root } from '@/api/root'
import { recordCall } from '@/api/calls'
import { crc32 } from './crc32'
import type { Key } from './keys'
import { ask, urlOf, type Place } from './storage'
import { element, readXml, textOf, writeXml } from './xml'

export type UploadState = 'waiting' | 'running' | 'paused' | 'done' | 'failed'

export interface Upload {
  id: number
  bucket: string
  key: Key
  file: File
  state: UploadState
  /** Bytes that the server has, and those that are on their way. */
  sent: number
  /** When bytes were first sent. */
  started_ms: number
  /** Parts or requests that were sent again. */
  retries: number
  problem: Problem | undefined
  parts: { done: number, total: number }
}

interface Part { number: number, from: number, to: number, etag: string, checksum: string, sent: number }
interface Work { uploadId: string, parts: Part[], stop: AbortController }

const oneRequestUpTo = 8 << 20
const partBytes = 8 << 20
const partsMax = 9_000
const filesAtOnce = 2
const partsAtOnce = 2
const attempts = 6

export const uploads = signal<readonly Upload[]>([])
/** Counts finished uploads, so that lists look again. */
export const finished = signal(0)
const works = new Map<number, Work>()
let made = 0

function change (id: number, changes: Partial<Upload>): void {
  uploads.value = uploads.peek().map((one) => one.id === id ? { ...one, ...changes } : one)
}
const find = (id: number): Upload | undefined => uploads.peek().find((one) => one.id === id)

/** Sends bytes and tells how many went out; fetch does not tell. */
function sendBytes (method: string, place: Place, body: Blob, headers: Record<string, string>, stop: AbortSignal, onSent: (bytes: number) => void): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, root + urlOf(place))
    for (const [name, value] of Object.entries({ 'X-Cairn-CSRF': csrfToken(), ...headers })) if (value) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded }) => onSent(Math.min(loaded, body.size))
    request.onload = () => {
      if (request.status < 300) { sessionUsed(); resolve(request); return }
      const answer = new Response(request.responseText, { status: request.status, headers: { 'retry-after': request.getResponseHeader('retry-after') ?? '' } })
      void problemOf(answer).then(reject)
    }
    request.onerror = () => reject(new Problem('unreachable', 'the connection was cut'))
    request.onabort = () => reject(new Problem('stopped', 'stopped'))
    stop.addEventListener('abort', () => request.abort(), { once: true })
    if (stop.aborted) reject(new Problem('stopped', 'stopped'))
    else request.send(body)
  })
}

function rest (ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    stop.addEventListener('abort', () => { clearTimeout(timer); reject(new Problem('stopped', 'stopped')) }, { once: true })
  })
}

/** Tries again where that may help: the connection, a busy server, a limit that says until when. */
async function again<T> (id: number, stop: AbortSignal, action: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try { return await action() } catch (error) {
      const problem = asProblem(error)
      const helps = ['unreachable', 'busy', 'limited', 'failed'].includes(problem.kind)
      if (!helps || attempt >= attempts || stop.aborted) throw problem
      change(id, { retries: (find(id)?.retries ?? 0) + 1 })
      const told = problem.until === null ? 0 : problem.until - Date.now()
      await rest(Math.max(told, Math.min(30_000, 500 * 2 ** attempt)) * (0.75 + Math.random() / 2), stop)
    }
  }
}

function tell (id: number, work: Work): void {
  change(id, { sent: work.parts.reduce((all, part) => all + part.sent, 0), parts: { done: work.parts.filter(({ etag }) => etag).length, total: work.parts.length } })
}

async function sendPart (upload: Upload, work: Work, part: Part): Promise<void> {
  const stop = work.stop.signal
  const body = upload.file.slice(part.from, part.to)
  const checksum = await crc32(body)
  await again(upload.id, stop, async () => {
    const single = work.uploadId === ''
    const place = { bucket: upload.bucket, key: upload.key, query: single ? {} : { partNumber: part.number, uploadId: work.uploadId } }
    const headers = { 'x-amz-checksum-crc32': checksum, 'Content-Type': single ? upload.file.type || 'application/octet-stream' : 'application/octet-stream' }
    part.sent = 0
    const answer = await sendBytes('PUT', place, body, headers, stop, (sent) => { part.sent = sent; tell(upload.id, work) })
    part.etag = answer.getResponseHeader('etag') ?? '-'
    part.checksum = checksum
    part.sent = body.size
    tell(upload.id, work)
  })
}

function partsOf (file: File): Part[] {
  const size = file.size <= oneRequestUpTo ? Math.max(1, file.size) : Math.max(partBytes, Math.ceil(file.size / partsMax / (1 << 20)) * (1 << 20))
  return Array.from({ length: Math.max(1, Math.ceil(file.size / size)) }, (_, n): Part => ({ number: n + 1, from: n * size, to: Math.min(file.size, (n + 1) * size), etag: '', checksum: '', sent: 0 }))
}

async function begin (upload: Upload, work: Work): Promise<void> {
  if (work.parts.length === 1 || work.uploadId !== '') return
  const headers = { 'Content-Type': upload.file.type || 'application/octet-stream', 'x-amz-checksum-algorithm': 'CRC32' }
  const answer = await again(upload.id, work.stop.signal, () => ask('POST', { bucket: upload.bucket, key: upload.key, query: { uploads: '' } }, { headers, signal: work.stop.signal }))
  work.uploadId = textOf(readXml(await answer.text()), 'UploadId')
}

async function complete (upload: Upload, work: Work): Promise<void> {
  if (work.uploadId === '') return
  const body = writeXml(element('CompleteMultipartUpload', work.parts.map((part) => element('Part', [element('PartNumber', String(part.number)), element('ETag', part.etag), element('ChecksumCRC32', part.checksum)]))))
  const answer = await again(upload.id, work.stop.signal, () => ask('POST', { bucket: upload.bucket, key: upload.key, query: { uploadId: work.uploadId } }, { body, headers: { 'Content-Type': 'application/xml' }, timeout: 0 }))
  const told = readXml(await answer.text())
  if (told.name === 'Error') throw new Problem('failed', textOf(told, 'Message'), 200, textOf(told, 'Code'))
}

async function run (id: number): Promise<void> {
  const upload = find(id)
  if (!upload) return
  const work: Work = { uploadId: works.get(id)?.uploadId ?? '', parts: works.get(id)?.parts ?? partsOf(upload.file), stop: new AbortController() }
  works.set(id, work)
  if (work.parts.length === 1) recordCall({ method: 'PUT', url: urlOf({ bucket: upload.bucket, key: upload.key }), body: upload.file })
  change(id, { state: 'running', started_ms: Date.now(), problem: undefined })
  try {
    await begin(upload, work)
    const left = work.parts.filter(({ etag }) => etag === '')
    const one = async (): Promise<void> => { for (let part = left.shift(); part; part = left.shift()) await sendPart(upload, work, part) }
    await Promise.all(Array.from({ length: partsAtOnce }, one))
    await complete(upload, work)
    works.delete(id)
    change(id, { state: 'done', sent: upload.file.size })
    finished.value++
  } catch (error) {
    work.stop.abort()
    const problem = asProblem(error)
    for (const part of work.parts) if (part.etag === '') part.sent = 0
    // A run that was paused may end after the next has begun.
    if (!find(id) || works.get(id) !== work) return
    tell(id, work)
    if (problem.kind !== 'stopped' || find(id)?.state === 'running') change(id, { state: problem.kind === 'stopped' ? 'paused' : 'failed', problem: problem.kind === 'stopped' ? undefined : problem })
  } finally { next() }
}

/** Begins what waits, while fewer than two files are on their way. */
function next (): void {
  const running = uploads.peek().filter(({ state }) => state === 'running').length
  for (const one of uploads.peek().filter(({ state }) => state === 'waiting').slice(0, Math.max(0, filesAtOnce - running))) void run(one.id)
  onbeforeunload = uploads.peek().some(({ state }) => state === 'running' || state === 'waiting') ? (event) => { event.preventDefault() } : null
}

export interface Chosen { key: Key, file: File }

export function add (bucket: string, chosen: readonly Chosen[]): void {
  uploads.value = [...uploads.peek(), ...chosen.map(({ key, file }): Upload => ({ id: ++made, bucket, key, file, state: 'waiting', sent: 0, started_ms: 0, retries: 0, problem: undefined, parts: { done: 0, total: partsOf(file).length } }))]
  next()
}

export function pause (id: number): void { change(id, { state: 'paused' }); works.get(id)?.stop.abort() }
export function resume (id: number): void { change(id, { state: 'waiting' }); next() }

/** Takes it from the list; what was sent of an unfinished one is deleted on the server. */
export async function discard (id: number): Promise<void> {
  const upload = find(id)
  const work = works.get(id)
  uploads.value = uploads.peek().filter((one) => one.id !== id)
  work?.stop.abort()
  works.delete(id)
  if (upload && work && work.uploadId !== '' && upload.state !== 'done') await ask('DELETE', { bucket: upload.bucket, key: upload.key, query: { uploadId: work.uploadId } }, { quiet: true }).catch(() => undefined)
  next()
}

export function clearDone (): void { uploads.value = uploads.peek().filter(({ state }) => state !== 'done') }
