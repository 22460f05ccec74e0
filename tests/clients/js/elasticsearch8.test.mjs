// The official client 8, unmodified, against a server of the version after it.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client, errors } from 'elasticsearch8'
import { fillNumbers, startCairn } from './server.mjs'

const count = 1200
let cairn, client

const answers = (status, type) => (error) => {
  assert.ok(error instanceof errors.ResponseError, error)
  assert.equal(error.statusCode, status)
  assert.equal(error.body.error.type, type)
  return true
}

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
  await fillNumbers(client, count, 7)
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('media types: the version that a client names is the one that it is answered in', async () => {
  assert.equal(await client.ping(), true)
  const { headers, body } = await client.info({}, { meta: true })
  assert.equal(headers['content-type'], 'application/vnd.elasticsearch+json;compatible-with=8')
  assert.equal(headers['x-elastic-product'], 'Elasticsearch')
  assert.equal(body.tagline, 'You Know, for Search')
  const searched = await client.search({ index: 'numbers' }, { meta: true })
  assert.equal(searched.headers['content-type'], 'application/vnd.elasticsearch+json;compatible-with=8')
  const written = await client.bulk({ operations: [{ index: { _index: 'media' } }, { a: 1 }] }, { meta: true })
  assert.equal(written.headers['content-type'], 'application/vnd.elasticsearch+json;compatible-with=8')
  const table = await client.cat.count({ index: 'numbers' }, { meta: true })
  assert.match(table.headers['content-type'], /^text\/plain/)
  assert.match(table.body, new RegExp(' ' + count + '\\n$'))
})

test('documents: written, read, updated, deleted', async () => {
  const made = await client.index({ index: 'notes', id: '1', document: { text: 'one' }, refresh: 'wait_for' })
  assert.equal(made.result, 'created')
  assert.deepEqual((await client.get({ index: 'notes', id: '1' }))._source, { text: 'one' })
  assert.deepEqual(await client.getSource({ index: 'notes', id: '1' }), { text: 'one' })
  assert.equal((await client.update({ index: 'notes', id: '1', doc: { more: 2 } })).result, 'updated')
  assert.equal((await client.update({ index: 'notes', id: '2', doc: { more: 3 }, doc_as_upsert: true })).result, 'created')
  const several = await client.mget({ index: 'notes', ids: ['1', '2', '3'] })
  assert.deepEqual(several.docs.map((one) => one.found), [true, true, false])
  await assert.rejects(client.index({ index: 'notes', id: '1', document: {}, if_seq_no: 0, if_primary_term: 1 }),
    answers(409, 'version_conflict_engine_exception'))
  await assert.rejects(client.create({ index: 'notes', id: '1', document: {} }), answers(409, 'version_conflict_engine_exception'))
  assert.equal((await client.delete({ index: 'notes', id: '1' })).result, 'deleted')
  assert.equal(await client.exists({ index: 'notes', id: '1' }), false)
  await assert.rejects(client.get({ index: 'notes', id: '1' }), (error) => error.statusCode === 404 && error.body.found === false)
})

test('a request with the key `body`, as clients before 8 had it', async () => {
  await client.indices.create({ index: 'olden', body: { mappings: { properties: { word: { type: 'keyword' } } } } })
  await client.index({ index: 'olden', body: { word: 'thou' }, refresh: true })
  const { hits } = await client.search({ index: 'olden', body: { query: { term: { word: 'thou' } } } })
  assert.deepEqual(hits.total, { value: 1, relation: 'eq' })
  const numbered = await client.search({ index: 'olden', rest_total_hits_as_int: true, q: 'word:thou' })
  assert.equal(numbered.hits.total, 1)
  const mappings = await client.indices.getMapping({ index: 'olden' })
  assert.deepEqual(mappings.olden.mappings, { properties: { word: { type: 'keyword' } } })
})

