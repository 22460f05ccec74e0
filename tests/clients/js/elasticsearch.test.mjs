// The official search client, unmodified: what an application does in its first hour.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { Client, errors } from '@elastic/elasticsearch'
import { startCairn } from './server.mjs'

let cairn, client

before(async () => {
  cairn = await startCairn({ documents: true })
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('ping and info', async () => {
  assert.equal(await client.ping(), true)
  const info = await client.info()
  assert.equal(info.tagline, 'You Know, for Search')
  assert.match(info.version.number, /^9\./)
})

test('a wrong key is a 401 with the platform\'s body', async () => {
  const stranger = new Client({ node: cairn.api, auth: { apiKey: Buffer.from('a:b').toString('base64') } })
  await assert.rejects(stranger.info(), (error) => {
    assert.ok(error instanceof errors.ResponseError)
    assert.equal(error.statusCode, 401)
    assert.equal(error.body.error.type, 'security_exception')
    return true
  })
  await stranger.close()
})

test('keys: created with narrow rights, refused beyond them', async () => {
  const made = await client.security.createApiKey({
    name: 'reader',
    role_descriptors: { reader: { cluster: ['monitor'], indices: [{ names: ['books'], privileges: ['read'] }] } }
  })
  assert.equal(Buffer.from(`${made.id}:${made.api_key}`).toString('base64'), made.encoded)
  const reader = new Client({ node: cairn.api, auth: { apiKey: made.encoded } })
  assert.equal((await reader.security.authenticate()).authentication_type, 'api_key')
  await assert.rejects(reader.indices.create({ index: 'books' }), (error) => error.statusCode === 403)
  await client.security.invalidateApiKey({ ids: [made.id] })
  await assert.rejects(reader.info(), (error) => error.statusCode === 401)
  await reader.close()
})

test('connector: put, replaced, listed; a sync job brings a folder', async () => {
  const put = await client.connector.put({
    connector_id: 'folder', index_name: 'folder', name: 'Folder', service_type: 'directory'
  })
  assert.deepEqual({ ...put }, { result: 'created', id: 'folder' })
  const again = await client.connector.put({
    connector_id: 'folder', index_name: 'folder', name: 'Folder', service_type: 'directory'
  })
  assert.equal(again.result, 'updated')
  const generated = await client.connector.put({ name: 'no id' })
  assert.equal(generated.result, 'created')
  assert.ok(generated.id.length > 10)
  await client.connector.updateConfiguration({ connector_id: 'folder', values: { path: cairn.documents } })
  const job = await client.connector.syncJobPost({ id: 'folder', job_type: 'full' })
  let state
  for (let i = 0; i < 600; i++) {
    state = await client.connector.syncJobGet({ connector_sync_job_id: job.id })
    if (!['pending', 'in_progress'].includes(state.status)) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  assert.equal(state.status, 'completed', JSON.stringify(state.error))
  assert.equal(state.indexed_document_count, 3)
  assert.equal((await client.count({ index: 'folder' })).count, 3)
  assert.equal((await client.connector.list()).count, 2)
})

test('inference: an endpoint for each task, deployed and used', async () => {
  const made = await client.inference.put({
    task_type: 'text_embedding',
    inference_id: 'my-dense',
    inference_config: { service: 'cairn', service_settings: { model_id: 'cairn-mini', num_threads: 1, num_allocations: 1 } }
  })
  assert.equal(made.inference_id, 'my-dense')
  assert.equal(made.task_type, 'text_embedding')
  const stats = await client.ml.getTrainedModelsStats({ model_id: 'cairn-mini' })
  const allocation = stats.trained_model_stats[0].deployment_stats.allocation_status
  assert.equal(allocation.state, 'fully_allocated')
  assert.equal(allocation.allocation_count, allocation.target_allocation_count)
  const dense = await client.inference.textEmbedding({ inference_id: 'my-dense', input: ['a cat', 'a dog'] })
  assert.equal(dense.text_embedding.length, 2)
  const sparse = await client.inference.sparseEmbedding({ inference_id: '.elser-2-elasticsearch', input: 'a cat sat' })
  assert.ok(Object.keys(sparse.sparse_embedding[0].embedding).length > 0)
  const ranked = await client.inference.rerank({
    inference_id: '.rerank-v1-elasticsearch', query: 'copy a file', input: ['list the users', 'duplicate a file']
  })
  assert.equal(ranked.rerank[0].index, 1)
})

test('bulk, search and the helpers', async () => {
  await client.indices.create({
    index: 'books',
    mappings: {
      properties: {
        title: { type: 'text' },
        year: { type: 'integer' },
        about: { type: 'semantic_text', inference_id: 'my-dense' }
      }
    }
  })
  const books = [
    { title: 'Twenty Thousand Leagues Under the Seas', year: 1870, about: 'a voyage below the ocean' },
    { title: 'Dracula', year: 1897, about: 'a vampire comes to England' },
    { title: 'The Time Machine', year: 1895, about: 'a journey into the far future' }
  ]
  const written = await client.bulk({
    refresh: true,
    operations: books.flatMap((book, i) => [{ index: { _index: 'books', _id: String(i) } }, book])
  })
  assert.equal(written.errors, false)
  const words = await client.search({ index: 'books', query: { match: { title: 'time' } } })
  assert.equal(words.hits.total.value, 1)
  assert.equal(words.hits.hits[0]._id, '2')
  const meaning = await client.search({ index: 'books', query: { semantic: { field: 'about', query: 'sea' } } })
  assert.equal(meaning.hits.hits[0]._id, '0')
  const range = await client.search({
    index: 'books', query: { range: { year: { gte: 1895 } } }, sort: [{ year: 'asc' }], _source: ['title']
  })
  assert.deepEqual(range.hits.hits.map((hit) => hit._id), ['2', '1'])
  const fused = await client.search({
    index: 'books',
    retriever: {
      rrf: {
        retrievers: [
          { standard: { query: { match: { title: 'dracula' } } } },
          { standard: { query: { semantic: { field: 'about', query: 'vampire' } } } }
        ]
      }
    }
  })
  assert.equal(fused.hits.hits[0]._id, '1')
  const result = await client.helpers.bulk({
    datasource: Array.from({ length: 1000 }, (_, n) => ({ n })),
    onDocument: () => ({ index: { _index: 'numbers' } })
  })
  assert.equal(result.successful, 1000)
  await client.indices.refresh({ index: 'numbers' })
  assert.equal((await client.count({ index: 'numbers' })).count, 1000)
  await assert.rejects(client.search({ index: 'absent' }), (error) =>
    error.statusCode === 404 && error.body.error.type === 'index_not_found_exception')
})

test('searches from templates: kept, shown, searched, rated', async () => {
  await client.putScript({
    id: 'since', script: { lang: 'mustache', source: { query: { range: { year: { gte: '{{year}}{{^year}}0{{/year}}' } } } } }
  })
  assert.equal((await client.getScript({ id: 'since' })).script.lang, 'mustache')
  const found = await client.searchTemplate({ index: 'books', id: 'since', params: { year: 1895 } })
  assert.equal(found.hits.total.value, 2)
  const own = await client.searchTemplate({
    index: 'books', source: '{"query": {"terms": {"year": {{#toJson}}years{{/toJson}}}}}', params: { years: [1870, 1897] }
  })
  assert.deepEqual(own.hits.hits.map((hit) => hit._id).sort(), ['0', '1'])
  const several = await client.msearchTemplate({
    index: 'books', search_templates: [{}, { id: 'since', params: { year: 1900 } }, {}, { id: 'since' }]
  })
  assert.deepEqual(several.responses.map((one) => one.hits.total.value), [0, 3])
  const shown = await client.renderSearchTemplate({ id: 'since', params: { year: 1 } })
  assert.deepEqual(shown.template_output, { query: { range: { year: { gte: '1' } } } })
  const rated = await client.rankEval({
    index: 'books', templates: [{ id: 't', template: { id: 'since' } }], metric: { precision: { k: 3 } },
    requests: [{ id: 'new', template_id: 't', params: { year: 1896 }, ratings: [{ _index: 'books', _id: '1', rating: 1 }] }]
  })
  assert.equal(rated.metric_score, 1)
  await assert.rejects(client.searchTemplate({ index: 'books', id: 'none' }), (error) => error.statusCode === 404)
})

test('async searches: begun, looked at, kept, deleted', async () => {
  const search = { index: 'books', query: { range: { year: { gte: 1895 } } }, aggs: { newest: { max: { field: 'year' } } } }
  const seen = await client.asyncSearch.submit({ ...search, wait_for_completion_timeout: '60s' })
  assert.equal(seen.id, undefined)
  assert.equal(seen.is_running, false)
  assert.equal(seen.response.hits.total.value, 2)
  const begun = await client.asyncSearch.submit({ ...search, wait_for_completion_timeout: 0, keep_on_completion: true, keep_alive: '1h' }, { meta: true })
  const { id } = begun.body
  assert.equal(begun.headers['x-elasticsearch-async-id'], id)
  const ended = await client.asyncSearch.get({ id, wait_for_completion_timeout: '60s' }, { meta: true })
  assert.equal(ended.headers['x-elasticsearch-async-is-running'], '?0')
  assert.equal(ended.body.response.aggregations.newest.value, 1897)
  const typed = await client.asyncSearch.get({ id, typed_keys: true, keep_alive: '2h', return_intermediate_results: true })
  assert.equal(typed.response.aggregations['max#newest'].value, 1897)
  assert.ok(typed.expiration_time_in_millis > ended.body.expiration_time_in_millis)
  const status = await client.asyncSearch.status({ id, keep_alive: '1h' })
  assert.equal(status.completion_status, 200)
  assert.deepEqual({ ...status._shards }, { total: 1, successful: 1, skipped: 0, failed: 0 })
  assert.equal((await client.asyncSearch.delete({ id })).acknowledged, true)
  await assert.rejects(client.asyncSearch.get({ id }), (error) =>
    error.statusCode === 404 && error.body.error.type === 'resource_not_found_exception')
})

test('documents: written, read, updated, deleted', async () => {
  const made = await client.index({ index: 'notes', id: '1', document: { text: 'one' }, refresh: true })
  assert.equal(made.result, 'created')
  assert.equal((await client.get({ index: 'notes', id: '1' }))._source.text, 'one')
  assert.equal((await client.update({ index: 'notes', id: '1', doc: { more: 2 } })).result, 'updated')
  assert.deepEqual((await client.get({ index: 'notes', id: '1' }))._source, { text: 'one', more: 2 })
  await assert.rejects(client.create({ index: 'notes', id: '1', document: {} }), (error) => error.statusCode === 409)
  assert.equal((await client.delete({ index: 'notes', id: '1' })).result, 'deleted')
  assert.equal(await client.exists({ index: 'notes', id: '1' }), false)
})

test('snapshots: into a folder, cleaned up, restored', async () => {
  fs.mkdirSync(cairn.repositories, { recursive: true })
  await client.snapshot.createRepository({
    name: 'shelf', repository: { type: 'fs', settings: { location: cairn.repositories } }
  })
  const made = await client.snapshot.create({
    repository: 'shelf', snapshot: 'one', indices: 'books', include_global_state: true, wait_for_completion: true
  })
  assert.equal(made.snapshot.state, 'SUCCESS')
  const listed = await client.snapshot.get({ repository: 'shelf', snapshot: 'one' })
  assert.deepEqual(listed.snapshots[0].failures, [])
  const cleaned = await client.snapshot.cleanupRepository({ name: 'shelf' })
  assert.deepEqual({ ...cleaned.results }, { deleted_bytes: 0, deleted_blobs: 0 })
  await client.indices.delete({ index: 'books' })
  await client.deleteScript({ id: 'since' })
  await client.snapshot.restore({
    repository: 'shelf', snapshot: 'one', indices: 'books', include_global_state: true, wait_for_completion: true
  })
  assert.equal((await client.getScript({ id: 'since' })).found, true)
  assert.equal((await client.count({ index: 'books' })).count, 3)
  await client.snapshot.delete({ repository: 'shelf', snapshot: 'one' })
})
