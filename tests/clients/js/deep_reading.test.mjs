// Reading more than a page, as the official client's helpers and elasticdump do it.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@elastic/elasticsearch'
import { fillNumbers, startCairn } from './server.mjs'

const run = promisify(execFile)
const count = 2500
let cairn, client

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
  await fillNumbers(client, count, 7)
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('scrollSearch: every page, and the scroll is cleared', async () => {
  const seen = new Set()
  for await (const page of client.helpers.scrollSearch({ index: 'numbers', size: 400, query: { match_all: {} } })) {
    assert.equal(page.body.hits.total.value, count)
    for (const document of page.documents) seen.add(document.n)
  }
  assert.equal(seen.size, count)
})

test('scrollDocuments: every document of a query', async () => {
  let found = 0
  for await (const document of client.helpers.scrollDocuments({ index: 'numbers', query: { term: { word: 'w3' } } })) {
    assert.equal(document.n % 7, 3)
    found++
  }
  assert.equal(found, 357)
})

test('slices of a scroll share the documents out', async () => {
  const seen = []
  for (let id = 0; id < 3; id++) {
    let page = await client.search({ index: 'numbers', scroll: '1m', size: 300, slice: { id, max: 3 }, sort: ['_doc'] })
    while (page.hits.hits.length > 0) {
      seen.push(...page.hits.hits.map((hit) => hit._id))
      page = await client.scroll({ scroll_id: page._scroll_id, scroll: '1m' })
    }
    assert.equal((await client.clearScroll({ scroll_id: page._scroll_id })).num_freed, 1)
  }
  assert.equal(seen.length, count)
  assert.equal(new Set(seen).size, count)
})

test('a point in time is paged by search_after while the index changes', async () => {
  const pit = await client.openPointInTime({ index: 'numbers', keep_alive: '1m' })
  await client.index({ index: 'numbers', id: 'later', document: { n: -1, word: 'later' }, refresh: true })
  const seen = []
  let cursor
  for (;;) {
    const page = await client.search({
      pit: { id: pit.id, keep_alive: '1m' }, size: 700, sort: [{ word: 'desc' }], search_after: cursor
    })
    assert.equal(page.pit_id, pit.id)
    if (page.hits.hits.length === 0) break
    seen.push(...page.hits.hits.map((hit) => hit._source.n))
    cursor = page.hits.hits.at(-1).sort
  }
  assert.equal(seen.length, count)
  assert.equal(new Set(seen).size, count)
  assert.deepEqual({ ...await client.closePointInTime({ id: pit.id }) }, { succeeded: true, num_freed: 1 })
  await assert.rejects(client.closePointInTime({ id: pit.id }), (error) => error.statusCode === 404)
  await client.delete({ index: 'numbers', id: 'later', refresh: true })
})

test('searchShards names the one shard of each index', async () => {
  const answer = await client.searchShards({ index: 'numbers' })
  assert.equal(answer.shards.length, 1)
  assert.equal(answer.shards[0][0].index, 'numbers')
  assert.ok(answer.nodes[answer.shards[0][0].node].name)
})

test('elasticdump: dumped, loaded, and the same', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-dump-'))
  const headers = JSON.stringify({ Authorization: 'ApiKey ' + cairn.adminKey })
  const dump = (...words) => run(process.execPath, ['node_modules/elasticdump/bin/elasticdump', '--headers=' + headers, ...words])
  for (const type of ['mapping', 'data']) {
    const file = path.join(folder, type + '.json')
    await dump('--input=' + cairn.api + '/numbers', '--output=' + file, '--type=' + type, '--limit=500')
    await dump('--input=' + file, '--output=' + cairn.api + '/copy', '--type=' + type, '--limit=500')
  }
  await client.indices.refresh({ index: 'copy' })
  const [of, to] = await Promise.all(['numbers', 'copy'].map(async (index) => {
    const documents = {}
    for await (const page of client.helpers.scrollSearch({ index, size: 1000, query: { match_all: {} } })) {
      for (const hit of page.body.hits.hits) documents[hit._id] = hit._source
    }
    return documents
  }))
  assert.equal(Object.keys(to).length, count)
  assert.deepEqual(to, of)
  const mappings = await Promise.all(['numbers', 'copy'].map(async (index) =>
    (await client.indices.getMapping({ index }))[index].mappings))
  assert.deepEqual(mappings[1], mappings[0])
  fs.rmSync(folder, { recursive: true })
})
