// SPDX-License-Identifier: Apache-2.0
// A little of everything for pictures: documents that were searched by their meaning, files that cannot be read, objects, snapshots, keys.
import fs from 'node:fs'
import path from 'node:path'
import zlib from 'node:zlib'

const docs = path.resolve(import.meta.dirname, '../../docs')

/** A picture of two colours, of 64 by 64 pixels. */
function png () {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const out = Buffer.alloc(body.length + 8)
    out.writeUInt32BE(data.length, 0)
    body.copy(out, 4)
    out.writeUInt32BE(zlib.crc32(body), body.length + 4)
    return out
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(64, 0); head.writeUInt32BE(64, 4); head[8] = 8; head[9] = 2
  const rows = Buffer.concat(Array.from({ length: 64 }, (_, y) => Buffer.concat([Buffer.from([0]), ...Array.from({ length: 64 }, (_, x) => Buffer.from(((x >> 3) + (y >> 3)) % 2 ? [11, 107, 94] : [230, 240, 236]))])))
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('IDAT', zlib.deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}

export async function fillSample (cairn) {
  const until = async (done) => { while (!await done()) await new Promise((resolve) => setTimeout(resolve, 50)) }
  const folder = path.join(cairn.documents, 'docs')
  fs.cpSync(docs, folder, { recursive: true, filter: (name) => !name.endsWith('.png') })
  fs.writeFileSync(path.join(folder, 'letter.pdf'), '%PDF-1.7 damaged')
  fs.writeFileSync(path.join(folder, 'backup.bin'), Buffer.from([0, 1, 2, 3]))
  await cairn.ask('PUT', '/_connector/docs', { index_name: 'docs', service_type: 'directory', name: 'Documents of the project' })
  await cairn.ask('PUT', '/_connector/docs/_configuration', { values: { path: folder, semantic: true } })
  await cairn.ask('POST', '/_connector/_sync_job', { id: 'docs', job_type: 'full' })
  await until(async () => (await cairn.ask('GET', '/_connector/_sync_job?connector_id=docs')).results.every((job) => job.completed_at))

  const books = [['Around the Moon', 'Verne', 1870], ['Moby Dick', 'Melville', 1851], ['Walden', 'Thoreau', 1854], ['Bleak House', 'Dickens', 1853], ['The Waves', 'Woolf', 1931]]
  await cairn.ask('PUT', '/books', {
    settings: { 'index.public': true },
    mappings: { _meta: { search_page: { title: 'The library', facets: ['author'] } }, properties: { title: { type: 'text' }, author: { type: 'keyword' }, year: { type: 'integer' } } }
  })
  await cairn.ask('POST', '/books/_bulk?refresh=true', books.map(([title, author, year], n) => `{"index":{"_id":"${n}"}}\n${JSON.stringify({ title, author, year })}\n`).join(''))

  const put = async (place, body, type) => {
    const answer = await fetch(`${cairn.api}/_cairn/objects/${place}`, { method: 'PUT', body, headers: { authorization: 'ApiKey ' + cairn.adminKey, ...(type ? { 'content-type': type } : {}) } })
    if (!answer.ok) throw new Error(`PUT ${place} answered ${answer.status}: ${await answer.text()}`)
  }
  await put('papers')
  for (let n = 1; n <= 12; n++) await put(`papers/report-${String(n).padStart(2, '0')}.txt`, `Report ${n}\n`.repeat(40 * n), 'text/plain')
  await put('papers/2026/plan.md', '# Plan\n', 'text/markdown')
  await put('papers/board.png', png(), 'image/png')

  await cairn.ask('PUT', '/_snapshot/safe', { type: 'fs', settings: { location: path.join(cairn.folder, 'repositories', 'safe') } })
  await cairn.ask('PUT', '/_snapshot/safe/first?wait_for_completion=true', { indices: 'books' })
  await cairn.ask('PUT', '/_snapshot/safe/second?wait_for_completion=true', { indices: 'books,docs' })
  const { encoded } = await cairn.ask('POST', '/_security/api_key', { name: 'library', role_descriptors: { r: { cluster: ['monitor'], indices: [{ names: ['books'], privileges: ['read'] }] } } })
  for (let n = 0; n < 5; n++) await cairn.ask('GET', '/books/_search?q=title:moon', undefined, { key: encoded })
  await cairn.ask('PUT', '/refused', undefined, { key: encoded }).then(() => { throw new Error('a reader made an index') }, () => undefined)
}

/** Each page of the console, by a name and its place; `ready`: a word that is seen when it is complete. */
export const places = [
  ['overview', 'overview', 'Disk of the data folder'],
  ['indices', 'indices', 'books'],
  ['index', 'indices/books', 'Documents'],
  ['index-documents', 'indices/books?tab=documents', 'Walden'],
  ['index-mapping', 'indices/books?tab=mapping', 'author'],
  ['index-settings', 'indices/books?tab=settings', 'index.refresh_interval'],
  ['document', 'indices/books/document/1', 'Melville'],
  ['search', 'search/docs?q=' + encodeURIComponent('how do I get my data back after a disk is lost'), 'Why here?'],
  ['chat', 'chat', 'Chat'],
  ['connectors', 'connectors', 'Documents of the project'],
  ['connector', 'connectors/docs', 'Documents written'],
  ['connector-problems', 'connectors/docs?tab=problems', 'letter.pdf'],
  ['connector-schedule', 'connectors/docs?tab=schedule', 'Sync by itself'],
  ['connector-new', 'connectors?new=kind', 'What is to be read?'],
  ['inference', 'inference', '.cairn-sparse'],
  ['inference-endpoint', 'inference/.cairn-sparse', '.cairn-sparse'],
  ['models', 'models', 'cairn-mini'],
  ['buckets', 'objects', 'papers'],
  ['objects', 'objects/papers', 'report-01.txt'],
  ['object', 'objects/papers?key=report-01.txt', 'text/plain'],
  ['object-lifecycle', 'objects/papers?tab=lifecycle', 'No rule'],
  ['bucket-settings', 'objects/papers?tab=settings', 'Public access'],
  ['snapshots', 'snapshots', 'safe'],
  ['repository', 'snapshots/safe', 'second'],
  ['backups', 'snapshots?tab=backups', 'ackup'],
  ['limits', 'limits', 'Who uses most'],
  ['keys', 'keys', 'library'],
  ['key-new', 'keys?new=1', 'Make an API key'],
  ['sessions', 'keys?tab=sessions', 'this one'],
  ['audit', 'audit', 'may not'],
  ['settings', 'settings', 'Persistent settings']
]
