// The page that everybody may search a public index by.
import test from 'node:test'
import assert from 'node:assert/strict'
import { cairn, check, newPage, says, useConsole } from './harness.mjs'

// Room for the pages themselves, and few enough to reach the end of it.
const perMinute = 12
useConsole({ config: { rate_limit: { resources: { search: { window: 'minute', authenticated: 30, unauthenticated: perMinute } } } } })
const hostile = '<img src=x onerror=alert(1)> & the <b>sea</b>'

test('words, highlights, facets, and nothing of a document runs', async () => {
  await cairn.ask('PUT', '/books', {
    settings: { 'index.public': true },
    mappings: { _meta: { search_page: { title: 'The library', facets: ['author'] } }, properties: { title: { type: 'text' }, body: { type: 'text' }, author: { type: 'keyword' }, url: { type: 'keyword' } } }
  })
  await cairn.ask('PUT', '/books/_doc/1', { title: hostile, body: 'Ships go over the sea.', author: hostile, url: 'javascript:alert(3)' })
  await cairn.ask('PUT', '/books/_doc/2?refresh=true', { title: 'The sea', body: 'Wide and deep.', author: 'Ann', url: 'https://books.example/2' })
  const page = await newPage()
  await page.goto(cairn.api + '/search/books')
  await says(page, 'The library')
  await page.keyboard.type('sea')
  await page.keyboard.press('Enter')
  await says(page, '2 results for “sea”')
  await says(page, hostile)
  assert.deepEqual(await page.$$eval('.results mark', (all) => [...new Set(all.map((one) => one.textContent.toLowerCase()))]), ['sea'])
  assert.deepEqual(await page.$$eval('.results a', (all) => all.map((one) => one.href)), ['https://books.example/2'])
  await check(page)
  await page.evaluate(() => [...document.querySelectorAll('fieldset button')].find((one) => one.textContent.startsWith('Ann')).click())
  await says(page, '1 result for “sea”')
  assert.match(page.url(), /f\.author=Ann/)
  await page.setViewport({ width: 320, height: 700 })
  await check(page)
  await page.close()
})

test('when the limit is reached the page says when it goes on', async () => {
  const page = await newPage({ theme: 'dark' })
  await page.goto(cairn.api + '/search/books')
  await says(page, 'The library')
  await page.keyboard.type('sea')
  for (let i = 0; i < perMinute + 2; i++) {
    await page.evaluate(() => document.querySelector('form').requestSubmit())
    await page.waitForFunction(() => document.querySelector('.status').textContent !== 'Searching…')
  }
  await says(page, 'There were many searches from here.')
  await check(page)
  await page.close()
})

test('an index that is not public is not searched by everybody', async () => {
  await cairn.ask('PUT', '/secret')
  // A browser asks for a name and a password then; that is not shown here.
  const answers = await Promise.all(['secret', 'nowhere'].map(async (index) => {
    const answer = await fetch(cairn.api + '/search/' + index)
    return [answer.status, (await answer.text()).replaceAll(index, '')]
  }))
  assert.equal(answers[0][0], 401)
  assert.deepEqual(answers[0], answers[1], 'nobody hears which indices there are')
})
