import test from 'node:test'
import assert from 'node:assert/strict'
import { cairn, check, fill, find, open, press, says, useConsole, visit } from '../harness.mjs'

useConsole()
const hostile = '"><img src=x onerror=alert(1)><script>alert(2)</script>'
const documents = [
  { title: 'Harbours', body: 'Ships wait in the harbour until the storm is over.', kind: 'sea', year: 1990 },
  { title: 'Peaks', body: 'The summit of the mountain is covered by snow.', kind: 'land', year: 2000 },
  { title: 'Bread', body: 'Flour, water and salt make a loaf.', kind: 'food', year: 2010 },
  { title: hostile, body: `A storm of marks: ${hostile} <em>storm</em>`, kind: hostile, year: 2020 }
]

async function makeIndex (name) {
  await cairn.ask('PUT', '/' + name, { mappings: { properties: { title: { type: 'text', copy_to: 'meaning' }, body: { type: 'text', copy_to: 'meaning' }, kind: { type: 'keyword' }, year: { type: 'integer' }, meaning: { type: 'semantic_text' } } } })
  await cairn.ask('POST', `/${name}/_bulk?refresh=true`, documents.map((one, n) => `{"index":{"_id":"${n}"}}\n${JSON.stringify(one)}\n`).join(''))
}
const lanes = async (page, n) => { await page.waitForFunction((wanted) => document.querySelectorAll('.lane').length === wanted && [...document.querySelectorAll('.lane')].every((one) => one.getAttribute('aria-busy') === null), {}, n) }
const firstTitle = (page, lane) => page.$eval(`.lane:nth-of-type(${lane}) .hit h3`, (one) => one.textContent)
const searches = (page) => page.requests.filter((one) => one.endsWith('/_search')).length

test('without an index the playground says how one is made', async () => {
  const page = await open('search')
  await says(page, 'There is no index to search')
  await check(page)
  await page.close()
})

for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [390, 'dark'], [320, 'light']]) {
  test(`three rankings side by side at ${width} px, ${theme}`, async () => {
    const name = `world-${width}-${theme}`
    await makeIndex(name)
    const page = await open('search/' + name, { width, theme })
    await fill(page, 'Search for', 'boats and bad weather')
    await press(page, 'Fields, weights, filters', 'summary')
    await check(page)
    const before = searches(page)
    await page.keyboard.press('Enter')
    await press(page, 'Search', 'button[type=submit]')
    await lanes(page, 3)
    assert.equal(searches(page) - before, 3)
    await says(page, 'One press: 3 requests, 4 rankings.')
    assert.equal(await firstTitle(page, 2), 'Harbours')
    await check(page)
    await page.close()
  })
}

test('marks are marks, and what a document says is text', async () => {
  await makeIndex('marks')
  const page = await open('search/marks?q=storm&way=words')
  await lanes(page, 1)
  assert.equal(await page.$$eval('.hit mark', (all) => all.every((one) => one.textContent.toLowerCase() === 'storm')), true)
  await says(page, '<em>')
  assert.equal(await page.$('.hit img, .hit script, .hit em'), null)
  await check(page)
  await page.close()
})

test('scores are explained: by the server for one list, and by both lists for a hybrid', async () => {
  await makeIndex('reasons')
  const page = await open('search/reasons?q=storm%20harbour')
  await lanes(page, 3)
  for (const lane of [1, 2, 3]) {
    await (await page.$(`.lane:nth-of-type(${lane}) .hit:first-child .hit-buttons button:last-child`)).click()
    await page.waitForSelector(`.lane:nth-of-type(${lane}) .why .bars`)
  }
  const numbers = await page.$$eval('.lane:nth-of-type(3) .why .bars td.numeric', (all) => all.map((one) => Number(one.textContent)))
  const score = Number(await page.$eval('.lane:nth-of-type(3) .hit-score', (one) => one.textContent))
  assert.ok(Math.abs(numbers.reduce((a, b) => a + b, 0) - score) < 0.001, `${numbers} against ${score}`)
  const words = await page.$$eval('.lane:nth-of-type(1) .why .bars th', (all) => all.map((one) => one.textContent))
  assert.ok(words.includes('body: storm') && words.includes('body: harbour'), words.join())
  await check(page)
  await page.close()
})

