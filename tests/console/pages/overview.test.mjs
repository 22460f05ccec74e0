import test from 'node:test'
import { cairn, check, open, picture, press, says, useConsole } from '../harness.mjs'

useConsole()

for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [390, 'light'], [320, 'dark']]) {
  test(`overview at ${width} px, ${theme}`, async () => {
    const page = await open('overview', { width, theme })
    await says(page, 'Running now')
    await says(page, 'Disk of the data folder')
    await says(page, 'repository integrity')
    await check(page)
    if (width === 1280) await picture(page, theme === 'dark' ? 'overview-dark' : 'overview')
    await page.close()
  })
}

test('overview tells of indices that come', async () => {
  await cairn.ask('PUT', '/books')
  await cairn.ask('PUT', '/books/_doc/1?refresh=true', { title: 'one' })
  const page = await open('overview')
  await says(page, 'in 1 index')
  await press(page, 'API call')
  await says(page, 'GET /_cluster/stats')
  await check(page)
  await page.close()
})
