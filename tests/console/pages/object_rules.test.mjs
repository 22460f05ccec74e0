// SPDX-License-Identifier: Apache-2.0
// What keeps and what ends objects: the lifecycle, the lock, older versions, uploads that nobody completed. What a page says is done is looked for
// on the server.
import test from 'node:test'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cairn, check, fill, find, open, press, says, useConsole, visit, waitMs } from '../harness.mjs'

useConsole()

/** Asks the object storage as the page does: by the administrator's key. */
async function s3 (method, place, { body, headers = {}, expect = [200, 204] } = {}) {
  const answer = await fetch(`${cairn.api}/_cairn/objects/${place}`, { method, body, headers: { authorization: 'ApiKey ' + cairn.adminKey, ...headers } })
  const said = await answer.text()
  assert.ok(expect.includes(answer.status), `${method} ${place} answered ${answer.status}: ${said}`)
  return { said, headers: answer.headers, status: answer.status }
}
const versioned = async (bucket) => {
  await s3('PUT', bucket)
  await s3('PUT', bucket + '?versioning', { body: '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>' })
}
const put = async (place, body) => (await s3('PUT', place, { body, headers: { 'content-type': 'text/plain' } })).headers.get('x-amz-version-id')
const one = (xml, name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]
const act = async (page, row, action) => {
  await press(page, 'More actions: ' + row, '[aria-haspopup=menu]')
  await press(page, action, '[role=menuitem]')
}
/** How the fields of dates are typed in depends on the language of the system: their value does not. */
async function setTime (page, label, value) {
  const field = await page.waitForFunction((wanted) => [...document.querySelectorAll('input[type=datetime-local]')].find((one) => one.labels[0]?.textContent.startsWith(wanted)), {}, label)
  await field.evaluate((one, value) => { one.value = value; one.dispatchEvent(new Event('input', { bubbles: true })) }, value)
}

test('a lifecycle rule is made, changed, paused and deleted; what the form does not know stays', async () => {
  await s3('PUT', 'ruled')
  const before = '<LifecycleConfiguration><Rule><ID>tagged</ID><Status>Enabled</Status><Filter><And><Prefix>tmp/</Prefix><Tag><Key>keep</Key><Value>no</Value></Tag></And></Filter><Expiration><Days>9</Days></Expiration></Rule></LifecycleConfiguration>'
  await s3('PUT', 'ruled?lifecycle', { body: before, headers: { 'content-md5': createHash('md5').update(before).digest('base64') } })
  const rules = async () => (await s3('GET', 'ruled?lifecycle')).said
  const page = await open('objects/ruled?tab=lifecycle')
  await says(page, 'objects after 9 d')
  await press(page, 'Add a rule')
  await fill(page, 'Rule', 'tidy')
  await fill(page, 'For names', 'logs/')
  await fill(page, 'Delete older versions', '14')
  await fill(page, 'Delete unfinished uploads', '3')
  await check(page)
  await press(page, 'Save', 'dialog footer button[type=submit]')
  await says(page, 'older versions after 14 d, unfinished uploads after 3 d')
  assert.match(await rules(), /<NoncurrentDays>14<\/NoncurrentDays>[^]*<DaysAfterInitiation>3<\/DaysAfterInitiation>/)
  await act(page, 'tagged', 'Edit')
  await fill(page, 'Delete objects', '30')
  await press(page, 'The rule is on', 'dialog label')
  await press(page, 'Save', 'dialog footer button[type=submit]')
  await says(page, 'objects after 30 d')
  await find(page, 'td', 'off')
  const changed = /<Rule>(?:(?!<\/Rule>)[^])*<ID>tagged<\/ID>[^]*?<\/Rule>/.exec(await rules())[0]
  assert.match(changed, /<Status>Disabled<\/Status>/)
  assert.match(changed, /<Days>30<\/Days>/)
  assert.match(changed, /<Key>keep<\/Key>\s*<Value>no<\/Value>/, 'a tag that the form does not show is kept')
  await check(page)
  for (const name of ['tagged', 'tidy']) {
    await act(page, name, 'Delete the rule')
    await says(page, `Delete the rule ${name}?`)
    await press(page, 'Delete the rule', 'dialog button[type=submit]')
    await page.waitForFunction((gone) => ![...document.querySelectorAll('tbody th')].some((row) => row.textContent.trim() === gone), {}, name)
  }
  await says(page, 'No rule')
  await s3('GET', 'ruled?lifecycle', { expect: [404] })
  await check(page)
  await page.close()
})

