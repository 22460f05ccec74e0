// What tools that watch a cluster ask for, as the official client asks: tables, figures, fields.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client, errors } from '@elastic/elasticsearch'
import { startCairn } from './server.mjs'

let cairn, client

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
  await client.indices.create({
    index: 'books',
    mappings: { properties: { title: { type: 'text', fields: { raw: { type: 'keyword' } } }, year: { type: 'long' } } }
  })
  await client.index({ index: 'books', id: '1', document: { title: 'Sea', year: 1900 }, refresh: true })
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('cat: every table, as a list and as text', async () => {
  const filled = ['indices', 'count', 'shards', 'segments', 'health', 'nodes', 'master', 'allocation']
  const empty = ['aliases', 'templates', 'plugins', 'nodeattrs', 'pendingTasks', 'repositories', 'snapshots']
  for (const name of filled) assert.ok((await client.cat[name]({ format: 'json' })).length > 0, name)
  for (const name of empty) assert.deepEqual(await client.cat[name]({ format: 'json' }), [], name)
  const [shard] = await client.cat.shards({ format: 'json', index: 'books' })
  assert.equal(shard.docs, '1')
  const text = await client.cat.health({ v: true }, { headers: { accept: 'text/plain' } })
  assert.match(text, /^ *epoch +timestamp +cluster +status/)
  assert.match(await client.cat.help(), /\/_cat\/shards/)
})

test('cluster and nodes: figures', async () => {
  const stats = await client.cluster.stats()
  assert.equal(stats.indices.docs.count, 1)
  assert.deepEqual(stats.indices.mappings.field_types.map((each) => each.name), ['keyword', 'long', 'text'])
  assert.deepEqual(await client.cluster.getSettings(), { persistent: {}, transient: {} })
  assert.deepEqual(await client.cluster.pendingTasks(), { tasks: [] })
  const { nodes } = await client.nodes.stats({ metric: ['os', 'process', 'fs'] })
  const [node] = Object.values(nodes)
  assert.ok(node.os.mem.total_in_bytes > node.process.mem.resident_in_bytes)
  assert.ok(node.fs.total.available_in_bytes > 0)
  assert.equal(node.indices, undefined)
})

test('indices: segments, names, mappings of fields', async () => {
  const { indices } = await client.indices.segments({ index: 'books' })
  const [shard] = indices.books.shards['0']
  assert.equal(Object.values(shard.segments)[0].num_docs, 1)
  const resolved = await client.indices.resolveIndex({ name: 'b*' })
  assert.deepEqual(resolved.indices.map((each) => each.name), ['books'])
  const mappings = await client.indices.getFieldMapping({ index: 'books', fields: 'title' })
  assert.equal(mappings.books.mappings.title.mapping.title.fields.raw.type, 'keyword')
})

test('fieldCaps: what fields can do', async () => {
  const { fields } = await client.fieldCaps({ index: '*', fields: ['title*', 'year'] })
  assert.equal(fields.title.text.aggregatable, false)
  assert.equal(fields['title.raw'].keyword.aggregatable, true)
  assert.equal(fields.year.long.searchable, true)
  await assert.rejects(client.fieldCaps({ fields: '*', index_filter: { match_all: {} } }),
    (error) => error instanceof errors.ResponseError && error.statusCode === 400)
})
