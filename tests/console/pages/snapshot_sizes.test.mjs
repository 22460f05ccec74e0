// What each snapshot wrote, what it shares with earlier ones, and how far one is that is being made.
import test from 'node:test'
import assert from 'node:assert/strict'
import path from 'node:path'
import { cairn, check, find, open, says, useConsole } from '../harness.mjs'

useConsole()

async function write (index, from, to) {
  const lines = Array.from({ length: to - from }, (_, n) => `{"index":{"_id":"${from + n}"}}\n${JSON.stringify({ title: `Book ${from + n}`, text: [...Array(60)].map((_, k) => ((from + n) * 7919 + k * 104729) % 99991).join(' ') })}\n`)
  await cairn.ask('POST', `/${index}/_bulk?refresh=true`, lines.join(''))
}

test('new and shared bytes and the duration of each snapshot', async () => {
  await cairn.ask('PUT', '/_snapshot/sized', { type: 'fs', settings: { location: path.join(cairn.folder, 'repositories', 'sized') } })
  await write('shelf', 0, 300)
  await cairn.ask('PUT', '/_snapshot/sized/first?wait_for_completion=true', { indices: 'shelf' })
  await cairn.ask('PUT', '/_snapshot/sized/second?wait_for_completion=true', { indices: 'shelf' })
  const page = await open('snapshots/sized')
  await says(page, 'Bytes by snapshot')
  await find(page, '.plot-title', 'New and shared bytes')
  await find(page, '.plot-title', 'How long snapshots took')
  const cells = async (name) => await (await page.waitForFunction((wanted) => [...document.querySelectorAll('[aria-label="Bytes by snapshot"] tbody tr')].find((one) => one.querySelector('th').textContent === wanted), {}, name)).asElement().evaluate((row) => [...row.querySelectorAll('td')].map((one) => one.textContent))
  const first = await cells('first')
  const second = await cells('second')
  // The first writes all of its bytes, the second none of an index that did not change.
  const { snapshots } = await cairn.ask('GET', '/_snapshot/sized/first,second/_status')
  const wrote = Object.fromEntries(snapshots.map(({ snapshot, stats }) => [snapshot, stats.incremental.size_in_bytes]))
  assert.ok(wrote.first > 0 && wrote.second < wrote.first / 2, JSON.stringify(wrote))
  assert.equal(first[2], second[2], 'they refer to the same data')
  await check(page)
  await page.setViewport({ width: 320, height: 700 })
  await check(page)
  await page.close()
})

test('a snapshot that is being made shows its files and bytes as they are written', async () => {
  await cairn.ask('PUT', '/_snapshot/slow', { type: 'fs', settings: { location: path.join(cairn.folder, 'repositories', 'slow'), max_snapshot_bytes_per_sec: '20kb' } })
  await write('long', 0, 1500)
  await cairn.ask('PUT', '/_snapshot/slow/one?wait_for_completion=false', { indices: 'long' })
  const page = await open('snapshots/slow')
  await says(page, 'Snapshot one')
  await page.waitForFunction(() => /\d+ (of \d+ )?files · \d+ of \d+ parts/.test(document.querySelector('main').innerText))
  await page.waitForFunction(() => Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')) > 0)
  await check(page)
  await cairn.ask('DELETE', '/_snapshot/slow/one')
  await page.close()
})
