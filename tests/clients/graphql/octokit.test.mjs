// @octokit/graphql and octokit's throttling plugin, as they are installed, at the limits of POST /graphql: the cost by nodes, primary
// and secondary refusals, and what the client does about them.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { graphql, GraphqlResponseError } from '@octokit/graphql'
import { Octokit } from 'octokit'
import { startCairn } from '../js/server.mjs'

const hour = 10 // seconds: the policy's hour and minute are scaled
const config = {
  rate_limit: {
    time: { hour_s: hour, minute_s: 5 },
    plans: { user: 12, unauthenticated: 3 },
    graphql_plans: { user: 12 },
    secondary: { points_per_minute: { rest: 900, graphql: 40 }, content_per_minute: 100, content_per_hour: 2 }
  }
}

let cairn
before(async () => { cairn = await startCairn({ config }) })
after(() => cairn?.stop())

// A key that is counted by itself. Indices are its own business, keys are not.
async function keyOf (user) {
  const answer = await fetch(cairn.api + '/_security/api_key', {
    method: 'POST',
    headers: { authorization: 'ApiKey ' + cairn.adminKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: user,
      metadata: { _cairn: { identity: { kind: 'user', user } } },
      role_descriptors: { r: { cluster: ['monitor', 'manage_own_api_key'], indices: [{ names: ['*'], privileges: ['all'] }] } }
    })
  })
  assert.equal(answer.status, 200, await answer.clone().text())
  return (await answer.json()).encoded
}

const clientOf = (key) => graphql.defaults({ baseUrl: cairn.api, headers: { authorization: 'ApiKey ' + key } })

async function raw (key, body, headers = {}) {
  return await fetch(cairn.api + '/graphql', {
    method: 'POST',
    headers: { ...(key ? { authorization: 'ApiKey ' + key } : {}), 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body)
  })
}

// octokit with its plugins; notes what they decide.
function throttled (key, retries) {
  const seen = []
  const note = (kind) => (retryAfter, options, octokit, retryCount) => {
    seen.push({ kind, retryAfter })
    return retryCount < retries
  }
  const quiet = { debug () {}, info () {}, warn () {}, error () {} }
  const octokit = new Octokit({
    authStrategy: () => Object.assign(async () => ({}), { hook: (request, route, parameters) => {
      const endpoint = request.endpoint.merge(route, parameters)
      endpoint.headers.authorization = 'ApiKey ' + key
      return request(endpoint)
    } }),
    baseUrl: cairn.api,
    log: quiet,
    retry: { enabled: false },
    throttle: { id: key, onRateLimit: note('primary'), onSecondaryRateLimit: note('secondary') }
  })
  return { octokit, seen }
}

describe('@octokit/graphql', () => {
  test('variables, data, and errors with their paths', async () => {
    const client = clientOf(await keyOf('plain'))
    const { viewer, i } = await client('query ($n: Int!) { viewer { username } i: indices(first: $n) { totalCount } }', { n: 5 })
    assert.equal(viewer.username, 'admin')
    assert.equal(i.totalCount, 0)
    const error = await client('{ viewer { username } index(name: "missing") { name } }').then(() => null, (e) => e)
    assert.ok(error instanceof GraphqlResponseError)
    assert.equal(error.data.viewer.username, 'admin')
    assert.equal(error.data.index, null)
    assert.deepEqual(error.errors[0].path, ['index'])
    assert.equal(error.errors[0].type, 'NOT_FOUND')
    assert.equal(error.errors[0].extensions.code, 'index_not_found_exception')
    assert.equal(error.headers['x-ratelimit-resource'], 'graphql')
  })

  test('what is no document is a response error, and cheap', async () => {
    const error = await clientOf(await keyOf('wrong'))('{ nope').then(() => null, (e) => e)
    assert.ok(error instanceof GraphqlResponseError)
    assert.match(error.message, /Syntax Error/)
    assert.equal(error.headers['x-ratelimit-used'], '1')
  })
})

