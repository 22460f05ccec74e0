// docs/reference/search-compatibility.md says what Cairn answers of all that the official clients 9 and 8
// can ask for. Every row is held against the clients' own lists and against a running Cairn.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { callsOfClient8, table8 } from './client8.mjs'
import { Asked, NAMESPACES, callTable, callsOfClient, namesTable, namespaceTable, reasonOf, tableOf } from './compatibility.mjs'

const page = fs.readFileSync(new URL('../../../docs/reference/search-compatibility.md', import.meta.url), 'utf8')

let asked, calls, calls8

before(async () => {
  asked = await Asked.start()
  calls = await callsOfClient()
  calls8 = await callsOfClient8()
})
after(async () => { await asked?.stop() })

test('the clients have so many calls that their lists were read', () => {
  for (const list of [calls, calls8]) {
    const own = list.filter((call) => NAMESPACES.includes(call.namespace))
    assert.ok(own.length > 250, own.length)
    for (const name of ['bulk', 'search', 'indices.rollover', 'cat.indices', 'cluster.state', 'tasks.list', 'nodes.stats'])
      assert.ok(own.some((call) => call.name === name), name)
  }
})

test('parameters of client 8 are read from its types, and what goes in a body is none', () => {
  const of = (name) => calls8.find((call) => call.name === name).parameters
  assert.deepEqual(of('indices.rollover').filter((each) => each !== 'error_trace'),
    ['dry_run', 'master_timeout', 'timeout', 'wait_for_active_shards', 'lazy', 'filter_path', 'human', 'pretty'])
  assert.ok(of('cat.aliases').includes('expand_wildcards'))
  assert.ok(of('search').includes('allow_no_indices') && !of('search').includes('query'))
})

test('calls: each has its row, with what is answered and which parameters are refused', async () => {
  assert.deepEqual(tableOf(page, 'calls').rows, await callTable(asked, calls))
})

test('calls of client 8: what differs from client 9 has its row, and nothing else does', async () => {
  assert.deepEqual(tableOf(page, 'calls-8').rows, await table8(asked, calls8, page))
})

test('queries, aggregations, members, types and analysis: each name is taken or refused as the page says', async () => {
  assert.deepEqual(tableOf(page, 'names').rows, await namesTable(asked))
})

test('namespaces that are not offered have their row', () => {
  const rows = tableOf(page, 'namespaces').rows.slice(2).flatMap((row) => [...row.split('|')[1].matchAll(/`([^`]+)`/g)].map((found) => found[1]))
  assert.deepEqual(rows.sort(), namespaceTable([...calls, ...calls8]))
})

test('clients: their versions are those that the tests install', () => {
  const installed = new Set()
  for (const file of ['package.json', '../langchain/package.json']) {
    const { dependencies } = JSON.parse(fs.readFileSync(new URL(file, import.meta.url), 'utf8'))
    for (const [name, version] of Object.entries(dependencies))
      installed.add(version.startsWith('npm:') ? version.slice(4) : name + '@' + version)
  }
  const rows = tableOf(page, 'clients').rows.slice(2).filter((row) => !row.includes("Debian's"))
  assert.ok(rows.length >= 7, rows.length)
  for (const row of rows) {
    const [, client, given] = row.split('|')
    const versions = given.trim().split(', ')
    const names = [...client.matchAll(/`([^`]+)`/g)].map((found) => found[1]).filter((name) => /^[@a-z]/.test(name))
    for (const [i, name] of names.entries()) assert.ok(installed.has(name + '@' + (versions[i] ?? versions[0])), row)
  }
})

test('what is answered has a handler, and what is not is refused in words', async () => {
  for (const call of [...calls, ...calls8]) {
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
