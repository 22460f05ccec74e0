import test from 'node:test'
import assert from 'node:assert/strict'
import { cairn, check, fill, find, open, press, says, useConsole, visit } from '../harness.mjs'

useConsole()
const hostile = '"><img src=x onerror=alert(1)><script>alert(2)</script>'

const bulk = (documents) => documents.map((one, n) => `{"index":{"_id":"${n}"}}\n${JSON.stringify(one)}\n`).join('')
async function makeBooks (name = 'books') {
  await cairn.ask('PUT', '/' + name, { mappings: { properties: { title: { type: 'text', fields: { raw: { type: 'keyword' } } }, year: { type: 'integer' }, author: { properties: { name: { type: 'keyword' } } } } } })
  await cairn.ask('POST', `/${name}/_bulk?refresh=true`, bulk([{ title: 'The sea', year: 1900 }, { title: hostile, year: 1901 }, { title: 'A mountain', year: 1902 }]))
}
const choose = async (page, index, action) => {
  await press(page, 'More actions: ' + index, '[aria-haspopup=menu]')
  await press(page, action, '[role=menuitem]')
}
const typed = async (page, name) => { await fill(page, 'Type this name to go on:', name) }

test('without an index the list says how one is made', async () => {
  const page = await open('indices')
  await says(page, 'There is no index yet')
  await says(page, 'cairn add FOLDER --yes')
  await check(page)
  await page.close()
})

for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [320, 'dark']]) {
  test(`indices at ${width} px, ${theme}`, async () => {
    await makeBooks(`shelf-${width}-${theme}`)
    const page = await open('indices', { width, theme })
    await says(page, `shelf-${width}-${theme}`)
    await check(page)
    for (const tab of ['overview', 'documents', 'mapping', 'settings', 'segments']) {
      await visit(page, `indices/shelf-${width}-${theme}?tab=${tab}`)
      await page.waitForFunction(() => document.querySelector('.tab-panel') && !document.querySelector('.tab-panel .loading'))
      await check(page)
    }
    await page.close()
  })
}

test('an index is made after the server has checked its mapping', async () => {
  const page = await open('indices')
  await press(page, 'Create index')
  await fill(page, 'Name', 'made-here')
  await fill(page, 'Mapping, JSON', '{"properties": {"title": {"type": "txt"}}}')
  await press(page, 'Check the mapping')
  await says(page, 'No handler for type [txt]')
  await fill(page, 'Mapping, JSON', '{"properties": {"title": {"type": "text"}}}')
  await fill(page, 'Field', 'year')
  await fill(page, 'Type', 'long')
  await press(page, 'Put the field in')
  await press(page, 'Check the mapping')
  await says(page, 'The server takes it: 2 fields.')
  await check(page)
  await press(page, 'Create', 'dialog button[type=submit]')
  await page.waitForFunction(() => location.hash === '#/indices/made-here')
  assert.deepEqual((await cairn.ask('GET', '/made-here/_mapping'))['made-here'].mappings, { properties: { title: { type: 'text' }, year: { type: 'long' } } })
  await page.close()
})

test('an index gets an alias, is closed and opened, and loses the alias', async () => {
  await makeBooks('named')
  const page = await open('indices')
  await choose(page, 'named', 'Add alias')
  await fill(page, 'Alias', 'other-name')
  await fill(page, 'Only documents of this query, JSON', '{"term": {"year": 1900}}')
  await press(page, 'Add alias', 'dialog button[type=submit]')
  await says(page, 'other-name leads to named.')
  assert.equal((await cairn.ask('GET', '/other-name/_count')).count, 1)
  await choose(page, 'named', 'Close')
  assert.equal(await (await find(page, 'dialog button[type=submit]', 'Close index')).evaluate((one) => one.disabled), true)
  await typed(page, 'named')
  await check(page)
  await press(page, 'Close index', 'dialog button[type=submit]')
  await says(page, 'named is closed.')
  await says(page, 'closed')
  await choose(page, 'named', 'Open')
  await says(page, 'named is open.')
  await visit(page, 'indices/named')
  await press(page, 'Remove the alias other-name', '.table-block button')
  await typed(page, 'other-name')
  await press(page, 'Remove alias', 'dialog button[type=submit]')
  await says(page, 'No alias leads here.')
  assert.deepEqual((await cairn.ask('GET', '/named/_alias')).named.aliases, {})
  await check(page)
  await page.close()
})

test('the menu of a row lies over the rows below it', async () => {
  for (const name of ['row-a', 'row-b', 'row-c']) await makeBooks(name)
  const page = await open('indices?filter=row-')
  await press(page, 'More actions: row-a', '[aria-haspopup=menu]')
  const covered = await page.$$eval('[role=menuitem]', (all) => all.filter((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect()
    for (let x = left + 4; x < right; x += 8) if (document.elementFromPoint(x, (top + bottom) / 2)?.closest('[role=menuitem]') !== one) return true
    return false
  }).map((one) => one.textContent))
  assert.deepEqual(covered, [])
  await check(page)
  await page.close()
})

test('an index is copied in the background, and its result is shown', async () => {
  await makeBooks('original')
  const page = await open('indices')
  await choose(page, 'original', 'Copy into another index')
  await fill(page, 'Into the index', 'the-copy')
  await press(page, 'Copy', 'dialog button[type=submit]')
  await says(page, 'Done: original → the-copy')
  await says(page, '3 documents looked at, 3 created')
  assert.equal((await cairn.ask('GET', '/the-copy/_count')).count, 3)
  await check(page)
  await page.close()
})

