// The requests to the object storage that the page makes, by way of the platform's port.
import { recordCall } from '@/api/calls'
import { Problem } from '@/api/problem'
import { send, type Options } from '@/api/request'
import { root } from '@/api/root'
import { crc32 } from './crc32'
import { listedKey, nameOf, pathOf, type Key } from './keys'
import { all, child, element, readXml, textOf, writeXml, type Element } from './xml'

/** Parameters that are given as keys are, percent-encoded already. */
const keys = new Set(['prefix', 'key-marker'])

export interface Place { bucket?: string, key?: Key, query?: Record<string, string | number | undefined> }

/** The path of a bucket or object; `?uploads` and the like are names without a value. */
export function urlOf ({ bucket, key, query }: Place): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined)
    .map(([name, value]) => value === '' ? name : `${name}=${keys.has(name) ? value : encodeURIComponent(value!)}`)
  return '/_cairn/objects' + (bucket === undefined ? '' : '/' + encodeURIComponent(bucket)) + (key === undefined ? '' : '/' + pathOf(key)) + (pairs.length > 0 ? '?' + pairs.join('&') : '')
}

export async function ask (method: string, place: Place, options: Options & { body?: string | Blob } = {}): Promise<Response> {
  const url = urlOf(place)
  if (!options.quiet) recordCall({ method, url, body: options.body })
  return await send(method, url, options.body, options)
}

async function xml (place: Place, options: Options = {}): Promise<Element> { return readXml(await (await ask('GET', place, options)).text()) }

/** Undefined where it was never set. */
export async function configuration (bucket: string, name: string, options: Options = {}): Promise<Element | undefined> {
  return await orNone(xml({ bucket, query: { [name]: '' } }, options))
}

export async function orNone<T> (asked: Promise<T>): Promise<T | undefined> {
  try { return await asked } catch (error) {
    if (error instanceof Problem && error.kind === 'missing' && error.type !== 'NoSuchBucket' && error.type !== 'NoSuchKey') return undefined
    throw error
  }
}

/** Bodies that change a configuration are taken with a checksum alone. */
export async function put (place: Place, body: Element, options: Options = {}): Promise<Response> {
  const text = writeXml({ ...body })
  return await ask('PUT', place, { ...options, body: text, headers: { 'Content-Type': 'application/xml', 'x-amz-checksum-crc32': await crc32(new Blob([text])), ...options.headers } })
}

// --- buckets

export interface Bucket { name: string, created: string, region: string }

export async function buckets (signal?: AbortSignal): Promise<Bucket[]> {
  const answer = await xml({}, { signal })
  return all(child(answer, 'Buckets'), 'Bucket').map((one) => ({ name: textOf(one, 'Name'), created: textOf(one, 'CreationDate'), region: textOf(one, 'BucketRegion') }))
}

// --- listings

export interface Entry { key: Key, folder: boolean, bytes: number | null, modified: string, etag: string, storage: string, checksum: string }
export interface ListPage { folders: Entry[], files: Entry[], next: string | undefined }

const folderEntry = (one: Element): Entry => ({ key: listedKey(textOf(one, 'Prefix')), folder: true, bytes: null, modified: '', etag: '', storage: '', checksum: '' })
const fileEntry = (one: Element): Entry => ({
  key: listedKey(textOf(one, 'Key')), folder: false, bytes: Number(textOf(one, 'Size')), modified: textOf(one, 'LastModified'), etag: textOf(one, 'ETag').replaceAll('"', ''),
  storage: textOf(one, 'StorageClass'), checksum: textOf(one, 'ChecksumAlgorithm')
})

export async function list (bucket: string, prefix: Key, options: Options & { after?: string, deep?: boolean } = {}): Promise<ListPage> {
  const query = { 'list-type': 2, 'encoding-type': 'url', 'prefix': prefix || undefined, 'delimiter': options.deep ? undefined : '/', 'continuation-token': options.after }
  const answer = await xml({ bucket, query }, options)
  return { folders: all(answer, 'CommonPrefixes').map(folderEntry), files: all(answer, 'Contents').map(fileEntry), next: textOf(answer, 'NextContinuationToken') || undefined }
}

export interface Version { key: Key, id: string, latest: boolean, marker: boolean, bytes: number | null, modified: string, etag: string }
export interface VersionPage { versions: Version[], next: { key: string, id: string } | undefined }

