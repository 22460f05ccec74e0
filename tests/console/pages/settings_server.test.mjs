// Settings of a server with a mirror and messages: what it was started with, and what an administrator does with it.
import test, { after } from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { cairn, check, fill, find, open, press, says, useConsole } from '../harness.mjs'

// Where messages go. It refuses while `refuses` is set.
let refuses = true
const received = []
const hook = http.createServer(async (request, response) => {
  let text = ''
  for await (const piece of request) text += piece
  received.push(JSON.parse(text))
  response.writeHead(refuses ? 500 : 204).end()
})
await new Promise((resolve) => hook.listen(0, '127.0.0.1', resolve))
const second = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-console-mirror-'))
const secret = path.join(second, '../' + path.basename(second) + '.secret')
fs.writeFileSync(secret, 'whsec_' + Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
after(() => { hook.closeAllConnections(); hook.close(); fs.rmSync(second, { recursive: true, force: true }); fs.rmSync(secret, { force: true }) })
useConsole({ config: { data: { mirror: second }, messages: { webhook: { url: `http://127.0.0.1:${hook.address().port}/`, secret_file: secret } } }, environment: { CAIRN_LOG__LEVEL: 'warn' } })

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`mirror, messages, keys and licence at ${width} px, ${theme}`, async () => {
    const page = await open('settings', { width, theme })
    for (const tab of ['Configuration', 'Mirror', 'Messages', 'Keys and licence']) {
      await press(page, tab, '[role=tab]')
      await page.waitForFunction(() => !document.querySelector('.tab-panel .loading'))
      await check(page)
    }
    await page.close()
  })
}

test('a folder of the mirror is put aside with its name typed, and filled again', async () => {
  const page = await open('settings?tab=mirror')
  await says(page, 'Both folders hold everything.')
  await press(page, 'Put aside: data.mirror')
  await press(page, 'Dry run', 'dialog button')
  await says(page, second)
  await fill(page, 'Type this name', 'data.mirror')
  await check(page)
  await press(page, 'Put aside', 'dialog button[type=submit]')
  await says(page, 'data.mirror takes no part any more.')
  await says(page, 'One folder lacks something')
  assert.equal((await cairn.ask('GET', '/_cairn/mirror')).folders.find(({ setting }) => setting === 'data.mirror').state, 'away')
  await check(page)
  await press(page, 'Fill it')
  await says(page, 'Both folders hold everything.')
  assert.equal((await cairn.ask('GET', '/_cairn/mirror')).whole, true)
  await page.close()
})

test('a message is sent to try the way, and says why where it was not taken', async () => {
  const page = await open('settings?tab=messages')
  await press(page, 'Send one to try')
  await says(page, 'webhook: not taken')
  await check(page)
  refuses = false
  await press(page, 'Send one to try')
  await says(page, 'webhook: taken')
  assert.equal(received.at(-1).type, 'cairn.test')
  await page.close()
})

test('a new master key is drawn after it was typed, and keys work on', async () => {
  const { encoded } = await cairn.ask('POST', '/_security/api_key', { name: 'before' })
  const sealed = fs.readFileSync(path.join(cairn.folder, 'data/keys/master.key'))
  const page = await open('settings?tab=server')
  await says(page, 'active')
  await press(page, 'Draw a new master key')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'encryption keys')
  await fill(page, 'Type this name', 'master key')
  await check(page)
  await press(page, 'Draw a new master key', 'dialog button[type=submit]')
  await says(page, 'A new master key holds.')
  assert.notDeepEqual(fs.readFileSync(path.join(cairn.folder, 'data/keys/master.key')), sealed)
  await cairn.ask('GET', '/_security/_authenticate', undefined, { key: encoded })
  await page.close()
})

test('each setting says where it came from; a reload says what it changed', async () => {
  const page = await open('settings?tab=configuration')
  const row = async (name) => await (await find(page, 'tr', name)).evaluate((one) => one.innerText)
  assert.match(await row('data.mirror'), /file/)
  assert.match(await row('log.level'), /environment/)
  assert.match(await row('listen.api'), /flag/)
  await says(page, path.join(cairn.folder, 'cairn.yaml'))
  // No setting of the file's that is secret is shown, nor is the content of a file that one names.
  assert.ok(!(await page.evaluate(() => document.body.innerText)).includes('whsec_'))
  await press(page, 'All (')
  await page.waitForFunction(() => Number(document.querySelector('table').getAttribute('aria-rowcount')) > 100)
  await check(page)
  await (await page.waitForSelector('.table-filter input')).type('connectors.directory.roots')
  await press(page, 'connectors.directory.roots', '.row-link')
  await says(page, 'CAIRN_CONNECTORS__DIRECTORY__ROOTS')
  await check(page)
  await page.keyboard.press('Escape')
  await press(page, 'Reload', '.table-tools button')
  await says(page, 'nothing changed')
  fs.writeFileSync(path.join(cairn.folder, 'cairn.yaml'), JSON.stringify({ ...JSON.parse(fs.readFileSync(path.join(cairn.folder, 'cairn.yaml'), 'utf8')), rate_limit: { resources: { search: { window: 'minute', authenticated: 31 } } } }))
  await press(page, 'Reload', '.table-tools button')
  await find(page, '.notice li', 'rate_limit')
  await check(page)
  fs.writeFileSync(path.join(cairn.folder, 'cairn.yaml'), '{ this is: [no yaml')
  await press(page, 'Reload', '.table-tools button')
  await says(page, 'This was left as it was:')
  await check(page)
  await page.close()
})
