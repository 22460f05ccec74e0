// SPDX-License-Identifier: Apache-2.0
// Is the console fluent where there is much, soon seen, and cheap when it stays open? Goals: no frame over 100 ms while scrolling through
// 1,000,000 documents, 100,000 objects of a folder and 10,000 files that a connector could not read; first paint under 300 ms on loopback; less than
// 0.5 % of a core for an open console. Beside them, in the same run: a list of the browser's own with the same rows and no script, a page of one word,
// and the server with no console open. Nothing fails on time.
//   run.sh CAIRN [--quick] [--documents N] [--objects N] [--files N] [--lines N] [--paints N] [--seconds N]
import fs from 'node:fs'
import http from 'node:http'
import { parseArgs } from 'node:util'
import { fill } from './fill.mjs'

const { values, positionals: [binary] } = parseArgs({ allowPositionals: true, options: Object.fromEntries([['quick', 'boolean'], ...['documents', 'objects', 'files', 'lines', 'paints', 'seconds'].map((name) => [name, 'string'])].map(([name, type]) => [name, { type }])) })
process.env.CAIRN_BINARY = binary
const { newPage, open, press, startBrowser, startCairn, useThese, visit } = await import('../../../tests/console/harness.mjs')

const usual = values.quick ? { documents: 1000, objects: 1000, files: 150, lines: 200, paints: 1, seconds: 1 } : { documents: 1_000_000, objects: 100_000, files: 10_000, lines: 20_000, paints: 9, seconds: 60 }
const size = Object.fromEntries(Object.entries(usual).map(([name, most]) => [name, Number(values[name] ?? most)]))
const figure = (value, digits = 0) => value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const median = (all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]
const share = (all, part) => all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0
const ms = (value) => figure(value, 1).padStart(7) + ' ms'

const cairn = await startCairn({ config: { rate_limit: { enabled: false } } })
let browser
process.on('exit', () => { try { process.kill(cairn.pid, 'SIGKILL') } catch {} fs.rmSync(cairn.folder, { recursive: true, force: true, maxRetries: 5 }) })
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(1))

/** Notes how long each frame takes, and the most nodes and rows that were in the page; goes on where it was ended. */
const watch = (page) => page.evaluate(() => {
  const seen = window.seen ??= { frames: [], nodes: 0, rows: 0 }
  let before
  const frame = (now) => {
    if (before !== undefined) seen.frames.push(now - before)
    before = now
    if (seen.frames.length % 4 === 0) {
      seen.nodes = Math.max(seen.nodes, document.querySelectorAll('*').length)
      seen.rows = Math.max(seen.rows, document.querySelectorAll('tbody tr').length)
    }
    seen.going = requestAnimationFrame(frame)
  }
  seen.going = requestAnimationFrame(frame)
})
const watched = (page) => page.evaluate(() => { cancelAnimationFrame(window.seen.going); return window.seen })

/** What the page's own thread did, by the browser's trace: its longest task, by the clock and by processor time. */
function longestOf (trace, found) {
  const { traceEvents: events } = JSON.parse(Buffer.from(trace).toString())
  const threads = new Set(events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(({ pid, tid }) => pid + '/' + tid))
  for (const { name, ph, pid, tid, dur, tdur } of events) {
    if (name !== 'RunTask' || ph !== 'X' || !threads.has(pid + '/' + tid)) continue
    found.longest = Math.max(found.longest, dur / 1000)
    found.longestCpu = Math.max(found.longestCpu, (tdur ?? 0) / 1000)
  }
}
const traced = { categories: ['disabled-by-default-devtools.timeline'] }

/** Wheels and keys until the end of the list is seen and nothing more comes. */
async function scrolled (page, selector = '.table-scroll') {
  const list = await page.waitForSelector(selector)
  await list.evaluate((one) => one.scrollIntoView({ block: 'center' }))
  const box = await list.boundingBox()
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  const at = () => page.$eval(selector, (one) => ({ top: Math.ceil(one.scrollTop), end: one.scrollHeight - one.clientHeight, shown: document.querySelector('.table-count')?.textContent }))
  const found = { longest: 0, longestCpu: 0 }
  await page.tracing.start(traced)
  const before = page.requests.length
  await watch(page)
  let still = 0
  let last = ''
  let steps = 0
  // A fling of the wheel, as fast as the page takes it; the end is where no more rows come for a while.
  while (still < 20) {
    await page.mouse.wheel({ deltaY: 3000 })
    const now = await at()
    const place = JSON.stringify(now)
    still = place === last && now.top >= now.end - 1 ? still + 1 : 0
    last = place
    steps++
    // A trace of all of it would be larger than a text can be.
    if (steps % 1000 === 0) {
      await watched(page)
      longestOf(await page.tracing.stop(), found)
      await page.tracing.start(traced)
      await watch(page)
    }
    if (still > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await page.focus(selector)
  for (const key of ['Home', ...Array(20).fill('PageDown'), 'End', ...Array(20).fill('PageUp'), 'Home']) {
    await page.keyboard.press(key)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  }
  const seen = await watched(page)
  longestOf(await page.tracing.stop(), found)
  return { ...found, frames: seen.frames, nodes: seen.nodes, rows: seen.rows, steps, requests: page.requests.length - before, shown: JSON.parse(last).shown ?? '' }
}

function told (name, found) {
  const long = found.frames.filter((one) => one > 100).length
  console.log(`${name.padEnd(34)} longest frame ${ms(Math.max(0, ...found.frames))}, p99 ${ms(share(found.frames, 0.99))}, over 100 ms: ${long} of ${figure(found.frames.length)};  longest task ${ms(found.longest)} (${found.longestCpu.toFixed(1)} ms of a core);  ${found.requests} requests, at most ${figure(found.nodes)} nodes, ${found.rows} rows in the page${found.shown ? '; ' + found.shown : ''}`)
}

/** A list that the browser alone scrolls: nothing of it is made while it is scrolled. */
async function plainList (rows) {
  const page = await newPage()
  await page.setContent(`<!doctype html><title>rows</title><style>.table-scroll{height:600px;overflow:auto}td{height:36px}</style><div class="table-scroll" tabindex="0"><table><tbody>${Array.from({ length: rows }, (_, n) => `<tr><td>row ${n}<td>words<td>${n * 7}</tr>`).join('')}</tbody></table></div>`)
  const found = await scrolled(page)
  await page.close()
  return found
}

async function paint (page, address) {
  await page.goto(address)
  await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0)
  return page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0].startTime)
}