test('an object is kept until a day, and by a legal hold; what is kept is not deleted', async () => {
  const page = await open('objects')
  await press(page, 'New bucket')
  await fill(page, 'Bucket', 'kept')
  await press(page, 'Object lock', 'dialog label')
  await press(page, 'Create', 'dialog button[type=submit]')
  await says(page, 'Bucket kept is there.')
  const version = await put('kept/deed.txt', 'mine')
  await visit(page, 'objects/kept?key=deed.txt&tab=lock')
  await fill(page, 'Mode', 'GOVERNANCE')
  await setTime(page, 'Kept until', '2099-12-31T12:00')
  await check(page)
  await press(page, 'Save the retention')
  await says(page, 'The retention is saved.')
  const retention = (await s3('GET', 'kept/deed.txt?retention')).said
  assert.equal(one(retention, 'Mode'), 'GOVERNANCE')
  assert.equal(Date.parse(one(retention, 'RetainUntilDate')), await page.evaluate(() => new Date('2099-12-31T12:00').getTime()))
  await visit(page, 'objects/kept?key=deed.txt')
  await says(page, '(governance)')

  await visit(page, 'objects/kept?key=deed.txt&tab=versions')
  await act(page, 'deed.txt ' + version, 'Delete this version')
  await fill(page, 'Type this name', version.slice(0, 8))
  await press(page, 'Delete this version', 'dialog button[type=submit]')
  await page.waitForSelector('dialog .notice-error')
  await check(page)
  await press(page, 'Cancel', 'dialog button')
  assert.equal((await s3('GET', 'kept/deed.txt?versionId=' + version)).said, 'mine')

  await visit(page, 'objects/kept?key=deed.txt&tab=lock')
  await press(page, 'Legal hold', 'label')
  await says(page, 'The legal hold is on.')
  assert.equal(one((await s3('GET', 'kept/deed.txt?legal-hold')).said, 'Status'), 'ON')
  await visit(page, 'objects/kept?key=deed.txt&tab=versions')
  await act(page, 'deed.txt ' + version, 'Delete this version')
  await press(page, 'Also where governance retention protects it', 'dialog label')
  await fill(page, 'Type this name', version.slice(0, 8))
  await press(page, 'Delete this version', 'dialog button[type=submit]')
  // The right to bypass lifts a retention, no hold.
  await page.waitForSelector('dialog .notice-error')
  await press(page, 'Cancel', 'dialog button')
  await visit(page, 'objects/kept?key=deed.txt&tab=lock')
  await press(page, 'Legal hold', 'label')
  await says(page, 'The legal hold is off.')
  await visit(page, 'objects/kept?key=deed.txt&tab=versions')
  await act(page, 'deed.txt ' + version, 'Delete this version')
  await press(page, 'Also where governance retention protects it', 'dialog label')
  await fill(page, 'Type this name', version.slice(0, 8))
  await press(page, 'Delete this version', 'dialog button[type=submit]')
  await says(page, 'The version is deleted.')
  await s3('GET', 'kept/deed.txt?versionId=' + version, { expect: [404] })
  await page.close()
})