test('a field with meaning is added, and the documents that are there are found by it', async () => {
  await makeBooks('meant')
  const page = await open('indices/meant')
  await press(page, 'Add a field with meaning', '.card button')
  await says(page, '.cairn-dense')
  await check(page)
  await press(page, 'Add field', 'dialog button[type=submit]')
  await says(page, 'Done: meant: meaning')
  const found = await cairn.ask('POST', '/meant/_search', { query: { semantic: { field: 'meaning', query: 'ocean' } } })
  assert.equal(found.hits.hits[0]._source.title, 'The sea')
  await says(page, 'semantic_text')
  const mapping = (await cairn.ask('GET', '/meant/_mapping')).meant.mappings.properties
  assert.deepEqual(mapping.title.fields, { raw: { type: 'keyword' } })
  assert.equal([mapping.title.copy_to].flat()[0], 'meaning')
  await page.close()
})

test('a mapping and a setting are changed; what the server refuses is told', async () => {
  await makeBooks('changing')
  const page = await open('indices/changing?tab=mapping')
  await press(page, 'Change', '.tab-panel button')
  await fill(page, 'Change, JSON', '{"properties": {"year": {"type": "text"}}}')
  await press(page, 'Change mapping', 'dialog button[type=submit]')
  await says(page, 'cannot be changed from type [integer] to [text]')
  await fill(page, 'Change, JSON', '{"properties": {"pages": {"type": "long"}}}')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'What would happen')
  assert.equal((await cairn.ask('GET', '/changing/_mapping')).changing.mappings.properties.pages, undefined)
  await press(page, 'Change mapping', 'dialog button[type=submit]')
  await says(page, 'The mapping of changing is changed.')
  assert.deepEqual((await cairn.ask('GET', '/changing/_mapping')).changing.mappings.properties.pages, { type: 'long' })
  await press(page, 'Settings', '[role=tablist] [role=tab]')
  await says(page, 'index.refresh_interval')
  await choose(page, 'index.refresh_interval', 'Change')
  await fill(page, 'Value', '7s')
  await press(page, 'Change setting', 'dialog button[type=submit]')
  await says(page, 'The settings of changing are changed.')
  assert.equal((await cairn.ask('GET', '/changing/_settings?flat_settings=true')).changing.settings['index.refresh_interval'], '7s')
  await check(page)
  await page.close()
})

test('a document is looked at, changed and deleted; a change in between is not overwritten', async () => {
  await cairn.ask('PUT', '/numbers/_doc/' + encodeURIComponent('a/b ?#') + '?refresh=true', '{"big": 1234567890123456789, "title": "one"}', { headers: { 'content-type': 'application/json' } })
  const page = await open('indices/numbers?tab=documents')
  await press(page, 'a/b ?#', 'a')
  await says(page, '1234567890123456789')
  await press(page, 'Edit')
  await fill(page, 'Document, JSON', '{"big": 1234567890123456789, "title": "two"')
  await says(page, 'This is no JSON')
  await fill(page, 'Document, JSON', '{"big": 1234567890123456789, "title": "two"}')
  const source = async () => await (await fetch(`${cairn.api}/numbers/_source/${encodeURIComponent('a/b ?#')}`, { headers: { authorization: 'ApiKey ' + cairn.adminKey } })).text()
  await press(page, 'Save')
  await says(page, 'The document is saved.')
  assert.equal(await source(), '{"big": 1234567890123456789, "title": "two"}')
  await press(page, 'Edit')
  await cairn.ask('PUT', '/numbers/_doc/' + encodeURIComponent('a/b ?#') + '?refresh=true', { title: 'of somebody else' })
  await fill(page, 'Document, JSON', '{"title": "mine"}')
  await press(page, 'Save')
  await says(page, 'Somebody wrote the document meanwhile')
  assert.match(await source(), /of somebody else/)
  await check(page)
  await press(page, 'Cancel')
  await press(page, 'Delete')
  await press(page, 'Delete document', 'dialog button[type=submit]')
  await says(page, 'a/b ?# is deleted.')
  assert.equal((await cairn.ask('GET', '/numbers/_count')).count, 0)
  await page.close()
})

test('a hostile document is text everywhere', async () => {
  await makeBooks('hostile')
  const page = await open('indices/hostile?tab=documents')
  await says(page, '<script>alert(2)</script>')
  await visit(page, 'indices/hostile/document/1')
  await says(page, 'onerror=alert(1)')
  await check(page)
  await page.close()
})

test('an index is deleted once its name was typed; the dry run changes nothing', async () => {
  await makeBooks('going')
  const page = await open('indices')
  await choose(page, 'going', 'Delete')
  await says(page, 'The index goes with its 3 documents.')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'What would happen')
  await check(page)
  assert.equal((await cairn.ask('GET', '/going/_count')).count, 3)
  await typed(page, 'going')
  await press(page, 'Delete index', 'dialog button[type=submit]')
  await says(page, 'going is deleted.')
  await assert.rejects(cairn.ask('GET', '/going/_count'), /404/)
  await page.close()
})

test('more documents come by a button too, as many as are small', async () => {
  await cairn.ask('POST', '/many/_bulk?refresh=true', bulk(Array.from({ length: 3000 }, (_, n) => ({ n, text: 'row ' + n }))))
  const page = await open('indices/many?tab=documents')
  await says(page, 'The first 100 of 3,000 are here.')
  for (const there of ['600', '1,100']) { await press(page, '+500'); await says(page, `The first ${there} of 3,000 are here.`) }
  const rows = await page.$$eval('tbody tr', (all) => all.length)
  assert.ok(rows < 100, `${rows} rows are in the page`)
  await check(page)
  await page.close()
})
