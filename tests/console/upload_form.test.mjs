// Pages of another origin upload to a bucket by a form, as people do with theirs: by the form itself, and by fetch.
import test from 'node:test'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { browser, cairn, useConsole, waitMs } from './harness.mjs'

useConsole()

/** A command of `cairn objects`, by the first pair of keys. What it prints. */
async function objects (...words) {
  const pair = JSON.parse(fs.readFileSync(path.join(cairn.folder, 'data/keys/admin-s3.json'), 'utf8'))
  const environment = { ...process.env, AWS_ACCESS_KEY_ID: pair.access_key_id, AWS_SECRET_ACCESS_KEY: pair.secret_access_key, AWS_REGION: 'us-east-1' }
  return (await promisify(execFile)(process.env.CAIRN_BINARY, ['objects', ...words, '--endpoint-url', cairn.objects], { env: environment })).stdout
}

/** A server of pages that knows nothing of Cairn. */
async function servePages (pages) {
  const server = http.createServer((request, response) => {
    const page = pages[new URL(request.url, 'http://x').pathname]
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' }).end(page ?? '')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${server.address().port}`, stop: () => { server.closeAllConnections(); return new Promise((resolve) => server.close(resolve)) } }
}

async function newTab () {
  const page = await (await browser.createBrowserContext()).newPage()
  page.setDefaultTimeout(waitMs)
  return page
}

function fileOf (name, text) {
  const at = path.join(cairn.folder, name)
  fs.writeFileSync(at, text)
  return at
}

test('a form puts its file, and the browser goes where the form says', async () => {
  await objects('mb', 's3://inbox')
  const pages = { '/done': '<h1>Thank you</h1>' }
  const server = await servePages(pages)
  try {
    pages['/'] = await objects('presign', '--post', 's3://inbox/from/', '--html', '--expires-in', '15m', '--content-length-range', '1,1MiB', '--field', `success_action_redirect=${server.origin}/done?a=b`)
    const page = await newTab()
    await page.goto(server.origin + '/')
    const name = 'ä "quoted" %41.txt'
    await (await page.$('input[type=file]')).uploadFile(fileOf(name, 'by a person'))
    await Promise.all([page.waitForNavigation(), page.click('button')])
    const arrived = new URL(page.url())
    assert.equal(arrived.origin + arrived.pathname, server.origin + '/done')
    assert.equal(arrived.searchParams.get('a'), 'b')
    assert.equal(arrived.searchParams.get('bucket'), 'inbox')
    assert.equal(arrived.searchParams.get('etag'), '"24520eb25b58267f9bafbfd859fe8215"')
    // Browsers write a quote in a name as %22, and nothing tells it from one that was typed so.
    const key = arrived.searchParams.get('key')
    assert.equal(key, 'from/ä %22quoted%22 %41.txt')
    assert.equal(await objects('cp', 's3://inbox/' + key, '-'), 'by a person')
  } finally { await server.stop() }
})

test('a file that the form does not allow is refused, and the person sees why', async () => {
  await objects('mb', 's3://small')
  const pages = {}
  const server = await servePages(pages)
  try {
    pages['/'] = await objects('presign', '--post', 's3://small/k', '--html', '--content-length-range', '1,5')
    const page = await newTab()
    await page.goto(server.origin + '/')
    await (await page.$('input[type=file]')).uploadFile(fileOf('large', 'x'.repeat(3_000_000)))
    await Promise.all([page.waitForNavigation(), page.click('button')])
    assert.match(await page.content(), /EntityTooLarge/)
    assert.equal(await objects('ls', 's3://small/'), '')
  } finally { await server.stop() }
})

test('a script uploads by fetch, where the bucket lets pages of that origin', async () => {
  await objects('mb', 's3://scripted')
  const server = await servePages({ '/': '<h1>A page</h1>' })
  try {
    const form = JSON.parse(await objects('presign', '--post', 's3://scripted/${filename}', '--field', 'success_action_status=201', '--starts-with', 'Content-Type='))
    const page = await newTab()
    await page.goto(server.origin + '/')
    const send = () => page.evaluate(async ({ url, fields }) => {
      const data = new FormData()
      for (const [name, value] of Object.entries(fields)) data.append(name, value)
      data.append('Content-Type', 'text/plain')
      data.append('file', new File(['x'.repeat(500_000)], 'made.txt'))
      try {
        const answer = await fetch(url, { method: 'POST', body: data })
        return { status: answer.status, tag: answer.headers.get('etag'), text: await answer.text() }
      } catch (error) { return { status: 0 } }
    }, form)
    // Without a word of the bucket the page must not read the answer.
    assert.equal((await send()).status, 0)
    await objects('put-bucket-cors', '--bucket', 'scripted', '--cors-configuration', JSON.stringify({ cors_rules: [{ allowed_origins: [server.origin], allowed_methods: ['POST'], expose_headers: ['ETag'] }] }))
    const { status, tag, text } = await send()
    assert.equal(status, 201)
    assert.match(tag, /^"[0-9a-f]{32}"$/)
    assert.match(text, /<Key>made.txt<\/Key>/)
    assert.equal((await objects('cp', 's3://scripted/made.txt', '-')).length, 500_000)
  } finally { await server.stop() }
})
