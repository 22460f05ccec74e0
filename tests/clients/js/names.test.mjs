// Other names of indices, as the official client asks for them.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client, errors } from '@elastic/elasticsearch'
import { startCairn } from './server.mjs'

let cairn, client

const answers = (status) => (error) => error instanceof errors.ResponseError && error.statusCode === status

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('aliases: made with an index, listed, narrowed, removed', async () => {
  await client.indices.create({
    index: 'books-1',
    mappings: { properties: { title: { type: 'text' }, year: { type: 'long' } } },
    aliases: { books: { is_write_index: true }, old: { filter: { range: { year: { lt: 1900 } } } } }
  })
  await client.bulk({
    index: 'books', refresh: true,
    operations: [{ index: { _id: '1' } }, { title: 'Sea', year: 1851 }, { index: { _id: '2' } }, { title: 'Sand', year: 1965 }]
  })
  const found = await client.search({ index: 'old' })
  assert.deepEqual(found.hits.hits.map((hit) => [hit._index, hit._id]), [['books-1', '1']])
  assert.equal((await client.count({ index: 'books' })).count, 2)
  assert.equal((await client.get({ index: 'books', id: '2' }))._source.title, 'Sand')
  assert.deepEqual(Object.keys((await client.indices.getAlias())['books-1'].aliases), ['books', 'old'])
  assert.equal(await client.indices.existsAlias({ name: 'old' }), true)
  assert.equal(await client.indices.existsAlias({ name: 'none' }), false)
  await assert.rejects(client.indices.getAlias({ name: 'none' }), answers(404))
  await assert.rejects(client.indices.delete({ index: 'books' }), answers(400))
  const rows = await client.cat.aliases({ format: 'json', name: 'o*' })
  assert.deepEqual(rows.map((row) => [row.alias, row.index, row.filter]), [['old', 'books-1', '*']])
  await client.indices.putAlias({ index: 'books-1', name: 'new', filter: { range: { year: { gte: 1900 } } } })
  assert.equal((await client.count({ index: 'new' })).count, 1)
  await client.indices.deleteAlias({ index: 'books-1', name: ['old', 'new'] })
  await assert.rejects(client.search({ index: 'old' }), answers(404))
})

test('updateAliases: from one index to the next at one moment', async () => {
  await client.indices.create({ index: 'books-2' })
  await client.indices.updateAliases({
    actions: [
      { remove: { index: 'books-1', alias: 'books' } },
      { add: { index: 'books-2', alias: 'books', is_write_index: true } }
    ]
  })
  assert.equal((await client.index({ index: 'books', document: { title: 'Sky' } }))._index, 'books-2')
  const resolved = await client.indices.resolveIndex({ name: 'books' })
  assert.deepEqual(resolved.aliases, [{ name: 'books', indices: ['books-2'] }])
  await assert.rejects(client.indices.updateAliases({ actions: [{ remove: { index: 'books-1', alias: 'books' } }] }), answers(404))
})

test('templates: kept, shown, tried, applied', async () => {
  await client.cluster.putComponentTemplate({ name: 'hosts', template: { mappings: { properties: { host: { type: 'keyword' } } } } })
  assert.equal(await client.cluster.existsComponentTemplate({ name: 'hosts' }), true)
  await client.indices.putIndexTemplate({
    name: 'metrics', index_patterns: ['metrics-*'], composed_of: ['hosts'], priority: 5,
    template: { settings: { refresh_interval: '5s' }, aliases: { all: {} } }
  })
  const tried = await client.indices.simulateIndexTemplate({ name: 'metrics-1' })
  assert.deepEqual(tried.template.mappings, { properties: { host: { type: 'keyword' } } })
  assert.deepEqual(tried.overlapping, [])
  const given = await client.indices.simulateTemplate({ index_patterns: ['z*'], composed_of: ['hosts'] })
  assert.deepEqual(given.template.mappings, { properties: { host: { type: 'keyword' } } })
  await client.index({ index: 'metrics-1', document: { host: 'a' } })
  const made = (await client.indices.get({ index: 'metrics-1' }))['metrics-1']
  assert.equal(made.settings.index.refresh_interval, '5s')
  assert.deepEqual(made.aliases, { all: {} })
  const shown = await client.indices.getIndexTemplate({ name: 'metrics' })
  assert.equal(shown.index_templates[0].index_template.priority, 5)
  assert.equal((await client.cat.templates({ format: 'json', name: 'metrics' }))[0].composed_of, '[hosts]')
  await assert.rejects(client.cluster.deleteComponentTemplate({ name: 'hosts' }), answers(400))
  await client.indices.deleteIndexTemplate({ name: 'metrics' })
  await client.cluster.deleteComponentTemplate({ name: 'hosts' })
  assert.equal(await client.indices.existsIndexTemplate({ name: 'metrics' }), false)
})

test('data streams: made by the bulk helper, rolled over, searched, deleted', async () => {
  await client.indices.putIndexTemplate({ name: 'logs', index_patterns: ['logs-*'], data_stream: {}, priority: 10 })
  const documents = Array.from({ length: 250 }, (_, i) => ({ '@timestamp': new Date(i * 1000).toISOString(), n: i }))
  const done = await client.helpers.bulk({
    datasource: documents, refreshOnCompletion: true,
    onDocument: () => ({ create: { _index: 'logs-app' } })
  })
  assert.deepEqual([done.total, done.failed, done.successful], [250, 0, 250])
  const rolled = await client.indices.rollover({ alias: 'logs-app', conditions: { max_docs: 250 } })
  assert.equal(rolled.rolled_over, true)
  const added = await client.index({ index: 'logs-app', op_type: 'create', refresh: true, document: { '@timestamp': new Date().toISOString() } })
  assert.equal(added._index, rolled.new_index)
  assert.equal((await client.count({ index: 'logs-app' })).count, 251)
  await assert.rejects(client.index({ index: 'logs-app', id: '1', document: { '@timestamp': 0 } }), answers(400))
  const { data_streams: [stream] } = await client.indices.getDataStream({ name: 'logs-app' })
  assert.deepEqual(stream.indices.map((one) => one.index_name), [rolled.old_index, rolled.new_index])
  const stats = await client.indices.dataStreamsStats({ name: 'logs-*' })
  assert.equal(stats.backing_indices, 2)
  await client.indices.create({ index: 'old', mappings: { properties: { '@timestamp': { type: 'date' } } } })
  await client.indices.modifyDataStream({ actions: [{ add_backing_index: { data_stream: 'logs-app', index: 'old' } }] })
  await client.indices.deleteDataStream({ name: 'logs-app' })
  await assert.rejects(client.count({ index: 'old' }), answers(404))
  await client.indices.create({ index: 'plain', mappings: { properties: { '@timestamp': { type: 'date' } } }, aliases: { 'logs-plain': {} } })
  await client.indices.migrateToDataStream({ name: 'logs-plain' })
  await client.indices.createDataStream({ name: 'logs-new' })
  await client.indices.deleteDataStream({ name: '*' })
  await client.indices.deleteIndexTemplate({ name: 'logs' })
})
