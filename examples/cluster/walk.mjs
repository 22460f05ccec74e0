// SPDX-License-Identifier: Apache-2.0
// What an application sees while nodes go: loads and searches through the official client, which has all
// addresses; kills the node that serves, drains the next one, and counts what became of it.
//
//   node walk.mjs NAME...     of the nodes that run.sh started; a name's facts are in CAIRN_FOLDER/NAME.ready
//
// Ends with 1 where a request failed or a document is not there.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@elastic/elasticsearch'

const folder = process.env.CAIRN_FOLDER
const names = process.argv.slice(2)
const nodes = new Map(names.map((name) => [name, JSON.parse(fs.readFileSync(path.join(folder, name + '.ready'), 'utf8'))]))
const keyFile = path.join(folder, names[0], 'keys/admin.key')
const client = new Client({
  nodes: [...nodes.values()].map(({ api }) => api),
  auth: { apiKey: fs.readFileSync(keyFile, 'utf8').trim() },
  sniffOnStart: true, // asks the nodes who else is there,
  sniffInterval: 1000, // again each second,
  sniffOnConnectionFault: true, // and where one does not answer
  maxRetries: 5
})

const say = (line = '') => console.log(line)
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const seconds = (ms) => (ms / 1000).toFixed(1) + ' s'
const number = (count) => count.toLocaleString('en')
const of = (count, one) => number(count) + ' ' + one + (count === 1 ? '' : 's')

// ---- requests, and what becomes of them ----------------------------------------------------------

const seen = { requests: 0, repeated: 0, longest: 0, failures: [] }
let spell = { longest: 0, repeated: 0 } // the same, of the part of the walk that runs

// The answer to one request, or undefined where it failed, after all that the client does by itself.
async function ask (request) {
  const began = performance.now()
  let attempts
  try {
    const answer = await request({ meta: true })
    attempts = answer.meta.attempts
    return answer
  } catch (error) {
    attempts = error.meta?.meta?.attempts ?? 0
    seen.failures.push(error)
  } finally {
    const took = performance.now() - began
    seen.requests++
    for (const one of [seen, spell]) {
      one.longest = Math.max(one.longest, took)
      one.repeated += attempts > 0 ? 1 : 0
    }
  }
}

const roles = async () =>
  (await ask((options) => client.transport.request({ method: 'GET', path: '/_cairn/nodes' }, options)))?.body.nodes ?? []
const serving = async () => (await roles()).find(({ role }) => role === 'serving')?.name

// What `found` gives once it is true.
async function eventually (what, found) {
  for (const until = performance.now() + 90_000; ;) {
    const value = await found()
    if (value) return value
    if (performance.now() > until || seen.failures.length > 0) throw new Error('it did not come to be that ' + what)
    await pause(50)
  }
}

// ---- documents -----------------------------------------------------------------------------------

const project = path.resolve(import.meta.dirname, '../..')

