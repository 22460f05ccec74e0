// octokit as it is installed (retry and throttling plugins on, their own handlers) against the test
// routes: it must tell primary from secondary refusals, wait as long as it is told, and recover.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Octokit } from 'octokit'
import { startCairn } from '../js/server.mjs'

const hour = 10 // seconds: the policy's hour and minute are scaled
const minute = 5

const user = (name) => ({ kind: 'user', user: name })
const config = {
  rate_limit: {
    time: { hour_s: hour, minute_s: minute },
    plans: { user: 5, unauthenticated: 2 },
    resources: { search: { window: 60, authenticated: 2, unauthenticated: 1 } },
    secondary: {
      concurrent: 2,
      points_per_minute: { rest: 200, graphql: 200 },
      content_per_minute: 100,
      content_per_hour: 2
    },
    points: { routes: [{ match: 'GET /_test/core2', points: 100 }] }
  },
  tokens: {
    primary: user('primary'),
    spent: user('spent'),
    search: user('search'),
    content: user('content'),
    points: user('points'),
    crowd: { kind: 'installation', id: 1, repos: 200 },
    patient: { kind: 'installation', id: 2, repos: 200 }
  }
}

let cairn

before(async () => {
  cairn = await startCairn({ config, flags: ['--test-routes', '--test-identities'] })
})
after(() => cairn?.stop())

// A client that notes what its plugins decide. `decide` is asked whether to try again.
function client (auth, decide) {
  const seen = []
  const note = (kind) => (retryAfter, options, octokit, retryCount) => {
    seen.push({ kind, retryAfter, retryCount })
    return decide === undefined ? retryCount === 0 : decide(retryCount)
  }
  const quiet = { debug () {}, info () {}, warn () {}, error () {} }
  const octokit = new Octokit({
    auth,
    baseUrl: cairn.api,
    log: quiet,
    // Groups of the plugin are shared by id: each client shall have its own.
    throttle: { id: `${auth}-${Math.random()}`, onRateLimit: note('primary'), onSecondaryRateLimit: note('secondary') }
  })
  return { octokit, seen }
}

const seconds = (since) => (performance.now() - since) / 1000

describe('primary limit', () => {
  test('the headers count down, and remaining + used is the limit', async () => {
    const { octokit } = client('primary')
    for (let i = 1; i <= 3; i++) {
      const { headers } = await octokit.request('GET /_test/core')
      assert.equal(headers['x-ratelimit-limit'], '5')
      assert.equal(headers['x-ratelimit-used'], String(i))
      assert.equal(headers['x-ratelimit-remaining'], String(5 - i))
      assert.equal(headers['x-ratelimit-resource'], 'core')
      assert.ok(Math.abs(Number(headers['x-ratelimit-reset']) - Date.now() / 1000) <= hour + 1)
    }
  })

  test('a refusal is known as primary; octokit waits for the reset and gets its answer', async () => {
    const { octokit, seen } = client('spent')
    for (let i = 0; i < 5; i++) await octokit.request('GET /_test/core')
    const began = performance.now()
    const { status, headers } = await octokit.request('GET /_test/core')
    assert.equal(status, 200)
    assert.deepEqual(seen.map((one) => one.kind), ['primary'])
    assert.ok(seen[0].retryAfter >= 1 && seen[0].retryAfter <= hour + 2, String(seen[0].retryAfter))
    assert.ok(seconds(began) >= seen[0].retryAfter - 0.1)
    assert.equal(headers['x-ratelimit-used'], '1')
  })

  test('who does not want to wait gets the refusal, with its words and status', async () => {
    const { octokit, seen } = client(undefined, () => false)
    await octokit.request('GET /_test/core')
    await octokit.request('GET /_test/core')
    const error = await octokit.request('GET /_test/core').then(() => null, (e) => e)
    assert.equal(error.status, 403)
    assert.equal(error.response.headers['x-ratelimit-remaining'], '0')
    assert.match(error.response.data.message, /^API rate limit exceeded for 127\.0\.0\.1\./)
    assert.doesNotMatch(error.message, /secondary rate/i)
    assert.deepEqual(seen.map((one) => one.kind), ['primary'])
  })

  test('search has a bucket of its own', async () => {
    const { octokit, seen } = client('search')
    for (let i = 0; i < 2; i++) await octokit.request('GET /_test/search')
    const core = await octokit.request('GET /_test/core')
    assert.equal(core.headers['x-ratelimit-used'], '1')
    const { status, headers } = await octokit.request('GET /_test/search')
    assert.equal(status, 200)
    assert.deepEqual(seen.map((one) => one.kind), ['primary'])
    assert.equal(headers['x-ratelimit-resource'], 'search')
    assert.equal(headers['x-ratelimit-limit'], '2')
  })

  test('GET /rate_limit shows the same record as the headers, and costs nothing', async () => {
    const { octokit } = client('patient')
    // A window may end between two requests; then they are made again.
    for (;;) {
      const { headers } = await octokit.request('GET /_test/core')
      const first = (await octokit.rest.rateLimit.get()).data
      const second = (await octokit.rest.rateLimit.get()).data
      assert.ok('search' in second.resources)
      for (const data of [first, second]) {
        assert.equal(data.rate.limit, 12500)
        assert.deepEqual(data.rate, data.resources.core)
      }
      if (String(second.rate.reset) !== headers['x-ratelimit-reset']) continue
      for (const data of [first, second]) assert.equal(String(data.rate.used), headers['x-ratelimit-used'])
      break
    }
  })

  test('what is not modified costs nothing', async () => {
    const { octokit } = client('patient')
    const first = await octokit.request('GET /_test/etag')
    const again = await octokit.request('GET /_test/etag', { headers: { 'if-none-match': first.headers.etag } })
      .then(() => null, (e) => e)
    assert.equal(again.status, 304)
    assert.equal(again.response.headers['x-ratelimit-used'], first.headers['x-ratelimit-used'])
  })
})

