import test from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { cairn, check, fill, find, open, picture, press, says, useConsole, visit } from '../harness.mjs'

useConsole()
const hostile = '"><img src=x onerror=alert(1)>.html'
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')

async function put (bucket, key, body, headers = {}) {
  const answer = await fetch(`${cairn.api}/_cairn/objects/${bucket}${key === undefined ? '' : '/' + encodeURIComponent(key)}`, { method: 'PUT', body, headers: { authorization: 'ApiKey ' + cairn.adminKey, ...headers } })
  assert.ok(answer.ok, await answer.text())
}
/** Gives files to the page as a person who chooses them. */
async function choose (page, ...files) { await (await page.waitForSelector('input[type=file]')).uploadFile(...files) }
const listed = (page, name) => page.waitForFunction((wanted) => [...document.querySelectorAll('tbody th')].some((one) => one.textContent.trim() === wanted), {}, name)

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`buckets and settings at ${width} px, ${theme}`, async () => {
    const bucket = `papers-${width}`
    await put(bucket)
    await put(bucket, '2026/a b+c.txt', 'text', { 'content-type': 'text/plain' })
    const page = await open('objects', { width, theme })
    await says(page, bucket)
    await check(page)
    await visit(page, `objects/${bucket}`)
    await listed(page, '2026/')
    await check(page)
    for (const tab of ['Versions', 'Unfinished uploads', 'Lifecycle', 'Policy', 'Settings']) {
      await press(page, tab, '[role=tab]')
      await page.waitForFunction(() => !document.querySelector('.tab-panel .loading'))
      await check(page)
    }
    await visit(page, `objects/${bucket}?key=${encodeURIComponent('2026/a%20b%2Bc.txt')}`)
    await says(page, 'text/plain')
    await check(page)
    if (width === 1280) await picture(page, 'object')
    await page.close()
  })
}

test('a bucket is made, files go up in one request and in parts, and are deleted after a dry run', async () => {
  const small = path.join(cairn.folder, 'small.txt')
  const large = path.join(cairn.folder, 'large.bin')
  fs.writeFileSync(small, 'a few words\n')
  fs.writeFileSync(large, Buffer.alloc(19 << 20, 7))
  const page = await open('objects')
  await press(page, 'New bucket')
  await fill(page, 'Bucket', 'uploads')
  await press(page, 'Keep versions', 'label')
  await press(page, 'Create', 'dialog button')
  await says(page, 'Bucket uploads is there.')
  await choose(page, small, large)
  await listed(page, 'small.txt')
  await says(page, 'Uploads: 2 of 2 files')
  await listed(page, 'large.bin')
  await check(page)
  const head = await fetch(cairn.api + '/_cairn/objects/uploads/large.bin', { method: 'HEAD', headers: { authorization: 'ApiKey ' + cairn.adminKey } })
  assert.equal(head.headers.get('content-length'), String(19 << 20))
  assert.match(head.headers.get('etag'), /-3"$/)
  await press(page, 'More actions: small.txt')
  await press(page, 'Delete', '[role=menuitem]')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'What would happen')
  await check(page)
  await press(page, 'Delete', 'dialog footer button[type=submit]')
  await page.waitForFunction(() => ![...document.querySelectorAll('tbody th')].some((one) => one.textContent.trim() === 'small.txt'))
  await press(page, 'Versions', '[role=tab]')
  await says(page, 'delete marker')
  await check(page)
  await page.close()
})

test('an upload pauses and goes on with the parts that are left', async () => {
  await put('paused')
  const file = path.join(cairn.folder, 'paused.bin')
  fs.writeFileSync(file, Buffer.alloc(20 << 20, 3))
  const page = await open('objects/paused')
  // The first part comes through, those after it wait until the upload was paused.
  await page.setRequestInterception(true)
  let held = true
  const waiting = []
  page.on('request', (request) => {
    const part = /partNumber=(\d+)/.exec(request.url())
    if (held && part && Number(part[1]) > 1) waiting.push(request); else void request.continue().catch(() => undefined)
  })
  await choose(page, file)
  await says(page, 'part 1 of 3')
  await press(page, 'Pause: paused/paused.bin', 'button')
  await says(page, 'paused · part 1 of 3')
  held = false
  await page.setRequestInterception(false)
  const before = page.requests.length
  await press(page, 'Go on: paused/paused.bin', 'button')
  await says(page, 'Uploads: 1 of 1 file')
  const sent = page.requests.slice(before).filter((one) => one.startsWith('PUT')).map((one) => /partNumber=(\d+)/.exec(one)?.[1])
  assert.deepEqual(sent.sort(), ['2', '3'])
  await page.close()
})

test('hostile names are text, everywhere', async () => {
  await put('hostile')
  for (const name of [hostile, '../up.txt', 'a\u202egpj.exe', 'line\nend', '&amp;.txt']) await put('hostile', name, '<script>alert(3)</script>', { 'content-type': 'text/html' })
  const page = await open('objects/hostile')
  await listed(page, hostile)
  await listed(page, 'a\\u202egpj.exe')
  await listed(page, 'line\\u000aend')
  await listed(page, '&amp;.txt')
  await check(page)
  await press(page, hostile, 'tbody a')
  await says(page, 'text/html')
  await press(page, 'Preview', '[role=tab]')
  await says(page, 'There is no preview for this object')
  await check(page)
  await visit(page, 'objects/hostile?prefix=' + encodeURIComponent('../'))
  await press(page, 'up.txt', 'tbody a')
  await says(page, 'text/html')
  await check(page)
  await page.close()
})

