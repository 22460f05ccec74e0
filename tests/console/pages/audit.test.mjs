import test from 'node:test'
import assert from 'node:assert/strict'
import { cairn, check, fill, open, picture, press, says, useConsole } from '../harness.mjs'

useConsole()
const hostile = '<img src=x onerror=alert(1)>'
const rows = (page) => page.evaluate(() => [...document.querySelectorAll('.table-scroll tbody tr')].map((row) => row.innerText))

/** A refusal by a key of this name. */
async function refused (name) {
  const { encoded } = await cairn.ask('POST', '/_security/api_key', { name, role_descriptors: { r: { cluster: ['monitor'] } } })
  await assert.rejects(cairn.ask('PUT', '/books-' + encodeURIComponent(name).toLowerCase().replace(/[^a-z]/g, ''), undefined, { key: encoded }), /403/)
}

for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [320, 'dark']]) {
  test(`audit at ${width} px, ${theme}`, async () => {
    await refused('mary')
    const page = await open('audit', { width, theme })
    await says(page, 'Events by result')
    await says(page, 'may not')
    await check(page)
    if (width === 1280 && theme === 'light') await picture(page, 'audit')
    await page.close()
  })
}

test('lines are found by who, what and result; one is shown whole; names are text', async () => {
  await refused(hostile)
  const page = await open('audit')
  await fill(page, 'Identity', hostile)
  await press(page, 'Search', 'button[type=submit]')
  await page.waitForFunction((name) => { const all = [...document.querySelectorAll('.table-scroll tbody tr')]; return all.length > 0 && all.every((row) => row.innerText.includes(name)) }, {}, hostile)
  await press(page, '20', 'tbody .row-link')
  await says(page, 'The whole line')
  await check(page)
  await press(page, 'Same action', 'dialog button')
  await says(page, 'indices.create')
  await fill(page, 'Result', 'success')
  await press(page, 'Search', 'button[type=submit]')
  await says(page, 'No line matches')
  assert.equal((await rows(page)).length, 0)
  await check(page)
  await page.close()
})

test('the chain is verified, with its seals', async () => {
  await refused('eve')
  const page = await open('audit')
  await press(page, 'Verify the chain')
  await press(page, 'Verify', 'dialog button[type=submit]')
  await says(page, 'follow one another without a fault.')
  await says(page, '1 seal fits the public key and the bytes.')
  await check(page)
  await page.close()
})

test('bytes that another wrote are told', async () => {
  await refused('eve')
  const page = await open('audit')
  await page.setRequestInterception(true)
  page.on('request', (request) => {
    if (!request.url().includes('/_export')) return void request.continue()
    void fetch(cairn.api + '/_cairn/audit/_export?after=0', { headers: { authorization: 'ApiKey ' + cairn.adminKey } }).then((answer) => answer.text())
      .then((text) => request.respond({ contentType: 'application/x-ndjson', body: text.replace('"admin"', '"adnim"') }))
  })
  await press(page, 'Verify the chain')
  await press(page, 'Verify', 'dialog button[type=submit]')
  await says(page, 'are not those that were sealed.')
  await page.close()
})

test('a key that may not read the log is told which privilege it takes', async () => {
  const { encoded } = await cairn.ask('POST', '/_security/api_key', { name: 'reader', role_descriptors: { r: { cluster: ['monitor'] } } })
  const page = await open('audit', { key: encoded })
  await says(page, 'read_audit')
  await check(page)
  await page.close()
})
