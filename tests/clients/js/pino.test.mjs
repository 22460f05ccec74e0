// pino-elasticsearch, unmodified: lines of a log become documents of an index or of a data stream.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@elastic/elasticsearch'
import pino from 'pino'
import pinoElastic from 'pino-elasticsearch'
import { startCairn } from './server.mjs'

let cairn, client

const shipper = (more) => pinoElastic({ node: cairn.api, auth: { apiKey: cairn.adminKey }, esVersion: 8, ...more })
// What the shipper says once its stream has ended and everything is written.
async function finished (stream) {
  const said = once(stream, 'insert')
  stream.end()
  return (await said)[0]
}
async function lines (index, sort = 'n') {
  const { hits } = await client.search({ index, size: 1000, sort: [{ [sort]: 'asc' }] })
  return hits.hits.map((hit) => ({ _index: hit._index, ...hit._source }))
}
async function until (condition) {
  for (let i = 0; i < 1500; i++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail('what was waited for did not come')
}

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('an index: every line with its level, time and bindings', async () => {
  const stream = shipper({ index: 'app' })
  const log = pino({ level: 'debug', base: { service: 'shop' } }, stream)
  log.child({ request: 'r-1' }).info({ n: 0, user: { id: 7 } }, 'begun')
  log.debug({ n: 1 }, 'on its way')
  log.error({ n: 2, err: new TypeError('no such thing') }, 'failed')
  log.trace({ n: 3 }, 'is not written')
  const { total, successful, failed } = await finished(stream)
  assert.deepEqual([total, successful, failed], [3, 3, 0])
  const [begun, way, error, ...more] = await lines('app')
  assert.deepEqual(more, [])
  assert.deepEqual([begun.level, begun.msg, begun.service, begun.request, begun.user], [30, 'begun', 'shop', 'r-1', { id: 7 }])
  assert.equal(way.level, 20)
  assert.deepEqual([error.err.type, error.err.message], ['TypeError', 'no such thing'])
  assert.match(error.err.stack, /pino\.test\.mjs/)
  const { app } = await client.indices.getMapping({ index: 'app' })
  assert.equal(app.mappings.properties.time.type, 'date')
  const found = await client.search({ index: 'app', query: { bool: { must: { match: { msg: 'way' } }, filter: { range: { time: { lte: 'now' } } } } } })
  assert.equal(found.hits.total.value, 1)
})

test('an index a day, and an index that a function names', async () => {
  // All is written; the refresh of the index of this day at the end finds none.
  const ended = async (stream) => {
    const refused = assert.rejects(once(stream, 'insert'), (error) => error.statusCode === 404)
    stream.end()
    await refused
    await client.indices.refresh()
  }
  const stream = shipper({ index: 'daily-%{DATE}' })
  const log = pino({ timestamp: false }, stream)
  for (const [n, time] of ['1996-02-28T23:59:59.000Z', '1996-02-29T00:00:00.000Z', '1996-02-29T12:00:00.000Z'].entries()) log.info({ n, time })
  await ended(stream)
  assert.deepEqual((await lines('daily-*')).map(({ _index, time }) => [_index, time.slice(0, 10)]),
    [['daily-1996-02-28', '1996-02-28'], ['daily-1996-02-29', '1996-02-29'], ['daily-1996-02-29', '1996-02-29']])
  const named = shipper({ index: (time) => 'year-' + time.slice(0, 4) })
  pino({ timestamp: false }, named).info({ n: 9, time: '1996-07-01T00:00:00.000Z' })
  await ended(named)
  assert.deepEqual((await lines('year-1996')).map(({ n }) => n), [9])
})

test('a data stream: lines are created with their @timestamp', async () => {
  await client.indices.putIndexTemplate({
    name: 'logs', index_patterns: ['logs-*'], data_stream: {}, priority: 200,
    template: { mappings: { properties: { '@timestamp': { type: 'date' }, level: { type: 'short' } } } }
  })
  const stream = shipper({ index: 'logs-shop-test', opType: 'create' })
  const log = pino({ base: null }, stream)
  for (let n = 0; n < 300; n++) log.info({ n }, 'line ' + n)
  const { successful, failed } = await finished(stream)
  assert.deepEqual([successful, failed], [300, 0])
  const { data_streams: [made] } = await client.indices.getDataStream({ name: 'logs-shop-test' })
  assert.equal(made.indices.length, 1)
  const found = await lines('logs-shop-test', '@timestamp')
  assert.equal(found.length, 300)
  assert.ok(found.every((one) => one._index === made.indices[0].index_name && one['@timestamp'] === one.time))
  assert.deepEqual(new Set(found.map(({ n }) => n)).size, 300)
  await client.indices.rollover({ alias: 'logs-shop-test' })
  const later = shipper({ index: 'logs-shop-test', opType: 'create' })
  pino({ base: null }, later).warn({ n: 300 }, 'later')
  await finished(later)
  assert.equal((await client.count({ index: 'logs-shop-test' })).count, 301)
  assert.equal((await client.search({ index: 'logs-shop-test', query: { term: { level: 40 } } })).hits.total.value, 1)
})

test('flushed by the interval while the log goes on, and by size', async () => {
  const stream = shipper({ index: 'steady', flushInterval: 30, flushBytes: 1 << 20 })
  const log = pino(stream)
  log.info({ n: 0 })
  const counted = async () => (await client.count({ index: 'steady', ignore_unavailable: true })).count
  await until(async () => { await client.indices.refresh({ index: 'steady', ignore_unavailable: true }); return (await counted()) === 1 })
  log.info({ n: 1 })
  await until(async () => { await client.indices.refresh({ index: 'steady' }); return (await counted()) === 2 })
  await finished(stream)
  const sized = shipper({ index: 'sized', flushBytes: 500, flushInterval: 3600000 })
  const line = pino(sized)
  for (let n = 0; n < 50; n++) line.info({ n }, 'a line that is not very long')
  await until(async () => { await client.indices.refresh({ index: 'sized', ignore_unavailable: true }); return (await client.count({ index: 'sized', ignore_unavailable: true })).count >= 40 })
  await finished(sized)
  assert.deepEqual((await lines('sized')).map(({ n }) => n), Array.from({ length: 50 }, (_, n) => n))
})

test('what is no line of a log is told, and what does not fit the mapping is dropped alone', async () => {
  await client.indices.create({ index: 'strict', mappings: { properties: { n: { type: 'integer' }, time: { type: 'date' } } } })
  const stream = shipper({ index: 'strict' })
  const unknown = []
  const dropped = []
  stream.on('unknown', (line) => unknown.push(line))
  stream.on('insertError', (error) => dropped.push([error.document.status, error.document.error.type, error.document.document.n]))
  stream.write('no json\n')
  stream.write('true\nnull\n')
  stream.write('"a word"\n')
  const log = pino(stream)
  log.info({ n: 1 })
  log.info({ n: 'many' })
  log.info({ n: 2 })
  const { successful, failed } = await finished(stream)
  assert.deepEqual([successful, failed], [3, 1])
  assert.deepEqual(unknown, ['no json', 'true', 'null'])
  assert.deepEqual(dropped, [[400, 'document_parsing_exception', 'many']])
  assert.equal((await client.count({ index: 'strict', query: { match: { data: 'word' } } })).count, 1)
})

test('a wrong key: the stream ends with an error that says so', async () => {
  const stream = shipper({ index: 'refused', auth: { apiKey: 'YTpi' } })
  const failed = once(stream, 'error')
  pino(stream).info('for nobody')
  stream.end()
  const [error] = await failed
  assert.equal(error.statusCode, 401)
  assert.equal(await client.indices.exists({ index: 'refused' }), false)
})

test('the command: a log from its standard input', async () => {
  const child = spawn(process.execPath, ['node_modules/pino-elasticsearch/cli.js', '--node', cairn.api, '--api-key', cairn.adminKey,
    '--index', 'piped', '--es-version', '8'], { stdio: ['pipe', 'inherit', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => { said += text })
  const log = pino({ base: null }, child.stdin)
  for (let n = 0; n < 5; n++) log.info({ n }, 'through a pipe')
  child.stdin.end()
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
  assert.doesNotMatch(said, /error/i)
  assert.deepEqual((await lines('piped')).map(({ n, msg }) => [n, msg]), Array.from({ length: 5 }, (_, n) => [n, 'through a pipe']))
})