test('search: sorted, filtered, counted in buckets', async () => {
  const found = await client.search({
    index: 'numbers',
    size: 3,
    query: { bool: { filter: [{ term: { word: 'w3' } }, { range: { n: { gte: 100 } } }] } },
    sort: [{ n: 'desc' }],
    fields: ['n'],
    _source: false,
    track_total_hits: true,
    aggs: { words: { terms: { field: 'word', size: 3, order: { _key: 'desc' } }, aggs: { most: { max: { field: 'n' } } } } }
  })
  const all = Array.from({ length: count }, (_, n) => n).filter((n) => n % 7 === 3 && n >= 100)
  assert.equal(found.hits.total.value, all.length)
  assert.deepEqual(found.hits.hits.map((hit) => hit.fields.n[0]), all.slice(-3).reverse())
  assert.deepEqual(found.aggregations.words.buckets, [{ key: 'w3', doc_count: all.length, most: { value: all.at(-1) } }])
  const { responses } = await client.msearch({
    searches: [{ index: 'numbers' }, { query: { term: { n: 5 } } }, { index: 'none' }, {}]
  })
  assert.deepEqual(responses.map((one) => one.status), [200, 404])
  assert.equal((await client.count({ index: 'numbers', query: { range: { n: { lt: 50 } } } })).count, 50)
})

test('helpers: bulk tells what was dropped, and flushes by size', async () => {
  await client.indices.create({ index: 'helped', mappings: { properties: { n: { type: 'integer' } } } })
  const dropped = []
  const done = await client.helpers.bulk({
    datasource: Array.from({ length: 300 }, (_, n) => ({ n: n % 100 === 7 ? 'no number' : n })),
    flushBytes: 2000,
    concurrency: 3,
    refreshOnCompletion: true,
    onDocument: (document) => [{ update: { _index: 'helped', _id: 'h' + document.n } }, { doc_as_upsert: true }],
    onDrop: ({ document, error, status }) => dropped.push([document.doc.n, error.type, status])
  })
  assert.deepEqual([done.total, done.successful, done.failed], [300, 297, 3])
  assert.deepEqual(dropped, Array(3).fill(['no number', 'document_parsing_exception', 400]))
  assert.equal((await client.count({ index: 'helped' })).count, 297)
  const removed = await client.deleteByQuery({ index: 'helped', query: { range: { n: { gte: 100 } } }, refresh: true })
  assert.equal(removed.deleted, 198)
  assert.equal((await client.count({ index: 'helped' })).count, 99)
})

test('helpers: scrollSearch, scrollDocuments and search', async () => {
  const seen = new Set()
  for await (const page of client.helpers.scrollSearch({ index: 'numbers', size: 250, query: { match_all: {} } })) {
    assert.equal(page.body.hits.total.value, count)
    for (const document of page.documents) seen.add(document.n)
  }
  assert.equal(seen.size, count)
  let found = 0
  for await (const document of client.helpers.scrollDocuments({ index: 'numbers', query: { term: { word: 'w1' } } })) {
    assert.equal(document.n % 7, 1)
    found++
  }
  assert.equal(found, Math.ceil((count - 1) / 7))
  const documents = await client.helpers.search({ index: 'numbers', query: { term: { n: 9 } } })
  assert.deepEqual(documents, [{ _id: 'id9', n: 9, word: 'w2' }])
})

test('helpers: msearch puts the searches of one moment together', async () => {
  const searcher = client.helpers.msearch({ operations: 10, flushInterval: 20 })
  const found = await Promise.all(Array.from({ length: 25 }, (_, n) => searcher.search({ index: 'numbers' }, { query: { term: { n } } })))
  assert.deepEqual(found.map((one) => one.documents.map((document) => document.n)), Array.from({ length: 25 }, (_, n) => [n]))
  await assert.rejects(searcher.search({ index: 'numbers' }, { query: { no_query: {} } }), answers(400, 'parsing_exception'))
  searcher.stop()
})

