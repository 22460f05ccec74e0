// Taking a model in from this browser: hash, send the pieces that are missing, let the server check.
// It goes on while other pages are opened, as long as the tab is there.
import { signal } from '@/ui'
import { recordCall } from '@/api/calls'
import { asProblem, type Problem } from '@/api/problem'
import { api, send } from '@/api/request'
import { Sha256 } from './sha256'

export interface LocalFile { name: string, file: File }
export type Phase = 'hashing' | 'sending' | 'checking' | 'paused' | 'failed' | 'done'
export interface Upload { id: string, files: readonly LocalFile[], phase: Phase, done: number, total: number, begun: number, retries: number, problem?: Problem }

interface Missing { file: string, offset: number, size_bytes: number }
interface Begun { complete: boolean, missing?: Missing[], received_bytes: number, total_bytes: number }

export const uploads = signal<readonly Upload[]>([])
const stops = new Map<string, AbortController>()
const digests = new Map<File, string>()
const step = 4 << 20
const triesOfAPiece = 5
/** Below this the browser's own digest is used, where it is there: it is faster and wants all bytes. */
const atOnce = 256 << 20

async function ownDigest (file: File): Promise<string | null> {
  if (file.size > atOnce || !globalThis.crypto.subtle) return null
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const change = (id: string, to: Partial<Upload>): void => { uploads.value = uploads.peek().map((one) => one.id === id ? { ...one, ...to } : one) }
export const forget = (id: string): void => { uploads.value = uploads.peek().filter((one) => one.id !== id) }

async function digest (file: File, signal: AbortSignal, onBytes: (n: number) => void): Promise<string> {
  const known = digests.get(file)
  if (known) { onBytes(file.size); return known }
  const fast = await ownDigest(file)
  if (fast) { digests.set(file, fast); onBytes(file.size); return fast }
  const hash = new Sha256()
  for (let at = 0; at < file.size; at += step) {
    signal.throwIfAborted()
    const bytes = new Uint8Array(await file.slice(at, at + step).arrayBuffer())
    // In short stretches, so that the page answers meanwhile.
    for (let from = 0; from < bytes.length; from += step / 4) {
      hash.add(bytes.subarray(from, from + step / 4))
      await new Promise((resolve) => setTimeout(resolve))
    }
    onBytes(bytes.length)
  }
  const hex = hash.hex()
  digests.set(file, hex)
  return hex
}

async function sendPiece (id: string, file: File, piece: Missing, signal: AbortSignal): Promise<void> {
  const url = `/_cairn/models/${encodeURIComponent(id)}/_piece?` + new URLSearchParams({ file: piece.file, offset: String(piece.offset) }).toString()
  const bytes = file.slice(piece.offset, piece.offset + piece.size_bytes)
  recordCall({ method: 'PUT', url, body: bytes })
  for (let attempt = 1; ; attempt++) {
    try {
      await send('PUT', url, bytes, { signal, timeout: 0, headers: { 'Content-Type': 'application/octet-stream' } })
      return
    } catch (error) {
      const problem = asProblem(error)
      if (signal.aborted || !['unreachable', 'busy', 'limited'].includes(problem.kind) || attempt >= triesOfAPiece) throw problem
      const until = Math.max(problem.until ?? 0, Date.now() + 1000 * 2 ** attempt)
      change(id, { retries: (uploads.peek().find((one) => one.id === id)?.retries ?? 0) + 1 })
      await new Promise((resolve) => setTimeout(resolve, until - Date.now()))
    }
  }
}

async function work (id: string, files: readonly LocalFile[], signal: AbortSignal): Promise<void> {
  const total = files.reduce((all, { file }) => all + file.size, 0)
  let done = 0
  change(id, { phase: 'hashing', done, total, begun: Date.now(), problem: undefined })
  const list = []
  for (const { name, file } of files) {
    list.push({ name, size_bytes: file.size, sha256: await digest(file, signal, (n) => { done += n; change(id, { done }) }) })
  }
  const path = { model_id: id }
  const answer = await api('PUT /_cairn/models/{model_id}', { path, body: { files: list }, signal }) as unknown as Begun
  if (answer.complete) { change(id, { phase: 'done', done: total }); return }
  const missing = answer.missing ?? []
  done = total - missing.reduce((all, piece) => all + piece.size_bytes, 0)
  change(id, { phase: 'sending', done, begun: Date.now() })
  for (const piece of missing) {
    await sendPiece(id, files.find(({ name }) => name === piece.file)!.file, piece, signal)
    done += piece.size_bytes
    change(id, { done })
  }
  change(id, { phase: 'checking' })
  await api('POST /_cairn/models/{model_id}/_finish', { path, signal, timeout: 0 })
  change(id, { phase: 'done' })
}

export function startUpload (id: string, files: readonly LocalFile[]): void {
  stops.get(id)?.abort()
  const stop = new AbortController()
  stops.set(id, stop)
  const begun: Upload = { id, files, phase: 'hashing', done: 0, total: 0, begun: Date.now(), retries: 0 }
  uploads.value = [begun, ...uploads.peek().filter((one) => one.id !== id)]
  work(id, files, stop.signal).catch((error: unknown) => {
    if (stop.signal.aborted) change(id, { phase: 'paused' }); else change(id, { phase: 'failed', problem: asProblem(error) })
  })
}

export const pauseUpload = (id: string): void => stops.get(id)?.abort()

export async function dropUpload (id: string): Promise<void> {
  pauseUpload(id)
  try {
    await api('DELETE /_cairn/models/{model_id}/_import', { path: { model_id: id } })
  } catch (error) { if (asProblem(error).kind !== 'missing') throw error }
  forget(id)
}

addEventListener('beforeunload', (event) => { if (uploads.peek().some(({ phase }) => phase === 'sending' || phase === 'hashing')) event.preventDefault() })

/** Files that a model is made of; weights in other formats stay where they are. */
export function wanted (name: string): boolean {
  const last = name.split('/').at(-1)!.toLowerCase()
  return !last.startsWith('.') && (/\.(json|txt|md|safetensors|gguf|model)$/.test(last) || /^(licen[sc]e|notice)/.test(last)) && last !== 'sha256sums'
}

/** The chosen files with their names within the folder. */
export function localFiles (list: FileList): LocalFile[] {
  return [...list].map((file) => ({ file, name: file.webkitRelativePath ? file.webkitRelativePath.split('/').slice(1).join('/') : file.name }))
}
