// SPDX-License-Identifier: Apache-2.0
// The official clients, given the addresses of several nodes that share a store: they write and search on
// while nodes are killed, stopped, drained and stand still, and find by themselves which ones there are.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client as Client9, SniffingTransport as Transport9 } from '@elastic/elasticsearch'
import { Client as Client8, SniffingTransport as Transport8 } from 'elasticsearch8'
import { startNodes } from './nodes.mjs'

let group
let applications = []

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// Until `found` gives something; it may fail until then. Two minutes are no wait, but the end of hope.
async function eventually (what, found) {
  for (const until = Date.now() + 120_000; ;) {
    try {
      const value = await found()
      if (value) return value
    } catch (error) {
      if (Date.now() > until) throw error
    }
    assert.ok(Date.now() < until, 'it did not come to be that ' + what)
    await pause(20)
  }
}

// Clients have no option for it; their transports have.
const retryingOnTimeout = (Transport) => class extends Transport {
  constructor (options) {
    super({ ...options, retryOnTimeout: true })
  }
}
const CLIENTS = {
  9: { Client: Client9, Transport: retryingOnTimeout(Transport9) },
  8: { Client: Client8, Transport: retryingOnTimeout(Transport8) }
}

const newClient = ({ Client, Transport }, nodes) => new Client({
  nodes,
  Transport,
  auth: { apiKey: group.adminKey },
  sniffOnStart: true,
  sniffInterval: 500,
  sniffOnConnectionFault: true,
  maxRetries: 5,
  requestTimeout: 8_000
})

const known = (client) => client.connectionPool.connections.map(({ url }) => url.origin).sort()

// Writers and a reader through one client. Whatever the client does not mend by itself is a failure.
class Application {
  constructor (version) {
    this.index = 'notes-' + version
    this.client = newClient(CLIENTS[version], group.addresses())
    this.acknowledged = []
    this.failures = []
    this.repeated = 0
    this.reads = 0
    this.over = false
    this.loops = []
  }

  async start () {
    await this.client.indices.create({ index: this.index })
    this.loops = [this.write('a'), this.write('b'), this.read()]
  }

  // The answer, or an error that says why the client gave up.
  async ask (request) {
    try {
      const answer = await request({ meta: true })
      this.repeated += answer.meta.attempts
      return answer
    } catch (error) {
      this.repeated += error.meta?.meta?.attempts ?? 0
      return error
    }
  }

  async create (id, n) {
    const answer = await this.ask((options) => this.client.create({ index: this.index, id, document: { n } }, options))
    if (answer.statusCode === 201) return true
    // Of a request that was repeated the first one may have been done.
    return answer.statusCode === 409 && answer.meta.meta.attempts > 0
      ? true
      : void this.failures.push(answer)
  }

  async write (writer) {
    for (let n = 0; !this.over; n++) {
      const id = writer + n
      if (!await this.create(id, n)) continue
      this.acknowledged.push(id)
      const got = await this.ask((options) => this.client.get({ index: this.index, id }, options))
      if (got.body?._source?.n !== n) this.failures.push(got)
      await pause(5)
    }
  }

  // What was acknowledged before a refresh is found after it.
  async read () {
    while (!this.over) {
      const least = this.acknowledged.length
      const refreshed = await this.ask((options) => this.client.indices.refresh({ index: this.index }, options))
      const found = await this.ask((options) => this.client.search({ index: this.index, size: 1, track_total_hits: true }, options))
      if (refreshed.statusCode !== 200) this.failures.push(refreshed)
      if (!(found.body?.hits?.total.value >= least)) this.failures.push(found)
      this.reads++
      await pause(5)
    }
  }

  // It has written and read since.
  async goesOn () {
    const { acknowledged: { length }, reads } = this
    await eventually(`${this.index} goes on`, () =>
      this.failures.length > 0 || (this.acknowledged.length >= length + 5 && this.reads >= reads + 2))
    assert.deepEqual(this.failures, [])
  }

  async end () {
    this.over = true
    await Promise.all(this.loops)
  }
}

const allGoOn = () => Promise.all(applications.map((one) => one.goesOn()))
const allKnow = (addresses) => Promise.all(applications.map(({ client, index }) =>
  eventually(`the client of ${index} knows ${addresses}, it knows ${known(client)}`, () =>
    known(client).join() === [...addresses].sort().join())))

before(async () => {
  group = await startNodes(3)
  applications = Object.keys(CLIENTS).map((version) => new Application(version))
  for (const one of applications) await one.start()
})
after(async () => {
  await Promise.all(applications.map((one) => one.end()))
  await Promise.all(applications.map(({ client }) => client.close()))
  await group?.end()
})

test('a client that is given one address finds the other nodes', async () => {
  for (const version in CLIENTS) {
    const client = newClient(CLIENTS[version], [group.living[1].api])
    await eventually('it knows three nodes', () => known(client).join() === group.addresses().sort().join())
    assert.equal(await client.ping(), true)
    await client.close()
  }
  await allGoOn()
})

test('the node that serves is killed', async () => {
  const node = await group.serving()
  await node.kill()
  group.forget(node)
  await eventually('another node serves', () => group.serving())
  await allGoOn()
  await allKnow(group.addresses())
})

test('a node is added', async () => {
  await group.add()
  await allKnow(group.addresses())
  await allGoOn()
})

test('the node that serves is stopped', async () => {
  const node = await group.serving()
  group.forget(node)
  assert.equal(await node.stop(), 0)
  await eventually('another node serves', () => group.serving())
  await allGoOn()
  await allKnow(group.addresses())
  await group.add()
  await allKnow(group.addresses())
})

test('the node that serves is drained, answers on, and is stopped', async () => {
  const node = await group.serving()
  assert.equal((await group.ask(node, 'POST', `/_cairn/nodes/${node.name}/_drain`)).status, 202)
  await eventually('another node serves', async () => {
    const next = await group.serving()
    return next !== undefined && next !== node
  })
  assert.equal((await group.ask(node, 'GET', '/notes-9/_count')).status, 200)
  await allGoOn()
  group.forget(node)
  assert.equal(await node.stop(), 0)
  await allGoOn()
  await allKnow(group.addresses())
})

test('the node that serves stands still, is left, and is found again', async () => {
  await group.add()
  await allKnow(group.addresses())
  const node = await group.serving()
  const others = group.living.filter((one) => one !== node)
  node.signal('SIGSTOP')
  await eventually('another node serves', async () => {
    const next = await group.serving(others[0])
    return next !== undefined && next !== node
  })
  await allGoOn()
  await allKnow(others.map(({ api }) => api))
  node.signal('SIGCONT')
  await allKnow(group.addresses())
  await allGoOn()
})

test('no request failed, and nothing that was acknowledged is lost', async (t) => {
  for (const { index, client, acknowledged, failures, repeated, ...one } of applications) {
    assert.deepEqual(failures, [])
    t.diagnostic(`${index}: ${acknowledged.length} written, ${one.reads} reads, ${repeated} repeated by the client`)
  }
  await Promise.all(applications.map((one) => one.end()))
  for (const { index, client, acknowledged, failures } of applications) {
    assert.deepEqual(failures, [])
    await client.indices.refresh({ index })
    assert.equal((await client.count({ index })).count, acknowledged.length)
    const { docs } = await client.mget({ index, ids: acknowledged })
    assert.deepEqual(docs.filter(({ found }) => !found).map(({ _id }) => _id), [])
  }
})
