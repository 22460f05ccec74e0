// SPDX-License-Identifier: Apache-2.0
// Makes pictures of every page at 1280 and 390 px in both themes, by the console that lies in console/dist, and by the last one before it that was
// another: of the same server, with the same data, one right after the other. Writes a report of what differs, as HTML and JSON. A picture that differs
// is no fault: it may be wanted. A page that is empty, or that makes no picture, is.
//   pictures.sh CAIRN [--out FOLDER] [--before COMMIT] [--only WORD] [--docs FOLDER]
//   --docs: writes the pictures that the documentation shows, and compares nothing
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

const { values, positionals: [binary] } = parseArgs({ allowPositionals: true, options: { out: { type: 'string' }, before: { type: 'string' }, only: { type: 'string' }, docs: { type: 'string' } } })
const root = path.resolve(import.meta.dirname, '../..')
const out = path.resolve(values.out ?? path.join(root, 'build/pictures'))
const dist = path.join(root, 'console/dist')
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-pictures-'))
const served = path.join(work, 'served')
process.env.CAIRN_BINARY = path.resolve(binary)
const { newPage, open, startBrowser, startCairn, useThese } = await import('./harness.mjs')
const { fillSample, places } = await import('./sample.mjs')

const git = (...words) => execFileSync('git', ['-C', root, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).trim()
/** All files below a folder with what is in them, as one text. */
const contents = (folder) => fs.readdirSync(folder, { recursive: true }).filter((name) => fs.statSync(path.join(folder, name)).isFile()).sort().map((name) => name + ' ' + fs.readFileSync(path.join(folder, name)).toString('base64')).join('\n')

/** The folder of the console before this one, and the commit's name; or why there is none. */
function before () {
  const folder = path.join(work, 'before')
  const take = (commit) => {
    fs.rmSync(folder, { recursive: true, force: true })
    fs.mkdirSync(folder)
    execFileSync('tar', ['-x', '--strip-components=2', '-C', folder], { input: execFileSync('git', ['-C', root, 'archive', commit, 'console/dist'], { stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }) })
  }
  try {
    if (values.before) { take(values.before); return { folder, commit: git('rev-parse', '--short', values.before) } }
    // Built files that nobody committed yet are compared with those of this commit, else with those before the last change of them.
    for (const commit of ['HEAD', ...git('log', '--format=%H~1', '-2', '--', 'console/dist').split('\n')]) {
      take(commit)
      if (contents(folder) !== contents(dist)) return { folder, commit: git('rev-parse', '--short', commit) }
    }
    return { why: 'the history holds no other console' }
  } catch { return { why: `git has no other console here${git('rev-parse', '--is-shallow-repository') === 'true' ? ': the clone is shallow' : ''}` } }
}

/** The server reads the folder at each request. Names of the assets hold their hashes: those of both lie side by side. */
function serve (from) {
  for (const name of fs.readdirSync(from)) fs.cpSync(path.join(from, name), path.join(served, name), { recursive: true })
}

const settle = async (page, word, { hideTimes = false } = {}) => {
  await page.waitForFunction((wanted) => document.body?.innerText.includes(wanted) && !document.querySelector('main .loading, [aria-busy=true]'), {}, word)
  await page.evaluate(async (hideTimes) => {
    await document.fonts.ready
    await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined)))
    document.activeElement?.blur()
    // "3 seconds ago" is another word in the next picture.
    if (hideTimes) for (const one of document.querySelectorAll('time')) one.style.visibility = 'hidden'
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  }, hideTimes)
}
const tallest = 4000
async function shot (page, address, word) {
  await page.goto('about:blank')
  await page.goto(address)
  await settle(page, word, { hideTimes: true })
  const { height, said } = await page.evaluate(() => ({ height: document.documentElement.scrollHeight, said: (document.querySelector('main') ?? document.body).innerText.trim() }))
  const { width } = page.viewport()
  const bytes = await page.screenshot({ clip: { x: 0, y: 0, width, height: Math.min(height, tallest) }, captureBeyondViewport: true })
  return { png: PNG.sync.read(Buffer.from(bytes)), bytes, said }
}

/** Of all pixels, the share of those that have another colour than most. */
function written ({ data }) {
  const colours = new Map()
  for (let at = 0; at < data.length; at += 4) { const one = data.readUInt32BE(at); colours.set(one, (colours.get(one) ?? 0) + 1) }
  return 1 - Math.max(...colours.values()) / (data.length / 4)
}

/** On a ground as tall as the taller of two. */
function padded (png, height) {
  const all = new PNG({ width: png.width, height })
  PNG.bitblt(png, all, 0, 0, png.width, png.height, 0, 0)
  return all
}
function compare (a, b) {
  const height = Math.max(a.height, b.height)
  const diff = new PNG({ width: a.width, height })
  return { pixels: pixelmatch(padded(a, height).data, padded(b, height).data, diff.data, a.width, height, { threshold: 0.1 }), diff, of: a.width * height }
}

