// Names and texts of strangers on the frame's own places: none is read as HTML.
import test from 'node:test'
import { cairn, check, open, press, says, useConsole } from './harness.mjs'

useConsole()
const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>'

test('the name of a key is text in the frame and on its menu', async () => {
  const made = await cairn.ask('POST', '/_security/api_key', { name: hostile })
  const page = await open('overview', { key: made.encoded })
  await press(page, 'Key and theme')
  await says(page, hostile)
  await check(page)
  await page.close()
})

test('places and queries of a hostile link are text', async () => {
  const page = await open(encodeURIComponent(hostile) + '/' + encodeURIComponent(hostile) + '?filter=' + encodeURIComponent(hostile))
  await says(page, 'There is no such page')
  await page.evaluate((filter) => { location.hash = '#/settings?filter=' + filter }, encodeURIComponent(hostile))
  await says(page, 'No row holds all of these words.')
  await check(page)
  await page.close()
})

test('a line of the log is text', async () => {
  // A path that nothing answers is told in no line; a refused key is.
  for (let i = 0; i < 3; i++) await fetch(cairn.api + '/' + encodeURIComponent(hostile), { headers: { authorization: 'ApiKey ' + Buffer.from(hostile + ':x').toString('base64'), 'user-agent': hostile } })
  const page = await open('overview')
  await says(page, 'Disk of the data folder')
  await check(page)
  await page.close()
})
