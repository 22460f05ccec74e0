// Messages of Cairn as their receivers see them: the published library of Standard Webhooks takes what was
// sent, and nothing that was changed.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { startCairn } from '../js/server.mjs'

const secret = 'whsec_' + Buffer.from('a secret of thirty-two bytes now').toString('base64')

function receive () {
  const got = []
  const server = http.createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => { body += piece })
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      // The first two are not taken: they come again.
      response.writeHead(got.length <= 2 ? 503 : 204).end()
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({ server, got })))
}

test('messages verify, come again with one id until they are taken, and nothing else verifies', async () => {
  const { server, got } = await receive()
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-webhook-')), 'secret')
  fs.writeFileSync(file, secret + '\n', { mode: 0o600 })
  const cairn = await startCairn({
    config: {
      'messages.webhook.url': `http://127.0.0.1:${server.address().port}/hook`,
      'messages.webhook.secret_file': file,
      'messages.check_interval': '200ms',
      'messages.disk_percent': 1
    }
  })
  const hook = new Webhook(secret)
  try {
    for (let i = 0; got.length < 3; i++) {
      assert.ok(i < 300, 'no message came')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    const said = got.map(({ headers, body }) => hook.verify(body, headers))
    assert.equal(said[2].type, 'cairn.disk_nearly_full')
    assert.equal(said[2].data.state, 'begins')
    assert.ok(said[2].data.details.total_bytes > 0)
    assert.equal(got[0].headers['webhook-id'], got[2].headers['webhook-id'])
    const { headers, body } = got[2]
    assert.throws(() => hook.verify(body.replace('begins', 'over'), headers), WebhookVerificationError)
    assert.throws(() => hook.verify(body, { ...headers, 'webhook-id': 'msg_other' }), WebhookVerificationError)
    assert.throws(() => new Webhook('whsec_' + 'A'.repeat(43) + '=').verify(body, headers), WebhookVerificationError)
    // One to try, at once.
    const answer = await fetch(cairn.api + '/_cairn/messages/_test', {
      method: 'POST', headers: { authorization: 'ApiKey ' + cairn.adminKey }
    })
    assert.deepEqual((await answer.json()).ways, { webhook: { sent: true } })
    const last = got.at(-1)
    assert.equal(hook.verify(last.body, last.headers).type, 'cairn.test')
  } finally {
    await cairn.stop()
    server.close()
    fs.rmSync(path.dirname(file), { recursive: true })
  }
})