export async function versions (bucket: string, prefix: Key, options: Options & { after?: { key: string, id: string } } = {}): Promise<VersionPage> {
  const query = { 'versions': '', 'encoding-type': 'url', 'prefix': prefix || undefined, 'key-marker': options.after?.key, 'version-id-marker': options.after?.id }
  const answer = await xml({ bucket, query }, options)
  const found = answer.children.filter(({ name }) => name === 'Version' || name === 'DeleteMarker').map((one): Version => ({
    key: listedKey(textOf(one, 'Key')), id: textOf(one, 'VersionId'), latest: textOf(one, 'IsLatest') === 'true', marker: one.name === 'DeleteMarker',
    bytes: one.name === 'Version' ? Number(textOf(one, 'Size')) : null, modified: textOf(one, 'LastModified'), etag: textOf(one, 'ETag').replaceAll('"', '')
  }))
  const more = textOf(answer, 'IsTruncated') === 'true'
  return { versions: found, next: more ? { key: listedKey(textOf(answer, 'NextKeyMarker')), id: textOf(answer, 'NextVersionIdMarker') } : undefined }
}

// --- objects

export interface Head { headers: Headers, bytes: number }

export async function head (bucket: string, key: Key, versionId?: string, signal?: AbortSignal): Promise<Head> {
  const response = await ask('HEAD', { bucket, key, query: { versionId } }, { signal, headers: { 'x-amz-checksum-mode': 'ENABLED' } })
  return { headers: response.headers, bytes: Number(response.headers.get('content-length') ?? 0) }
}

/** An address that a browser saves as a file. */
export function downloadUrl (bucket: string, key: Key, versionId?: string): string { return root + urlOf({ bucket, key, query: { versionId } }) }

export type Tags = Record<string, string>

export async function tags (place: Place, signal?: AbortSignal): Promise<Tags> {
  const answer = await orNone(xml({ ...place, query: { ...place.query, tagging: '' } }, { signal }))
  return Object.fromEntries(all(child(answer, 'TagSet'), 'Tag').map((one) => [textOf(one, 'Key'), textOf(one, 'Value')]))
}

export async function putTags (place: Place, given: Tags): Promise<void> {
  const at = { ...place, query: { ...place.query, tagging: '' } }
  const set = Object.entries(given).map(([name, value]) => element('Tag', [element('Key', name), element('Value', value)]))
  if (set.length === 0) await ask('DELETE', at)
  else await put(at, element('Tagging', [element('TagSet', set)]))
}

export interface Gone { key: Key, versionId?: string }

/** Deletes up to 1,000 objects or versions. Gives those that stayed, each with the reason. */
export async function remove (bucket: string, gone: readonly Gone[], options: Options & { bypass?: boolean } = {}): Promise<{ key: string, reason: string }[]> {
  const body = writeXml(element('Delete', [element('Quiet', 'true'), ...gone.map(({ key, versionId }) => element('Object', [element('Key', nameOf(key)), versionId !== undefined && element('VersionId', versionId)]))]))
  const headers: Record<string, string> = { 'Content-Type': 'application/xml', 'x-amz-checksum-crc32': await crc32(new Blob([body])) }
  if (options.bypass) headers['x-amz-bypass-governance-retention'] = 'true'
  const answer = readXml(await (await ask('POST', { bucket, query: { delete: '' } }, { ...options, body, headers, timeout: 0 })).text())
  return all(answer, 'Error').map((one) => ({ key: textOf(one, 'Key'), reason: textOf(one, 'Message') || textOf(one, 'Code') }))
}

export interface Copy { from: { bucket: string, key: Key, versionId?: string }, to: { bucket: string, key: Key }, headers?: Record<string, string> }

export async function copy ({ from, to, headers }: Copy): Promise<void> {
  const source = `/${encodeURIComponent(from.bucket)}/${from.key}${from.versionId ? '?versionId=' + encodeURIComponent(from.versionId) : ''}`
  const answer = await ask('PUT', to, { headers: { 'x-amz-copy-source': source, ...headers }, timeout: 0 })
  // A copy that fails after its answer began says so in the body.
  const told = readXml(await answer.text())
  if (told.name === 'Error') throw new Problem('failed', textOf(told, 'Message'), 200, textOf(told, 'Code'))
}