test('a point in time is paged by search_after', async () => {
  const { id } = await client.openPointInTime({ index: 'numbers', keep_alive: '1m' })
  let seen = 0
  for (let search_after; ;) {
    const page = await client.search({ pit: { id, keep_alive: '1m' }, size: 500, sort: [{ n: 'asc' }], search_after })
    if (page.hits.hits.length === 0) break
    assert.equal(page.hits.hits[0]._source.n, seen)
    seen += page.hits.hits.length
    search_after = page.hits.hits.at(-1).sort
  }
  assert.equal(seen, count)
  assert.equal((await client.closePointInTime({ id })).num_freed, 1)
})

test('indices, cat, cluster and tasks: how things are', async () => {
  assert.equal(await client.indices.exists({ index: 'numbers' }), true)
  assert.equal(await client.indices.exists({ index: 'absent' }), false)
  await client.indices.putMapping({ index: 'numbers', properties: { text: { type: 'text' } } })
  await client.indices.putSettings({ index: 'numbers', settings: { index: { refresh_interval: '2s' } } })
  const shown = (await client.indices.get({ index: 'numbers' })).numbers
  assert.equal(shown.mappings.properties.text.type, 'text')
  assert.equal(shown.settings.index.refresh_interval, '2s')
  await client.indices.updateAliases({ actions: [{ add: { index: 'numbers', alias: 'digits' } }] })
  assert.deepEqual(Object.keys((await client.indices.getAlias({ index: 'numbers' })).numbers.aliases), ['digits'])
  const [row] = await client.cat.indices({ index: 'numbers', format: 'json' })
  assert.equal(row['docs.count'], String(count))
  assert.deepEqual((await client.cat.aliases({ format: 'json' })).map((one) => one.alias), ['digits'])
  const health = await client.cluster.health({ wait_for_status: 'yellow' })
  assert.equal(health.timed_out, false)
  assert.equal((await client.indices.stats({ index: 'numbers' })).indices.numbers.primaries.docs.count, count)
  const { task } = await client.reindex({ source: { index: 'numbers' }, dest: { index: 'copy' }, wait_for_completion: false, refresh: true })
  const state = await client.tasks.get({ task_id: task, wait_for_completion: true })
  assert.equal(state.response.created, count)
  assert.equal((await client.count({ index: 'copy' })).count, count)
})

test('errors: names, words and causes are where the client looks for them', async () => {
  await assert.rejects(client.search({ index: 'absent' }), answers(404, 'index_not_found_exception'))
  await assert.rejects(client.search({ index: 'absent' }), /index_not_found_exception/)
  await assert.rejects(client.search({ index: 'numbers', query: { no_query: {} } }), answers(400, 'parsing_exception'))
  await assert.rejects(client.indices.create({ index: 'numbers' }), answers(400, 'resource_already_exists_exception'))
  await assert.rejects(client.indices.create({ index: 'Upper' }), answers(400, 'invalid_index_name_exception'))
  await assert.rejects(client.indices.unfreeze({ index: 'numbers' }), /no handler found for uri/)
  assert.equal((await client.search({ index: 'absent' }, { ignore: [404] })).status, 404)
  const stranger = new Client({ node: cairn.api, auth: { apiKey: 'YTpi' } })
  await assert.rejects(stranger.info(), answers(401, 'security_exception'))
  await stranger.close()
  const nowhere = new Client({ node: 'http://127.0.0.1:1', maxRetries: 0 })
  await assert.rejects(nowhere.info(), errors.ConnectionError)
  await nowhere.close()
})

test('bodies are compressed where the client says so', async () => {
  const small = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey }, compression: true })
  await small.index({ index: 'pressed', id: '1', document: { text: 'again '.repeat(500) } })
  const { body, headers } = await small.get({ index: 'pressed', id: '1' }, { meta: true })
  assert.equal(headers['content-encoding'], 'gzip')
  assert.equal(body._source.text.length, 3000)
  await small.close()
})
