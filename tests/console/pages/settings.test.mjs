import test from 'node:test'
import assert from 'node:assert/strict'
import { cairn, check, fill, find, open, picture, press, says, useConsole } from '../harness.mjs'

useConsole()
const hostile = '"><img src=x onerror=alert(1)><script>alert(2)</script>'

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`settings at ${width} px, ${theme}`, async () => {
    const page = await open('settings', { width, theme })
    for (const tab of ['Cluster settings', 'Log level', 'Certificates', 'Configuration']) {
      await press(page, tab, '[role=tab]')
      await page.waitForFunction(() => !document.querySelector('.tab-panel .loading'))
      await check(page)
      if (width === 1280 && tab === 'Cluster settings') await picture(page, 'settings')
    }
    await page.close()
  })
}

test('a setting is set, shown as text, and taken away', async () => {
  const page = await open('settings')
  await press(page, 'Set a setting')
  await fill(page, 'Setting', 'cluster.metadata.note')
  await fill(page, 'Value', hostile)
  await press(page, 'Save', 'dialog button')
  await says(page, hostile)
  assert.equal((await cairn.ask('GET', '/_cluster/settings?flat_settings=true')).persistent['cluster.metadata.note'], hostile)
  await check(page)
  await press(page, 'More actions: cluster.metadata.note')
  await press(page, 'Take away', '[role=menuitem]')
  await check(page)
  await press(page, 'Take away', 'dialog button')
  await page.waitForFunction(() => !document.querySelector('tbody')?.innerText.includes('cluster.metadata.note'))
  await page.close()
})

test('a name that is no setting is refused with the server\'s reason', async () => {
  const page = await open('settings')
  await press(page, 'Set a setting')
  await fill(page, 'Setting', 'no.such.setting')
  await fill(page, 'Value', '1')
  await press(page, 'Save', 'dialog button')
  await says(page, 'not recognized')
  await check(page)
  await page.close()
})

test('the log level is changed and taken back', async () => {
  const page = await open('settings?tab=log')
  await fill(page, 'Level', 'debug')
  await press(page, 'Save')
  await says(page, 'The log is at debug.')
  assert.equal((await cairn.ask('GET', '/_cluster/settings?flat_settings=true')).transient['log.level'], 'debug')
  await fill(page, 'Level', '')
  await press(page, 'Save')
  await says(page, 'The log is at as configured.')
  await page.close()
})

test('a table of many rows has few of them in the page, filters, sorts, and exports', async () => {
  const some = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`cluster.metadata.row_${n}`, 'value ' + n]))
  await cairn.ask('PUT', '/_cluster/settings', { transient: some })
  const page = await open('settings')
  await says(page, 'of the cluster')
  await page.waitForFunction(() => document.querySelector('table')?.getAttribute('aria-rowcount') > 900)
  const rows = () => page.evaluate(() => document.querySelectorAll('tbody tr:not(.space)').length)
  assert.ok(await rows() < 90, `${await rows()} rows are in the page`)
  await page.evaluate(() => { document.querySelector('.table-scroll').scrollTop = 20_000 })
  await page.waitForFunction(() => document.querySelector('tbody tr:not(.space)').getAttribute('aria-rowindex') > 400)
  assert.ok(await rows() < 90)
  await check(page)
  await (await find(page, '.sort', 'Setting')).click()
  await page.waitForSelector('th[aria-sort=ascending]')
  const box = await page.waitForSelector('.table-filter input')
  await box.type('row_899')
  await says(page, '1 of ')
  await says(page, 'value 899')
  const csv = await page.evaluate(() => new Promise((resolve) => {
    URL.createObjectURL = (blob) => { void blob.text().then(resolve); return 'blob:none' }
    HTMLAnchorElement.prototype.click = () => undefined
    ;[...document.querySelectorAll('.table-tools button')].find((one) => one.textContent.includes('CSV')).click()
  }))
  assert.equal(csv.split('\r\n')[1], 'cluster.metadata.row_899,value 899,until the server ends')
  await page.close()
})