describe('cost', () => {
  test('by the pages that connections may need; rateLimit and the header fields say the same', async () => {
    const key = await keyOf('cost')
    const one = await raw(key, { query: '{ rateLimit { limit cost remaining used resetAt nodeCount } viewer { username } }' })
    const { rateLimit } = (await one.json()).data
    assert.deepEqual({ ...rateLimit, resetAt: 0 }, { limit: 12, cost: 1, remaining: 11, used: 1, resetAt: 0, nodeCount: 0 })
    assert.equal(Date.parse(rateLimit.resetAt) / 1000, Number(one.headers.get('x-ratelimit-reset')))
    const query = `{ rateLimit { cost nodeCount used }
      indices(first: 100) { nodes { search(first: 50) { nodes { id } } } }
      connectors(first: 60) { nodes { syncJobs(first: 10) { edges { node { id } } } } } }`
    const many = await raw(key, { query })
    // 1 + 100 pages, 1 + 60 pages: 162 requests are 2 points.
    assert.deepEqual((await many.json()).data.rateLimit, { cost: 2, nodeCount: 100 + 5000 + 60 + 600, used: 3 })
    assert.equal(many.headers.get('x-ratelimit-used'), '3')
    assert.equal(many.headers.get('x-ratelimit-remaining'), '9')
  })

  test('who has no credentials, or wrong ones, is refused before anything is parsed', async () => {
    for (const key of [undefined, 'bm9ib2R5OnNlY3JldA==']) {
      const answer = await raw(key, { query: '{ viewer { username } }' })
      assert.equal(answer.status, 401)
    }
  })
})

describe('refusals', () => {
  test('primary: status 429 with remaining 0, also where a dearer request is refused before the last unit; octokit waits', async () => {
    const key = await keyOf('primary')
    const dear = { query: '{ indices(first: 100) { nodes { search(first: 1) { nodes { id } } } } connectors(first: 100) { nodes { syncJobs(first: 1) { nodes { id } } } } rateLimit { cost } }' }
    for (let i = 0; i < 5; i++) {
      const answer = await raw(key, dear)
      assert.equal((await answer.json()).data.rateLimit.cost, 2)
    }
    assert.equal((await raw(key, { query: '{ __typename }' })).headers.get('x-ratelimit-remaining'), '1')
    const refused = await raw(key, dear)
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0')
    assert.equal(refused.headers.get('x-ratelimit-used'), '11')
    assert.match((await refused.json()).message, /^API rate limit exceeded/)
    const { octokit, seen } = throttled(key, 1)
    const { rateLimit } = await octokit.graphql(dear.query)
    assert.equal(rateLimit.cost, 2)
    assert.deepEqual(seen.map((one) => one.kind), ['primary'])
    assert.ok(seen[0].retryAfter >= 1 && seen[0].retryAfter <= hour + 2, String(seen[0].retryAfter))
  })

  test('secondary, points a minute: a mutation costs five, octokit knows it as secondary', async () => {
    const key = await keyOf('points')
    const { octokit, seen } = throttled(key, 0)
    for (let i = 0; i < 8; i++) {
      const answer = await raw(key, { query: 'mutation { indicesRefresh { status } }' })
      assert.equal((await answer.json()).data.indicesRefresh.status, 200)
    }
    const error = await octokit.graphql('mutation { indicesRefresh { status } }').then(() => null, (e) => e)
    assert.equal(error.status, 429)
    assert.match(error.message, /secondary rate limit/)
    assert.ok(Number(error.response.headers['retry-after']) >= 1)
    assert.notEqual(error.response.headers['x-ratelimit-remaining'], '0')
    assert.deepEqual(seen.map((one) => one.kind), ['secondary'])
  })

  test('secondary, content: keys made through GraphQL count as they do through REST, one a request', async () => {
    const key = await keyOf('content')
    const make = (name) => `${name}: securityCreateApiKey(body: {name: "${name}", role_descriptors: {none: {cluster: [], indices: []}}}) { status }`
    const both = await raw(key, { query: `mutation { ${make('a')} ${make('b')} }` })
    assert.equal(both.status, 400)
    assert.match((await both.json()).error.reason, /content/)
    const { octokit, seen } = throttled(key, 0)
    for (const name of ['a', 'b']) assert.equal((await octokit.graphql(`mutation { ${make(name)} }`))[name].status, 200)
    const error = await octokit.graphql(`mutation { ${make('c')} }`).then(() => null, (e) => e)
    assert.match(error.message, /secondary rate limit/)
    assert.deepEqual(seen.map((one) => one.kind), ['secondary'])
  })
})