test('what a bucket keeps by itself is set, holds for new objects, and is taken away', async () => {
  await s3('PUT', 'default-kept', { headers: { 'x-amz-bucket-object-lock-enabled': 'true' } })
  const page = await open('objects/default-kept?tab=settings')
  await fill(page, 'Default for new objects', 'COMPLIANCE')
  await fill(page, 'Kept until', '2')
  await check(page)
  await press(page, 'Save the retention')
  await says(page, 'The default is saved.')
  assert.match((await s3('GET', 'default-kept?object-lock')).said, /<Mode>COMPLIANCE<\/Mode>\s*<Days>2<\/Days>/)
  await put('default-kept/new.txt', 'new')
  const head = await s3('HEAD', 'default-kept/new.txt')
  assert.equal(head.headers.get('x-amz-object-lock-mode'), 'COMPLIANCE')
  await fill(page, 'Default for new objects', '')
  await press(page, 'Save the retention')
  // The words of the first time may still be there: what counts is what the server has.
  const until = Date.now() + waitMs
  while (/<Mode>/.test((await s3('GET', 'default-kept?object-lock')).said)) assert.ok(Date.now() < until, 'the default stays')
  await page.close()
})

test('an older version becomes the current one; a deleted object comes back by its marker', async () => {
  await versioned('written')
  const first = await put('written/text.txt', 'first words')
  await put('written/text.txt', 'second words, which were a mistake')
  const page = await open('objects/written?key=text.txt&tab=versions')
  await find(page, 'td', 'older')
  await check(page)
  await act(page, 'text.txt ' + first, 'Make it the current one')
  await says(page, 'It is the current version again.')
  assert.equal((await s3('GET', 'written/text.txt')).said, 'first words')
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 3)
  // Nothing is lost by it: the version before is an older one now.
  assert.equal((await s3('GET', 'written?versions')).said.split('<Version>').length - 1, 3)
  await check(page)

  await s3('DELETE', 'written/text.txt')
  await s3('GET', 'written/text.txt', { expect: [404] })
  await visit(page, 'objects/written?tab=versions')
  await find(page, 'td', 'delete marker')
  const marker = /<DeleteMarker>[^]*?<VersionId>([^<]+)/.exec((await s3('GET', 'written?versions')).said)[1]
  await act(page, 'text.txt ' + marker, 'Delete the marker')
  await press(page, 'Delete the marker', 'dialog button[type=submit]')
  await says(page, 'The version is deleted.')
  assert.equal((await s3('GET', 'written/text.txt')).said, 'first words')
  await page.waitForFunction(() => !document.querySelector('tbody').innerText.includes('delete marker'))
  await check(page)
  await page.close()
})

test('uploads that nobody completed are seen, and ended one by one', async () => {
  const hostile = '"><img src=x onerror=alert(1)>.bin'
  await s3('PUT', 'begun')
  const begin = async (key) => {
    const id = one((await s3('POST', `begun/${encodeURIComponent(key)}?uploads`)).said, 'UploadId')
    await s3('PUT', `begun/${encodeURIComponent(key)}?partNumber=1&uploadId=${id}`, { body: 'the first part' })
    return id
  }
  const left = [await begin('stays.bin'), await begin(hostile)]
  const page = await open('objects/begun?tab=uploads', { width: 390, theme: 'dark' })
  await says(page, hostile)
  await check(page)
  await press(page, 'Delete what was sent: ' + hostile, 'button')
  await says(page, 'Who is still uploading must begin again.')
  await check(page)
  await press(page, 'Delete what was sent', 'dialog button[type=submit]')
  await says(page, 'The parts are deleted.')
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1)
  const open_ = (await s3('GET', 'begun?uploads')).said
  assert.deepEqual(left.map((id) => open_.includes(id)), [true, false])
  await press(page, 'Delete what was sent: stays.bin', 'button')
  await press(page, 'Delete what was sent', 'dialog button[type=submit]')
  await says(page, 'No upload is unfinished')
  assert.doesNotMatch((await s3('GET', 'begun?uploads')).said, /<Upload>/)
  await page.close()
})
