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