describe('secondary limits', () => {
  test('content: known as secondary; octokit waits retry-after and gets its answer', async () => {
    const { octokit, seen } = client('content')
    const began = performance.now()
    for (let i = 0; i < 3; i++) {
      assert.equal((await octokit.request('POST /_test/content', { i })).status, 200)
    }
    assert.deepEqual(seen.map((one) => one.kind), ['secondary'])
    assert.ok(seen[0].retryAfter >= 1 && seen[0].retryAfter <= hour + 1, String(seen[0].retryAfter))
    assert.ok(seconds(began) >= seen[0].retryAfter - 0.1)
  })

  test('points of one endpoint: known as secondary, other endpoints go on', async () => {
    const { octokit, seen } = client('points')
    for (let i = 0; i < 2; i++) await octokit.request('GET /_test/core2')
    const { status } = await octokit.request('GET /_test/core2')
    assert.equal(status, 200)
    assert.deepEqual(seen.map((one) => one.kind), ['secondary'])
    const other = client('points', () => false)
    assert.equal((await other.octokit.request('GET /_test/core')).status, 200)
  })

  test('concurrent requests: all get through in the end, none refused as primary', async () => {
    const { octokit, seen } = client('crowd', (retryCount) => retryCount < 8)
    const all = await Promise.all(Array.from({ length: 5 }, () => octokit.request('GET /_test/sleep{?ms}', { ms: 400 })))
    assert.deepEqual(all.map((one) => one.status), [200, 200, 200, 200, 200])
    assert.ok(seen.length > 0)
    for (const one of seen) assert.equal(one.kind, 'secondary')
  })

  test('who does not want to wait sees the words, retry-after, and what remains', async () => {
    const { octokit, seen } = client('crowd', () => false)
    const all = await Promise.allSettled(
      Array.from({ length: 4 }, () => octokit.request('GET /_test/sleep{?ms}', { ms: 1500 })))
    const refused = all.filter((one) => one.status === 'rejected').map((one) => one.reason)
    assert.ok(refused.length >= 1 && refused.length <= 2, String(refused.length))
    for (const error of refused) {
      assert.equal(error.status, 403)
      assert.match(error.response.data.message, /^You have exceeded a secondary rate limit/)
      assert.match(error.response.data.documentation_url, /secondary-rate-limits$/)
      assert.match(error.response.headers['retry-after'], /^[1-9][0-9]*$/)
      assert.notEqual(error.response.headers['x-ratelimit-remaining'], '0')
    }
    assert.deepEqual([...new Set(seen.map((one) => one.kind))], ['secondary'])
  })
})