// The paragraphs of Cairn's own Markdown files.
function paragraphs () {
  const files = fs.readdirSync(project, { recursive: true })
    .filter((file) => file.endsWith('.md') && !/(^|\/)(node_modules|build|\.\w+)\//.test(file)).sort()
  return files.flatMap((file) => fs.readFileSync(path.join(project, file), 'utf8').split(/\n\s*\n/)
    .filter((text) => text.trim()).map((text, i) => ({ id: file + '#' + i, file, text })))
}

const documents = paragraphs()
const acknowledged = new Map() // what was written, by id
const INDEX = 'paragraphs'
const BATCH = 10

// Writes `some` documents, batch by batch. Their ids are their own, so that to write one twice does no harm.
async function load (some) {
  for (let at = 0; at < some.length && seen.failures.length === 0; at += BATCH) {
    const batch = some.slice(at, at + BATCH)
    const answer = await ask((options) => client.bulk({
      index: INDEX, operations: batch.flatMap(({ id, ...rest }) => [{ index: { _id: id } }, rest])
    }, options))
    answer?.body.items.forEach(({ index }, i) => {
      if (index.error) seen.failures.push(new Error(index.error.reason))
      else acknowledged.set(batch[i].id, batch[i].text)
    })
  }
}

const QUESTIONS = ['snapshot repository', 'rate limit', 'bucket policy', 'a node that is killed', 'manual pages']
let searches = 0

async function searchUntil (over) {
  for (let i = 0; !over() && seen.failures.length === 0; i++) {
    const found = await ask((options) => client.search({
      index: INDEX, size: 3, query: { match: { text: QUESTIONS[i % QUESTIONS.length] } }
    }, options))
    if (found) searches++
    await pause(10)
  }
}

// Ids that are not there as they were written.
async function lost () {
  const wanted = [...acknowledged.keys()]
  const out = []
  for (let at = 0; at < wanted.length; at += 500) {
    const answer = await ask((options) => client.mget({ index: INDEX, ids: wanted.slice(at, at + 500) }, options))
    for (const { _id, found, _source } of answer?.body.docs ?? []) {
      if (!found || _source.text !== acknowledged.get(_id)) out.push(_id)
    }
  }
  return out
}

// ---- the walk ------------------------------------------------------------------------------------

// How many requests of this key the limits have counted in this hour.
const counted = async () => Number((await ask((options) => client.info({}, options)))?.headers['x-ratelimit-used'])

async function kill (name) {
  process.kill(nodes.get(name).pid, 'SIGKILL')
  const began = performance.now()
  say(`kill -9 ${nodes.get(name).pid}: ${name} is gone, with ${of(acknowledged.size, 'document')} acknowledged.`)
  const next = await eventually('another node serves', async () => {
    const now = await serving()
    return now !== name && now
  })
  say(`  ${next} serves, seen ${seconds(performance.now() - began)} later.`)
  return next
}

// By way of another node.
async function drain (name, gone) {
  const other = names.find((one) => one !== name && one !== gone)
  const { stderr } = await promisify(execFile)(process.env.CAIRN_BINARY,
    ['node', 'drain', name, '--server', nodes.get(other).api, '--key-file', keyFile])
  say(`cairn node drain ${name}: "${stderr.trim()}", with ${of(acknowledged.size, 'document')} acknowledged.`)
  say(`  ${await serving()} serves.`)
}

// Loads `some` and searches while `event` goes on, and tells what those requests saw of it.
async function under (some, event) {
  let over = false
  spell = { longest: 0, repeated: 0 }
  const searching = [1, 2].map(() => searchUntil(() => over))
  const [, told] = await Promise.all([load(some), event()])
  over = true
  await Promise.all(searching) // the last ones may have waited
  const repeated = spell.repeated === 0 ? 'none had to be repeated' : of(spell.repeated, 'request') + ' repeated by the client'
  say(`  Longest request meanwhile: ${seconds(spell.longest)}; ${repeated}; ${of(seen.failures.length, 'failure')}.`)
  return told
}

async function greet () {
  say('Nodes, which have no list of each other to keep:')
  const found = new Map((await roles()).map(({ name, role }) => [name, role]))
  for (const name of names) {
    say(`  ${name.padEnd(6)} ${nodes.get(name).api}  ${found.get(name) === 'serving' ? 'serves' : 'stands by: passes requests on'}`)
  }
  say()
}

// Whether all is there.
async function check () {
  await ask((options) => client.indices.refresh({ index: INDEX }, options))
  const count = (await ask((options) => client.count({ index: INDEX }, options)))?.body.count
  const missing = await lost()
  say(`Acknowledged: ${number(acknowledged.size)} of ${of(documents.length, 'document')}; not there as written: ${
    number(missing.length)}; counted by the index: ${number(count ?? 0)}.`)
  return missing.length === 0 && count === acknowledged.size
}

// The client has learnt which nodes are left.
async function checkSniffed (gone) {
  const left = names.filter((name) => name !== gone)
  const wanted = left.map((name) => nodes.get(name).api).sort().join()
  await eventually('the client knows the nodes that are left', async () => {
    await roles()
    return client.connectionPool.connections.map(({ url }) => url.origin).sort().join() === wanted
  })
  say(`The client was given ${names.length} addresses, and knows by now that ${left.join(' and ')} are left.`)
}

async function checkLimits (before) {
  if (process.env.CAIRN_RATE_LIMIT__STORE__KIND !== 'redis') return true
  const now = await counted()
  say(`Redis counted on: ${of(before, 'request')} of this key before the kill, ${number(now)} now.`)
  return now > before
}

async function walk () {
  await greet()
  await ask((options) => client.indices.create({ index: INDEX }, options))
  const third = Math.ceil(documents.length / 3)
  say(`Loading ${of(documents.length, 'document')}, the paragraphs of Cairn's own pages, and searching them all the while.`)
  const first = await under(documents.slice(0, third), serving)
  const before = await counted()
  const second = await under(documents.slice(third, 2 * third), () => kill(first))
  await under(documents.slice(2 * third), () => drain(second, first))
  say()
  const complete = await check()
  await checkSniffed(first)
  const counts = await checkLimits(before)
  say(`Requests: ${number(seen.requests)}, of them ${of(searches, 'search').replace(/s$/, 'es')}; repeated by the client: ${
    number(seen.repeated)}; failed: ${number(seen.failures.length)}; the longest: ${seconds(seen.longest)}.`)
  return complete && counts && seen.failures.length === 0 && acknowledged.size === documents.length
}

let well = false
try {
  well = await walk()
} catch (error) {
  say(error.message)
}
for (const error of seen.failures.slice(0, 5)) say('failed: ' + error.message.split('\n')[0])
say(well ? 'Nothing was lost, and no request failed.' : 'That is not as it should be.')
process.exit(well ? 0 : 1)