test('objects are shown in a frame of the other origin, as what their bytes are', async () => {
  await put('looked')
  const words = 'words <script>alert(4)</script>'
  // Neither the names nor what the objects say of themselves is believed.
  const objects = [['words.html', words, 'text/html', 'text/plain; charset=utf-8'], ['dot.svg', png, 'image/svg+xml', 'image/png']]
  const page = await open('objects', { width: 320, theme: 'dark' })
  for (const [name, body, said, type] of objects) {
    await put('looked', name, body, { 'content-type': said })
    const answered = page.waitForResponse((answer) => answer.url().startsWith(cairn.objects + '/looked/' + name + '?'))
    await visit(page, `objects/looked?key=${name}&tab=preview`)
    await says(page, 'Shown as ' + type)
    const answer = await answered
    assert.equal(answer.status(), 200)
    assert.equal(answer.headers()['content-type'], type)
    assert.equal(answer.headers()['content-security-policy'], 'sandbox')
    const element = await page.waitForSelector('iframe.object-preview')
    assert.equal(await element.evaluate((one) => one.getAttribute('sandbox')), '')
    const frame = await element.contentFrame()
    if (body === words) await frame.waitForFunction((wanted) => document.body.textContent === wanted, {}, words)
    else await frame.waitForFunction(() => document.images.length === 1 && document.images[0].complete && document.images[0].naturalWidth === 1)
    await check(page)
  }
  await page.close()
})

test('a PDF is opened in a tab, on the other origin', async () => {
  await put('printed')
  await put('printed', 'paper', '%PDF-1.7\n%%EOF\n')
  const page = await open('objects/printed?key=paper&tab=preview')
  await says(page, 'Browsers show PDF in a tab of its own')
  assert.equal(await page.$('iframe'), null)
  await check(page)
  await press(page, 'Open in a new tab')
  const tab = await page.browserContext().waitForTarget((one) => one.url().startsWith(cairn.objects + '/printed/paper?'))
  const answer = await fetch(tab.url())
  assert.equal(answer.headers.get('content-type'), 'application/pdf')
  assert.equal(answer.headers.get('content-security-policy'), 'sandbox')
  await page.browserContext().close()
})

test('an address is made that is good for a while, on the other port', async () => {
  await put('shared')
  await put('shared', 'dot.png', png, { 'content-type': 'image/png' })
  const page = await open('objects/shared?key=dot.png')
  await press(page, 'Share by a link')
  await press(page, 'Make the address')
  const shown = await (await page.waitForSelector('dialog pre')).evaluate((one) => one.textContent)
  assert.ok(shown.startsWith(cairn.objects + '/shared/dot.png?'), shown)
  const answer = await fetch(shown)
  assert.equal(Buffer.compare(Buffer.from(await answer.arrayBuffer()), png), 0)
  await check(page)
  await page.close()
})

test('tags, metadata, a copy under another name', async () => {
  await put('named')
  await put('named', 'one.txt', 'one', { 'content-type': 'text/plain' })
  const page = await open('objects/named?key=one.txt&tab=tags')
  await press(page, 'Add a tag')
  await fill(page, 'Name', 'colour')
  await fill(page, 'Value', 'blue')
  await press(page, 'Save the tags')
  await says(page, 'The tags are saved.')
  await check(page)
  await press(page, 'Details', '[role=tab]')
  await press(page, 'Edit', 'button')
  await fill(page, 'Metadata', 'shelf: 7')
  await press(page, 'Save', 'dialog button')
  await says(page, 'The metadata are saved.')
  await find(page, '.facts dt', 'shelf')
  await press(page, 'More actions')
  await press(page, 'Copy or rename', '[role=menuitem]')
  await fill(page, 'To name', 'folder/two.txt')
  await press(page, 'Copy', 'dialog footer button[type=submit]')
  await says(page, 'It is copied.')
  const copy = await fetch(cairn.api + '/_cairn/objects/named/folder/two.txt', { method: 'HEAD', headers: { authorization: 'ApiKey ' + cairn.adminKey } })
  assert.equal(copy.headers.get('x-amz-meta-shelf'), '7')
  await page.close()
})

test('lifecycle rules and a policy', async () => {
  await put('ruled')
  const page = await open('objects/ruled?tab=lifecycle')
  await press(page, 'Add a rule')
  await fill(page, 'Rule', 'old logs')
  await fill(page, 'For names', 'logs/')
  await fill(page, 'Delete objects', '30')
  await press(page, 'Count what it deletes')
  await says(page, '0 objects with 0 B would expire now.')
  await press(page, 'Save', 'dialog button')
  await says(page, 'objects after 30 d')
  await check(page)
  await press(page, 'Policy', '[role=tab]')
  await fill(page, 'Policy', '{ "Version": ')
  await says(page, 'This is no JSON')
  await check(page)
  await press(page, 'reading by everybody')
  await press(page, 'Save the policy')
  // The block of public access is on: the server refuses, and the page says why.
  await page.waitForSelector('.notice-error')
  await check(page)
  await page.close()
})

test('a bucket goes with its versions after its name was typed', async () => {
  await put('gone')
  await put('gone', 'a.txt', 'a')
  const page = await open('objects')
  await press(page, 'More actions: gone')
  await press(page, 'Delete the bucket', '[role=menuitem]')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'What would happen')
  await press(page, 'Delete all objects', 'dialog label')
  await fill(page, 'Type this name', 'gone')
  await check(page)
  await press(page, 'Delete the bucket', 'dialog button[type=submit]')
  await says(page, 'Bucket gone is deleted.')
  await page.close()
})

test('a key without an access key is told what to do', async () => {
  const { encoded } = await cairn.ask('POST', '/_security/api_key', { name: 'reader', role_descriptors: { r: { cluster: ['monitor'] } } })
  const page = await open('objects', { key: encoded })
  await says(page, 'This key has no access key')
  await check(page)
  await page.close()
})
