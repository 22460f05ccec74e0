// SPDX-License-Identifier: Apache-2.0
// Where there are thousands, only what is seen is in the page, and no request is made twice: rows, nodes and requests are counted while each long list
// is scrolled to its end.
import test from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { cairn, check, open, useConsole } from './harness.mjs'

// The refusals that fill the audit log are meant: no limit ends them.
useConsole({ config: { rate_limit: { enabled: false } } })
// A window of 800 px shows some twenty rows; a dozen lie ready on either side.
const rowsMost = 60
const nodesMost = 1500
const authorization = () => ({ authorization: 'ApiKey ' + cairn.adminKey })

/** Does `one(n)` for all n below `count`, some at a time. */
async function each (count, one, wide = 16) {
  let next = 0
  await Promise.all(Array.from({ length: wide }, async () => { while (next < count) await one(next++) }))
}

/** Turns the wheel until `count` rows were fetched and the last of them is seen; what was in the page at most. */
async function scrollToEnd (page, count) {
  const list = await page.waitForSelector('.table-scroll.is-windowed')
  await list.evaluate((one) => one.scrollIntoView({ block: 'center' }))
  const box = await list.boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.evaluate(() => {
    window.most = { rows: 0, nodes: 0 }
    const look = () => {
      window.most.rows = Math.max(window.most.rows, document.querySelectorAll('tbody tr').length)
      window.most.nodes = Math.max(window.most.nodes, document.querySelectorAll('*').length)
    }
    look()
    new MutationObserver(look).observe(document.querySelector('main'), { childList: true, subtree: true })
  })
  for (let turns = 0; turns < 2000; turns++) {
    const at = await page.evaluate(() => {
      const scroller = document.querySelector('.table-scroll')
      return { rows: Number(scroller.querySelector('table').getAttribute('aria-rowcount')) - 1, last: Math.max(...[...scroller.querySelectorAll('tbody tr[aria-rowindex]')].map((row) => Number(row.getAttribute('aria-rowindex')))) - 1, ended: scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1 }
    })
    if (at.rows >= count && at.last === at.rows && at.ended) return await page.evaluate(() => window.most)
    await page.mouse.wheel({ deltaY: 2400 })
  }
  throw new Error('the wheel comes to no end')
}

for (const [name, place, count, list, requests, prepare] of [
  ['documents', 'indices/many?tab=documents', 3000, /\/many\/_search$/, 7, async (count) => {
    await cairn.ask('POST', '/many/_bulk?refresh=true', Array.from({ length: count }, (_, n) => `{"index":{"_id":"${n}"}}\n{"n":${n},"text":"row ${n}"}\n`).join(''))
  }],
  ['objects', 'objects/heap?prefix=papers%2F', 2500, /\/_cairn\/objects\/heap\?(?=.*list-type=2)/, 3, async (count) => {
    const put = async (place) => assert.equal((await fetch(`${cairn.api}/_cairn/objects/heap${place}`, { method: 'PUT', headers: authorization(), body: place === '' ? undefined : 'text' })).status, 200)
    await put('')
    await each(count, (n) => put(`/papers/${n}.txt`))
  }],
  ['problems of a connector', 'connectors/broken?tab=problems', 2500, /\/_problems\?/, 3, async (count) => {
    const folder = path.join(cairn.documents, 'broken')
    fs.mkdirSync(folder)
    for (let n = 0; n < count; n++) fs.writeFileSync(path.join(folder, `${n}.bin`), Buffer.from([0, 1, 2, n % 256]))
    await cairn.ask('PUT', '/_connector/broken', { index_name: 'broken', service_type: 'directory' })
    await cairn.ask('PUT', '/_connector/broken/_configuration', { values: { path: folder, error_budget: count } })
    await cairn.ask('POST', '/_connector/_sync_job', { id: 'broken', job_type: 'full' })
    for (;;) {
      const { results: [job] } = await cairn.ask('GET', '/_connector/_sync_job?connector_id=broken')
      if (job.completed_at) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }],
  ['lines of the audit log', 'audit', 1200, /\/_cairn\/audit\?/, undefined, async (count) => {
    const { encoded } = await cairn.ask('POST', '/_security/api_key', { name: 'stranger', role_descriptors: { r: { cluster: ['monitor'] } } })
    await each(count, async (n) => { assert.equal((await fetch(cairn.api + '/refused-' + n, { method: 'PUT', headers: { authorization: 'ApiKey ' + encoded } })).status, 403) })
  }]
]) {
  test(`${count} ${name}: few are in the page, each is fetched once`, async () => {
    await prepare(count)
    const page = await open(place)
    const most = await scrollToEnd(page, count)
    assert.ok(most.rows <= rowsMost, `${most.rows} rows were in the page`)
    assert.ok(most.nodes <= nodesMost, `${most.nodes} nodes were in the page`)
    const asked = page.requests.filter((one) => list.test(one))
    if (requests) assert.equal(asked.length, requests)
    if (asked[0].startsWith('GET')) assert.deepEqual(asked, [...new Set(asked)], 'nothing is fetched twice')
    await check(page)
    await page.close()
  })
}

test('rows that go are used for those that come: what was chosen, and where the focus is, stays', async () => {
  const page = await open('objects/heap?prefix=papers%2F')
  const list = await page.waitForSelector('.table-scroll.is-windowed tbody tr[aria-rowindex="3"] input')
  await list.click()
  const chosen = await page.$eval('tbody tr[aria-rowindex="3"] .row-link', (link) => link.textContent)
  await page.focus('tbody tr[aria-rowindex="3"] .row-link')
  await page.evaluate(() => { window.known = new Set(document.querySelectorAll('tbody tr[aria-rowindex]')) })
  const seen = () => page.evaluate(() => ({
    checked: [...document.querySelectorAll('tbody tr[aria-rowindex] input:checked')].map((box) => box.closest('tr').querySelector('.row-link').textContent),
    chosen: [...document.querySelectorAll('tbody tr.is-selected .row-link')].map((link) => link.textContent),
    known: [...document.querySelectorAll('tbody tr[aria-rowindex]')].filter((row) => window.known.has(row)).length,
    rows: document.querySelectorAll('tbody tr[aria-rowindex]').length,
    names: new Set([...document.querySelectorAll('tbody .row-link')].map((link) => link.textContent)).size,
    focus: document.activeElement.className
  }))
  const scroll = async (top) => {
    await page.$eval('.table-scroll', (one, top) => { one.scrollTop = top }, top)
    // Until the rows around what is seen are drawn too.
    await page.waitForFunction((top) => { const places = [...document.querySelectorAll('tbody tr[aria-rowindex]')].map((row) => Number(row.getAttribute('aria-rowindex')) - 2); return Math.min(...places) === Math.max(0, Math.floor(top / 36) - 12) }, {}, top)
  }
  await scroll(36)
  assert.match((await seen()).focus, /row-link/, 'a row that stays keeps the focus')
  await scroll(20_000)
  const away = await seen()
  assert.deepEqual({ checked: away.checked, chosen: away.chosen }, { checked: [], chosen: [] })
  assert.match(away.focus, /table-scroll/, 'the list has the focus of a row that went')
  assert.ok(away.known > 15, `${away.known} of ${away.rows} rows are those of before`)
  assert.equal(away.names, away.rows, 'each row shows another object')
  await scroll(0)
  const back = await seen()
  assert.deepEqual({ checked: back.checked, chosen: back.chosen }, { checked: [chosen], chosen: [chosen] })
  await check(page)
  await page.close()
})
