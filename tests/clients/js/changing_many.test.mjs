// Deletes, updates and copies by query, and tasks, as the official client asks for them.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client, errors } from '@elastic/elasticsearch'
import { fillNumbers, startCairn } from './server.mjs'

const count = 1000
let cairn, client

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
  await fillNumbers(client, count, 5)
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('reindex: a copy in parts', async () => {
  const answer = await client.reindex({
    source: { index: 'numbers', size: 100, query: { term: { word: 'w2' } }, _source: ['n'] },
    dest: { index: 'twos' }, slices: 2, refresh: true
  })
  assert.equal(answer.created, 200)
  assert.equal(answer.slices.length, 2)
  assert.deepEqual(answer.failures, [])
  assert.equal((await client.count({ index: 'twos' })).count, 200)
})

test('updateByQuery and deleteByQuery: what a query finds', async () => {
  const updated = await client.updateByQuery({ index: 'twos', conflicts: 'proceed', refresh: true })
  assert.equal(updated.updated, 200)
  const deleted = await client.deleteByQuery({
    index: 'twos', query: { range: { n: { lt: 500 } } }, scroll_size: 7, refresh: true
  })
  assert.equal(deleted.deleted, 100)
  assert.equal((await client.count({ index: 'twos' })).count, 100)
})

test('reindex: a conflict is an error with its answer', async () => {
  await assert.rejects(
    client.reindex({ source: { index: 'numbers' }, dest: { index: 'numbers2', op_type: 'create' } })
      .then(() => client.reindex({ source: { index: 'numbers' }, dest: { index: 'numbers2', op_type: 'create' } })),
    (error) => error instanceof errors.ResponseError && error.statusCode === 409 &&
      error.body.failures[0].cause.type === 'version_conflict_engine_exception')
})

test('tasks: seen, throttled, cancelled, remembered', async () => {
  const { task } = await client.updateByQuery({
    index: 'numbers', wait_for_completion: false, scroll_size: 10, requests_per_second: 1
  })
  assert.equal((await client.tasks.get({ task_id: task })).completed, false)
  const { nodes } = await client.tasks.list({ actions: '*byquery', detailed: true })
  const seen = Object.values(nodes).flatMap((node) => Object.entries(node.tasks))
  assert.equal(seen.find(([id]) => id === task)[1].description, 'update-by-query [numbers]')
  await client.updateByQueryRethrottle({ task_id: task, requests_per_second: 2 })
  await client.tasks.cancel({ task_id: task })
  const ended = await client.tasks.get({ task_id: task, wait_for_completion: true })
  assert.equal(ended.completed, true)
  assert.equal(ended.response.canceled, 'by user request')
  assert.equal((await client.tasks.get({ task_id: task })).completed, true)
})

test('reindex: from another server', async () => {
  const near = await startCairn({
    config: { reindex: { remote: { allowed_hosts: [new URL(cairn.api).host] } } }
  })
  const copier = new Client({ node: near.api, auth: { apiKey: near.adminKey } })
  try {
    const remote = { host: cairn.api, headers: { Authorization: 'ApiKey ' + cairn.adminKey } }
    const answer = await copier.reindex({
      source: { index: 'numbers', size: 400, query: { term: { word: 'w1' } }, remote },
      dest: { index: 'ones' }, refresh: true
    })
    assert.equal(answer.created, 200)
    assert.equal((await copier.count({ index: 'ones' })).count, 200)
    await assert.rejects(
      copier.reindex({
        source: { index: 'numbers', remote: { host: 'http://127.0.0.1:1' } }, dest: { index: 'ones' }
      }),
      (error) => error instanceof errors.ResponseError && error.statusCode === 400 &&
        /not whitelisted in reindex\.remote\.allowed_hosts/.test(error.message))
  } finally {
    await copier.close()
    await near.stop()
  }
})
