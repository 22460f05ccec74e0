import test from 'node:test'
import assert from 'node:assert/strict'
import { cairn, check, fill, open, picture, press, says, useConsole, visit } from '../harness.mjs'

useConsole({ config: { rate_limit: { resources: { search: { window: 'hour', authenticated: 5, unauthenticated: 5 } }, rules: [{ name: 'books', index: 'books*', limit: 2, window: 'hour', shadow: true }] } } })

/** A user who searches until a limit refuses. */
async function limited (name) {
  const { encoded } = await cairn.ask('POST', '/_security/api_key', { name, metadata: { _cairn: { identity: { kind: 'user', user: name } } } })
  for (let n = 0; n < 7; n++) await fetch(cairn.api + '/books/_search', { headers: { authorization: 'ApiKey ' + encoded } })
}

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`limits at ${width} px, ${theme}`, async () => {
    await limited(`ann${width}`)
    const page = await open('limits', { width, theme })
    await says(page, `user:ann${width}`)
    for (const tab of ['Now', 'Rules', 'Explain', 'Policy']) {
      await press(page, tab, '[role=tab]')
      await page.waitForFunction(() => !document.querySelector('.tab-panel .loading'))
      await check(page)
      if (width === 1280 && tab === 'Now') await picture(page, 'limits')
    }
    await page.close()
  })
}

test('who is limited is shown, explained, and reset', async () => {
  await limited('bob')
  const page = await open('limits/user%3Abob')
  await says(page, '100 %')
  await check(page)
  await press(page, 'Explain a request')
  await fill(page, 'Path', '/books/_search')
  await press(page, 'Explain', 'button[type=submit]')
  await says(page, 'It would be refused: the primary limit.')
  await says(page, 'resources.search.authenticated')
  await check(page)
  await visit(page, 'limits/user%3Abob')
  await press(page, 'Reset', 'button')
  await press(page, 'Reset', 'dialog button[type=submit]')
  await says(page, 'The counters of user:bob are at zero.')
  const now = await cairn.ask('GET', '/_cairn/limits/user:bob')
  assert.equal(now.windows.search.used, 0)
  await page.close()
})

test('rules say what they let through, and the form writes what the file takes', async () => {
  await cairn.ask('PUT', '/books').catch(() => undefined)
  for (let n = 0; n < 4; n++) await cairn.ask('GET', '/books/_mapping')
  const page = await open('limits?tab=rules')
  await says(page, 'books*')
  await says(page, 'shadow')
  await fill(page, 'Name', 'tenants')
  await fill(page, 'Limit', '9')
  await says(page, 'name: tenants, match: "POST /{index}/_bulk", limit: 9, window: hour')
  await check(page)
  await page.close()
})

test('a key that may not see limits is told so', async () => {
  const { encoded } = await cairn.ask('POST', '/_security/api_key', { name: 'reader', role_descriptors: { r: { cluster: ['monitor'] } } })
  const page = await open('limits', { key: encoded })
  await page.waitForSelector('.notice-error')
  await check(page)
  await page.close()
})