describe('the request', () => {
  const sha256 = async (text) => Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex')

  test('persisted queries: unknown, then sent once, then named', async () => {
    const key = await keyOf('persisted')
    const query = '{ viewer { username } }'
    const extensions = { persistedQuery: { version: 1, sha256Hash: await sha256(query) } }
    const unknown = await (await raw(key, { extensions })).json()
    assert.equal(unknown.errors[0].message, 'PersistedQueryNotFound')
    assert.equal(unknown.errors[0].extensions.code, 'PERSISTED_QUERY_NOT_FOUND')
    const wrong = await (await raw(key, { query: '{ __typename }', extensions })).json()
    assert.equal(wrong.errors[0].message, 'provided sha does not match query')
    for (const body of [{ query, extensions }, { extensions }]) {
      assert.equal((await (await raw(key, body)).json()).data.viewer.username, 'admin')
    }
  })

  test('a list of requests is answered as a list, and costs together', async () => {
    const key = await keyOf('batch')
    const answer = await raw(key, [{ query: '{ viewer { username } }' }, { query: '{ nope }' }, { query: '{ rateLimit { cost } }' }])
    const [first, second, third] = await answer.json()
    assert.equal(first.data.viewer.username, 'admin')
    assert.match(second.errors[0].message, /Cannot query field/)
    assert.equal(third.data.rateLimit.cost, 1)
    assert.equal((await raw(key, Array.from({ length: 11 }, () => ({ query: '{ __typename }' })))).status, 400)
  })

  test('media types: who asks for the newer one gets it, and 400 for a request that is not valid', async () => {
    const key = await keyOf('media')
    const accept = { accept: 'application/graphql-response+json, application/json;q=0.9' }
    const good = await raw(key, { query: '{ __typename }' }, accept)
    assert.equal(good.status, 200)
    assert.match(good.headers.get('content-type'), /^application\/graphql-response\+json/)
    assert.equal((await raw(key, { query: '{ nope }' }, accept)).status, 400)
    assert.equal((await raw(key, { query: '{ nope }' })).status, 200)
    for (const body of ['', 'nonsense', '5', '[]']) assert.equal((await raw(key, body)).status, 400, body)
    assert.match((await (await raw(key, {})).json()).errors[0].message, /Must provide query string/)
  })

  test('bounds are told before anything runs', async () => {
    const key = await keyOf('bounds')
    const rows = [
      ['{ indices(first: 101) { totalCount } }', 'EXCESSIVE_PAGINATION'],
      ['{ indices { totalCount } }', 'MISSING_PAGINATION_BOUNDARIES'],
      [`{ ${Array.from({ length: 201 }, (_, i) => `a${i}: __typename`).join(' ')} }`, 'MAX_ALIASES_EXCEEDED'],
      ['{ indices(first: 100) { nodes { ' + Array.from({ length: 110 }, (_, i) => `a${i}: document(id: "x") { id }`).join(' ') + ' } } }', 'MAX_COMPLEXITY_EXCEEDED']
    ]
    for (const [query, type] of rows) assert.equal((await (await raw(key, { query })).json()).errors[0].type, type)
  })
})