test('a weight asks the hybrid again, alone', async () => {
  await makeIndex('weights')
  const page = await open('search/weights?q=storm')
  await lanes(page, 3)
  await press(page, 'Fields, weights, filters', 'summary')
  const before = searches(page)
  const slider = await find(page, 'input[type=range]', '')
  await slider.focus()
  await page.keyboard.press('Home')
  await page.waitForFunction(() => document.querySelector('.lane:nth-of-type(3) .hit-score')?.textContent === '1')
  await lanes(page, 3)
  assert.equal(searches(page) - before, 1)
  await page.close()
})

test('filters narrow all rankings, the profile tells where the time went', async () => {
  await makeIndex('filters')
  const page = await open('search/filters?q=storm')
  await lanes(page, 3)
  await press(page, 'Fields, weights, filters', 'summary')
  await press(page, 'Add filter')
  await page.select('.filter-row select', 'kind')
  await fill(page, 'Value', 'sea')
  await press(page, 'Profile', 'label')
  await press(page, 'Search', 'button[type=submit]')
  await lanes(page, 3)
  await says(page, 'Where the time went')
  assert.deepEqual(await page.$$eval('.hit h3', (all) => [...new Set(all.map((one) => one.textContent))]), ['Harbours'])
  await check(page)
  await page.close()
})

test('the editor says where a text is no JSON, what the server does not know, and offers names', async () => {
  await makeIndex('editor')
  const page = await open('search/editor?mode=json')
  await page.waitForSelector('.editor textarea')
  await fill(page, 'Search body, JSON', '{"query": {"matc')
  await page.waitForSelector('.editor-offers [role=option]')
  await says(page, 'match_phrase')
  await check(page)
  await page.keyboard.press('Enter')
  await page.keyboard.type('": {"body": "storm"}}')
  await says(page, 'Line 1, column')
  assert.equal(await (await find(page, 'button[type=submit]', 'Search')).evaluate((one) => one.disabled), true)
  await fill(page, 'Search body, JSON', '{"query": {"matc": {"body": "storm"}}}')
  await page.keyboard.press('Escape')
  await press(page, 'Check', '.editor button')
  await says(page, 'unknown query [matc]')
  await fill(page, 'Search body, JSON', '{"query": {"match": {"body": "storm"}}, "aggs": {"kinds": {"terms": {"field": "kind"}}}}')
  await page.keyboard.press('Escape')
  await press(page, 'Search', 'button[type=submit]')
  await lanes(page, 1)
  await says(page, 'doc_count')
  await check(page)
  await page.close()
})

test('two searches are compared; searches are saved without a secret and copied as code', async () => {
  await makeIndex('compared')
  const page = await open('search/compared?way=words')
  await fill(page, 'Search for', 'storm')
  await press(page, 'Compare two')
  await fill(page, 'And for', 'snow')
  await press(page, 'Search', 'button[type=submit]')
  await lanes(page, 2)
  assert.equal(await firstTitle(page, 2), 'Peaks')
  await says(page, 'not in A')
  await press(page, 'Copy as code')
  await press(page, 'Python', 'dialog button')
  await says(page, 'import requests')
  await check(page)
  await page.keyboard.press('Escape')
  await press(page, 'Saved')
  await fill(page, 'Name', 'storms')
  await press(page, 'Save this search')
  await check(page)
  await page.keyboard.press('Escape')
  const kept = await page.evaluate(() => JSON.stringify(localStorage))
  assert.match(kept, /storms/)
  assert.ok(!kept.includes(cairn.adminKey))
  await visit(page, 'search/compared')
  await page.reload()
  await press(page, 'Saved')
  await press(page, 'Load storms', 'dialog button')
  await says(page, 'And for')
  await page.close()
})

test('a refused search says why', async () => {
  await makeIndex('refused')
  const page = await open('search/refused?mode=json')
  await page.waitForSelector('.editor textarea')
  await fill(page, 'Search body, JSON', '{"query": {"nothing": {}}}')
  await page.keyboard.press('Escape')
  await press(page, 'Search', 'button[type=submit]')
  await says(page, 'unknown query [nothing]')
  await check(page)
  await page.close()
})
