// What a change of a bucket would do, who may do what with it, and players of sound and video.
import test from 'node:test'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cairn, check, fill, find, open, press, says, useConsole, visit } from '../harness.mjs'

useConsole()

async function put (bucket, key, body, headers = {}) {
  const answer = await fetch(`${cairn.api}/_cairn/objects/${bucket}${key === undefined ? '' : '/' + encodeURIComponent(key)}`, { method: 'PUT', body, headers: { authorization: 'ApiKey ' + cairn.adminKey, ...headers } })
  assert.ok(answer.ok, await answer.text())
}
const statement = (more) => JSON.stringify({ Version: '2012-10-17', Statement: [{ Sid: 'Readers', Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::judged/*', ...more }] })

test('a bucket that holds something says why it would stay, and what would go with all of it', async () => {
  await put('held')
  await put('held', 'a.txt', 'four')
  await put('held', 'b.txt', 'fives')
  const page = await open('objects/held')
  await press(page, 'More actions', '.page-actions button')
  await press(page, 'Delete the bucket', '[role=menuitem]')
  await press(page, 'Dry run', 'dialog button')
  await find(page, 'dialog dd', 'refused: BucketNotEmpty')
  await find(page, 'dialog dd', '9 B')
  await check(page)
  await press(page, 'Delete all objects', 'dialog label')
  await press(page, 'Run it dry again', 'dialog button')
  await find(page, 'dialog dd', 'everything in it is deleted, then the bucket')
  await check(page)
  assert.equal((await fetch(cairn.api + '/_cairn/objects/held/a.txt', { headers: { authorization: 'ApiKey ' + cairn.adminKey } })).status, 200, 'nothing went')
  await page.close()
})

test('a lifecycle rule says what would expire now, before it is saved', async () => {
  await put('aged')
  await put('aged', 'logs/1', 'first')
  await put('aged', 'kept', 'second')
  // A rule of the past, which is off: the form keeps its date.
  const rules = '<LifecycleConfiguration><Rule><ID>old</ID><Status>Disabled</Status><Filter><Prefix>logs/</Prefix></Filter><Expiration><Date>2020-01-01T00:00:00Z</Date></Expiration></Rule></LifecycleConfiguration>'
  const kept = await fetch(cairn.api + '/_cairn/objects/aged?lifecycle', { method: 'PUT', body: rules, headers: { 'authorization': 'ApiKey ' + cairn.adminKey, 'content-md5': createHash('md5').update(rules).digest('base64') } })
  assert.equal(kept.status, 200, await kept.text())
  const page = await open('objects/aged?tab=lifecycle')
  await press(page, 'Add a rule')
  await fill(page, 'Rule', 'young')
  await fill(page, 'For names', 'logs/')
  await fill(page, 'Delete objects', '1')
  await press(page, 'Count what it deletes')
  await says(page, '0 objects with 0 B would expire now.')
  await page.keyboard.press('Escape')
  await press(page, 'old', '.row-link')
  await press(page, 'The rule is on', 'dialog label')
  await press(page, 'Count what it deletes')
  await says(page, '1 object with 5 B would expire now.')
  assert.equal((await fetch(cairn.api + '/_cairn/objects/aged/logs%2F1', { headers: { authorization: 'ApiKey ' + cairn.adminKey } })).status, 200, 'nothing went')
  await check(page)
  await page.setViewport({ width: 320, height: 700 })
  await check(page)
  await page.close()
})

test('a policy is checked before it is saved, and requests are judged by the draft and by what is saved', async () => {
  await put('judged')
  await put('judged', 'a/b.txt', 'text')
  const { accounts: [{ id }] } = await cairn.ask('GET', '/_security/object_account')
  await cairn.ask('PUT', `/_security/object_account/${id}/user/ann`, { kind: 'user' })
  const page = await open('objects/judged?tab=policy')
  const draft = statement({ Principal: { AWS: `arn:aws:iam::${id}:user/ann` }, Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } })
  await fill(page, 'Policy', draft)
  await press(page, 'Check', 'form button')
  await says(page, 'Statement 1 (Readers) is added')
  await check(page)

  await fill(page, 'Who', id + '/ann')
  await fill(page, 'Object', 'a/b.txt')
  await fill(page, 'Conditions', '{"aws:SourceIp": ')
  await says(page, 'Give a JSON object of names and values.')
  await fill(page, 'Conditions', '{"aws:SourceIp": "10.1.2.3"}')
  await press(page, 'Ask', 'form button[type=submit]')
  await find(page, '.simulated .state', 'allowed')
  await find(page, '.simulated li', 'policy of the bucket, Statement 1 (Readers), allows')
  await check(page)
  await fill(page, 'Conditions', '{"aws:SourceIp": "192.0.2.1"}')
  await press(page, 'Ask', 'form button[type=submit]')
  await find(page, '.simulated .state', 'denied: nothing allows it')
  // Nothing is saved: by what is, ann may do nothing from anywhere.
  await fill(page, 'Conditions', '{"aws:SourceIp": "10.1.2.3"}')
  await fill(page, 'Judged by', 'saved')
  await press(page, 'Ask', 'form button[type=submit]')
  await find(page, '.simulated .state', 'denied: nothing allows it')
  await press(page, 'Save the policy')
  await says(page, 'The policy is saved.')
  await press(page, 'Ask', 'form button[type=submit]')
  await find(page, '.simulated .state', 'allowed')
  await press(page, 'Ask another one')
  await page.setViewport({ width: 320, height: 700 })
  await check(page)
  await press(page, 'Take request 2 away')
  await fill(page, 'Policy', '{"Version": "2012-10-17", "Statement": [{"Effect": "Perhaps"}]}')
  await press(page, 'Check', 'form button')
  await page.waitForSelector('.notice-error')
  await check(page)
  await page.close()
})

/** A second of silence, and what begins like a video. */
function wave () {
  const rate = 8000
  const head = Buffer.alloc(44)
  head.write('RIFF', 0); head.writeUInt32LE(36 + rate, 4); head.write('WAVEfmt ', 8); head.writeUInt32LE(16, 16); head.writeUInt16LE(1, 20); head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24); head.writeUInt32LE(rate, 28); head.writeUInt16LE(1, 32); head.writeUInt16LE(8, 34); head.write('data', 36); head.writeUInt32LE(rate, 40)
  return Buffer.concat([head, Buffer.alloc(rate, 128)])
}

test('sound and video are played from the other origin', async () => {
  await put('heard')
  await put('heard', 'bell.html', wave(), { 'content-type': 'text/html' })
  await put('heard', 'broken.mp4', Buffer.from('\0\0\0\x18ftypisom and no more'))
  const page = await open('objects/heard?key=bell.html&tab=preview')
  await says(page, 'Played as audio/wav')
  await page.waitForFunction(() => { const one = document.querySelector('audio'); return one && one.readyState >= 1 && Math.abs(one.duration - 1) < 0.1 })
  assert.ok((await page.$eval('audio', (one) => one.currentSrc)).startsWith(cairn.objects + '/heard/bell.html?'))
  await check(page)
  await visit(page, 'objects/heard?key=broken.mp4&tab=preview')
  await says(page, 'This browser does not play this video/mp4.')
  await page.setViewport({ width: 320, height: 700 })
  await check(page)
  await find(page, 'button', 'Open in a new tab')
  await page.close()
})
