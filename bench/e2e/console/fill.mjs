// SPDX-License-Identifier: Apache-2.0
// A server with much in it: small documents, objects of one folder, files that a connector cannot read, lines of the audit log.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'

const words = 'sea ship harbour wind rope sail night star water stone bread winter road letter lamp garden river bridge clock window paper forest snow fire salt glass copper wool chalk thunder'.split(' ')
/** The same texts in every run. */
const text = (n) => Array.from({ length: 8 }, (_, i) => words[(n * 7 + i * i * (n % 13 + 1) + i) % words.length]).join(' ')

/** Asks over kept connections, `wide` at a time; `of(n)` gives method, path, body, headers and the status that is right. */
async function many (origin, count, wide, of) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: wide })
  const one = (n) => new Promise((resolve, reject) => {
    const { method, path, body, headers, status } = of(n)
    const request = http.request(origin + path, { method, agent, headers }, (answer) => {
      const right = status ? answer.statusCode === status : answer.statusCode < 300
      const parts = []
      answer.on('data', (part) => { if (!right) parts.push(part) })
      answer.on('end', () => right ? resolve() : reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${Buffer.concat(parts)}`)))
    })
    request.on('error', reject)
    request.end(body)
  })
  let next = 0
  await Promise.all(Array.from({ length: wide }, async () => { while (next < count) await one(next++) }))
  agent.destroy()
}

export async function fill (cairn, { documents, objects, files, lines }) {
  const key = { authorization: 'ApiKey ' + cairn.adminKey }
  await cairn.ask('PUT', '/many', { mappings: { properties: { n: { type: 'integer' }, text: { type: 'text' } } } })
  const batch = 5000
  await many(cairn.api, Math.ceil(documents / batch), 2, (at) => ({
    method: 'POST', path: '/many/_bulk', headers: { ...key, 'content-type': 'application/x-ndjson' },
    body: Array.from({ length: Math.min(batch, documents - at * batch) }, (_, i) => `{"index":{"_id":"${at * batch + i}"}}\n{"n":${at * batch + i},"text":"${text(at * batch + i)}"}\n`).join('')
  }))
  await cairn.ask('POST', '/many/_refresh')
  const { count } = await cairn.ask('GET', '/many/_count')
  if (count !== documents) throw new Error(`${count} documents of ${documents} are there`)

  const bucket = '/_cairn/objects/heap'
  await many(cairn.api, 1, 1, () => ({ method: 'PUT', path: bucket, headers: key }))
  await many(cairn.api, objects, 32, (n) => ({ method: 'PUT', path: `${bucket}/papers/${String(n).padStart(6, '0')}-${words[n % words.length]}.txt`, headers: { ...key, 'content-type': 'text/plain' }, body: text(n) }))

  // Some are damaged, most are of a kind that holds no text: both are told of, one by one. Each damaged one costs a process that looks at it.
  const folder = path.join(cairn.documents, 'broken')
  for (let n = 0; n < files; n++) {
    const parent = path.join(folder, String(Math.floor(n / 1000)))
    if (n % 1000 === 0) fs.mkdirSync(parent, { recursive: true })
    fs.writeFileSync(path.join(parent, `${words[n % words.length]}-${n}.${n % 20 ? 'bin' : 'pdf'}`), n % 20 === 0 ? '%PDF-1.7 damaged ' + n : Buffer.from([0, 1, 2, n % 256]))
  }
  await cairn.ask('PUT', '/_connector/broken', { index_name: 'broken', service_type: 'directory' })
  await cairn.ask('PUT', '/_connector/broken/_configuration', { values: { path: folder, error_budget: files } })
  await cairn.ask('POST', '/_connector/_sync_job', { id: 'broken', job_type: 'full' })
  for (;;) {
    const { results: [job] } = await cairn.ask('GET', '/_connector/_sync_job?connector_id=broken')
    if (job.completed_at) break
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const problems = (await cairn.ask('GET', '/_connector/broken/_problems?size=1')).count
  if (problems < files) throw new Error(`${problems} problems of ${files} files`)

  // Each refusal is a line of the audit log.
  const { encoded } = await cairn.ask('POST', '/_security/api_key', { name: 'stranger', role_descriptors: { none: { cluster: ['monitor'] } } })
  await many(cairn.api, lines, 16, (n) => ({ method: 'PUT', path: '/refused-' + n, headers: { authorization: 'ApiKey ' + encoded }, status: 403 }))
}
