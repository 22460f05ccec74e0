// docs/reference/search-compatibility.md says what Cairn answers of all that the official client can ask
// for. Every row is held against the client's own list and against a running Cairn.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { Asked, NAMESPACES, callTable, callsOfClient, namesTable, namespaceTable, reasonOf, tableOf } from './compatibility.mjs'

const page = fs.readFileSync(new URL('../../../docs/reference/search-compatibility.md', import.meta.url), 'utf8')

let asked, calls

before(async () => {
  asked = await Asked.start()
  calls = await callsOfClient()
})
after(async () => { await asked?.stop() })

test('the client has so many calls that its list was read', () => {
  const own = calls.filter((call) => NAMESPACES.includes(call.namespace))
  assert.ok(own.length > 250, own.length)
  for (const name of ['search', 'indices.rollover', 'cat.indices', 'cluster.state', 'tasks.list', 'nodes.stats'])
    assert.ok(own.some((call) => call.name === name), name)
})

test('calls: each has its row, with what is answered and which parameters are refused', async () => {
  assert.deepEqual(tableOf(page, 'calls').rows, await callTable(asked, calls))
})

test('queries, aggregations, members, types and analysis: each name is taken or refused as the page says', async () => {
  assert.deepEqual(tableOf(page, 'names').rows, await namesTable(asked))
})

test('namespaces that are not offered have their row', () => {
  const rows = tableOf(page, 'namespaces').rows.slice(2).flatMap((row) => [...row.split('|')[1].matchAll(/`([^`]+)`/g)].map((found) => found[1]))
  assert.deepEqual(rows.sort(), namespaceTable(calls))
})

test('what is answered has a handler, and what is not is refused in words', async () => {
  for (const call of calls) {
    const { answered, form } = await asked.verdictOf(call)
    if (answered.startsWith('yes')) {
      const answer = await asked.tryOut(form)
      const nobody = reasonOf(answer.body).includes('no handler found')
      assert.ok(answer.status < 500 && !nobody, `${call.name}: ${answer.status} ${answer.text}`)
    } else {
      assert.match(answered, /^(400|404|405|501)( |$)/, call.name)
    }
  }
})