const text = (value) => String(value).replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)
function report (rows, other) {
  fs.writeFileSync(path.join(out, 'report.json'), JSON.stringify({ before: other.commit ?? null, why: other.why, pages: rows }, null, 1) + '\n')
  const percent = (row) => row.pixels === undefined ? '' : (100 * row.pixels / row.of).toFixed(3) + ' %'
  const image = (name) => name ? `<a href="${name}"><img src="${name}" loading="lazy" alt=""></a>` : ''
  const order = rows.toSorted((a, b) => ((b.pixels ?? 0) - (b.noise ?? 0)) - ((a.pixels ?? 0) - (a.noise ?? 0)))
  fs.writeFileSync(path.join(out, 'report.html'), `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pictures of the console</title><style>body{font:14px sans-serif;margin:24px}img{width:240px;max-height:320px;object-fit:cover;object-position:top;border:1px solid #ccc}td{vertical-align:top;padding:6px}.bad{color:#b00}</style>
<h1>Pictures of the console</h1><p>${other.commit ? `Beside those of ${text(other.commit)}, of the same server and data. "By itself": what two pictures of this console differ by, for times and figures go on.` : 'No comparison: ' + text(other.why)}</p>
<table><tr><th>Page<th>Differs<th>By itself<th>Now<th>Before<th>What differs</tr>${order.map((row) => `<tr><td>${text(row.name)}<br>${row.width} px, ${row.theme}${row.fault ? `<p class="bad">${text(row.fault)}` : ''}<td>${row.pixels ?? ''} ${percent(row)}<td>${row.noise ?? ''}<td>${image(row.now)}<td>${image(row.earlier)}<td>${image(row.difference)}</tr>`).join('\n')}</table></html>\n`)
}

const other = values.docs ? { why: 'for the documentation' } : before()
fs.mkdirSync(served)
serve(dist)
const cairn = await startCairn({ environment: { CAIRN_CONSOLE_DIR: served } })
let browser
const faults = []
try {
  browser = await startBrowser()
  useThese(cairn, browser)
  await fillSample(cairn)
  if (values.docs) {
    fs.mkdirSync(values.docs, { recursive: true })
    // Plots have nothing to show before the server has run for a while, with something to do.
    const until = Date.now() + 90_000
    while (Date.now() < until) {
      await cairn.ask('POST', '/docs/_search', { query: { match: { body: 'backup' } } })
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    for (const [width, height] of [[1280, 860], [390, 844]]) {
      for (const theme of ['light', 'dark']) {
        const page = await open('overview', { width, height, theme })
        for (const name of ['overview', 'search', 'settings']) {
          if (name === 'settings' && (width !== 1280 || theme !== 'light')) continue
          const [, place, word] = places.find(([one]) => one === name)
          await page.goto('about:blank')
          await page.goto(`${cairn.api}/_console/#/${place}`)
          await settle(page, word)
          await page.screenshot({ path: path.join(values.docs, `console-${name}${width === 1280 ? '' : '-' + width}${theme === 'dark' ? '-dark' : ''}.png`) })
        }
        await page.browserContext().close()
      }
    }
  } else {
    if (other.why) console.log(`pictures: no comparison: ${other.why}`)
    fs.rmSync(out, { recursive: true, force: true })
    fs.mkdirSync(out, { recursive: true })
    const outside = [['sign-in', '/_console/', 'Sign in'], ['search-page', '/search/books?q=moon', 'Around the Moon']]
    const rows = []
    for (const width of [1280, 390]) {
      for (const theme of ['light', 'dark']) {
        const height = width === 390 ? 844 : 800
        const inside = await open('overview', { width, height, theme })
        const stranger = await newPage({ width, height, theme })
        const wanted = [...outside.map(([name, place, word]) => [name, stranger, cairn.api + place, word]), ...places.map(([name, place, word]) => [name, inside, `${cairn.api}/_console/#/${place}`, word])]
        for (const [name, page, address, word] of wanted.filter(([name]) => name.includes(values.only ?? ''))) {
          const row = { name, width, theme }
          const keep = (kind, bytes) => { const file = `${name}-${width}-${theme}-${kind}.png`; fs.writeFileSync(path.join(out, file), bytes); return file }
          rows.push(row)
          try {
            serve(dist)
            const now = await shot(page, address, word)
            row.now = keep('now', now.bytes)
            if (now.said.length < 20 || written(now.png) < 0.005) throw new Error('the page is empty')
            if (page.errors.length > 0) throw new Error('errors of the page: ' + page.errors.splice(0).join('; '))
            if (!other.folder) continue
            serve(other.folder)
            // The page before may lack what this one has: then there is no picture of it, which is no fault of this one.
            const earlier = await shot(page, address, word).catch((error) => { row.missing = error.message })
            page.errors.splice(0)
            if (!earlier) continue
            const { pixels, diff, of } = compare(now.png, earlier.png)
            Object.assign(row, { pixels, of })
            if (pixels === 0) continue
            row.earlier = keep('before', earlier.bytes)
            row.difference = keep('diff', PNG.sync.write(diff))
            serve(dist)
            row.noise = compare(now.png, (await shot(page, address, word)).png).pixels
          } catch (error) {
            row.fault = error.message
            faults.push(`${name} at ${width} px, ${theme}: ${error.message}`)
          }
        }
        await inside.browserContext().close()
        await stranger.browserContext().close()
      }
    }
    report(rows, other)
    const differ = rows.filter(({ pixels, noise }) => pixels > (noise ?? 0))
    if (other.commit) console.log(`pictures: ${rows.length} of ${new Set(rows.map(({ name }) => name)).size} pages; ${differ.length} differ from those of ${other.commit} by more than they do by themselves${differ.map((row) => `\n  ${row.name} at ${row.width} px, ${row.theme}: ${row.pixels} of ${row.of} pixels (by itself ${row.noise})`).join('')}`)
    console.log(`pictures: ${path.join(out, 'report.html')}`)
  }
} finally {
  await browser?.close()
  await cairn.stop()
  fs.rmSync(work, { recursive: true, force: true })
}
for (const one of faults) console.error('pictures: ' + one)
process.exitCode = faults.length > 0 ? 1 : 0