/** Milliseconds until something is seen: with nothing in the browser's cache, and again, when the page was there whole. */
async function paints (address, prepare = async () => newPage()) {
  const cold = []
  const warm = []
  for (let n = 0; n < size.paints; n++) {
    const page = await prepare()
    const session = await page.createCDPSession()
    await session.send('Network.clearBrowserCache')
    cold.push(await paint(page, address))
    // The stream of events stays open.
    await page.waitForNetworkIdle({ concurrency: 1 })
    await page.goto('about:blank')
    await new Promise((resolve) => setTimeout(resolve, 300))
    warm.push(await paint(page, address))
    await page.browserContext().close()
  }
  return { cold, warm }
}

/** Processor time of the server in ms; the clock of it ticks every 10 ms. */
function spentMs () {
  const fields = fs.readFileSync(`/proc/${cairn.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

async function costs (consoles) {
  const pages = []
  for (let n = 0; n < consoles; n++) pages.push(await open('overview'))
  // What opening costs is no part of being open.
  await new Promise((resolve) => setTimeout(resolve, Math.min(10, size.seconds) * 1000))
  const [began, before] = [performance.now(), spentMs()]
  const asked = pages.reduce((sum, page) => sum + page.requests.length, 0)
  await new Promise((resolve) => setTimeout(resolve, size.seconds * 1000))
  const out = { share: (spentMs() - before) / (performance.now() - began), requests: pages.reduce((sum, page) => sum + page.requests.length, 0) - asked, seen: await Promise.all(pages.map((page) => page.evaluate(() => document.visibilityState))) }
  for (const page of pages) await page.browserContext().close()
  return out
}

try {
  const began = performance.now()
  await fill(cairn, size)
  console.log(`filled in ${figure((performance.now() - began) / 1000)} s: ${figure(size.documents)} documents, ${figure(size.objects)} objects in one folder, ${figure(size.files)} files that cannot be read, ${figure(size.lines)} refusals`)
  browser = await startBrowser()
  useThese(cairn, browser)

  const rows = await plainList(1000)
  told('a plain list of 1,000, no script', rows)
  const settled = (page) => page.waitForFunction(() => document.querySelector('.table-scroll tbody th') && !document.querySelector('main .loading'))
  for (const [name, place] of [['documents of an index', 'indices/many?tab=documents'], ['objects of a folder', 'objects/heap?prefix=papers%2F'], ['problems of a connector', 'connectors/broken?tab=problems'], ['audit log', 'audit']]) {
    const page = await open(place)
    await settled(page)
    told(name, await scrolled(page))
    if (name === 'objects of a folder') {
      // Everything is there now: what the whole list costs where it is filtered and sorted.
      for (const [what, act] of [['  a letter of the filter', async () => { await page.focus('.table-filter input'); await page.keyboard.type('9') }], ['  sorted by size', async () => { await page.keyboard.press('Backspace'); await press(page, 'Size', '.sort') }]]) {
        await page.evaluate(() => { window.seen = undefined })
        await page.tracing.start(traced)
        await watch(page)
        await act()
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
        const { frames } = await watched(page)
        const found = { longest: 0, longestCpu: 0 }
        longestOf(await page.tracing.stop(), found)
        console.log(`${what.padEnd(34)} longest frame ${ms(Math.max(0, ...frames))};  longest task ${ms(found.longest)} (${found.longestCpu.toFixed(1)} ms of a core)`)
      }
    }
    if (page.errors.length > 0) throw new Error(`${name}: ${page.errors}`)
    await page.browserContext().close()
  }

  const word = http.createServer((_, answer) => { answer.setHeader('content-type', 'text/html'); answer.end('<!doctype html><title>word</title><p>word') }).listen(0, '127.0.0.1')
  await new Promise((resolve) => word.once('listening', resolve))
  for (const [name, address, prepare] of [['a page of one word', `http://127.0.0.1:${word.address().port}/`], ['console, sign-in', cairn.api + '/_console/'], ['console, signed in, overview', cairn.api + '/_console/#/overview', () => open('overview')]]) {
    const { cold, warm } = await paints(address, prepare)
    console.log(`first paint, ${name.padEnd(30)} cold ${ms(median(cold))} (${figure(Math.min(...cold))} to ${figure(Math.max(...cold))}), warm ${ms(median(warm))} (${figure(Math.min(...warm))} to ${figure(Math.max(...warm))}), medians of ${size.paints}`)
  }
  word.close()

  for (const consoles of [0, 1, 5]) {
    const { share, requests, seen } = await costs(consoles)
    console.log(`${String(consoles).padStart(2)} open consoles: ${figure(share * 100, 2)} % of a core in the server over ${size.seconds} s, ${requests} requests${seen.length ? '; ' + [...new Set(seen)].join(', ') : ''}`)
  }
} finally {
  await browser?.close()
  await cairn.stop()
}
