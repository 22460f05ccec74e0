// One Cairn and one browser for all tests of a file. What the browser complains of fails the test: errors of scripts,
// breaches of the Content-Security-Policy, requests that leave the server.
import { after, before } from 'node:test'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createRequire } from 'node:module'
import puppeteer from 'puppeteer-core'

const here = import.meta.dirname
const binary = process.env.CAIRN_BINARY ?? path.resolve(here, '../../build/release/bin/cairn')
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const waitMs = 60_000
export const serious = ['serious', 'critical']

/** Starts a Cairn on free ports with an empty folder. `config`: what cairn.yaml holds, as a value. `keys`: the folder of those of the first node, for one more. */
export async function startCairn ({ config = {}, environment = {}, keys } = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-console-'))
  const sources = path.join(folder, 'documents')
  fs.mkdirSync(sources)
  if (keys) fs.cpSync(keys, path.join(folder, 'data/keys'), { recursive: true })
  const ready = path.join(folder, 'ready.json')
  fs.writeFileSync(path.join(folder, 'cairn.yaml'), JSON.stringify(config))
  const log = fs.openSync(path.join(folder, 'log'), 'w')
  const child = spawn(binary, ['serve', '--data', path.join(folder, 'data'), '--api-listen', '127.0.0.1:0', '--objects-listen', '127.0.0.1:0', '--ready-file', ready, '--config', path.join(folder, 'cairn.yaml')], {
    stdio: ['ignore', log, log],
    env: { ...process.env, CAIRN_CONNECTORS__DIRECTORY__ROOTS: sources, CAIRN_PATH__REPO: path.join(folder, 'repositories'), ...environment }
  })
  fs.closeSync(log)
  let failure
  // Without this a binary that is missing ends the whole file, with nothing said of the tests.
  const exited = new Promise((resolve) => { child.on('exit', resolve); child.on('error', (error) => { failure = error; resolve() }) })
  const ended = () => failure !== undefined || child.exitCode !== null || child.signalCode !== null
  const until = Date.now() + waitMs
  while (!fs.existsSync(ready) || fs.statSync(ready).size === 0) {
    if (ended() || Date.now() > until) {
      child.kill('SIGKILL')
      await exited
      const said = fs.readFileSync(path.join(folder, 'log'), 'utf8')
      fs.rmSync(folder, { recursive: true, force: true })
      throw new Error(`cairn did not start (${failure?.message ?? child.signalCode ?? 'exit code ' + child.exitCode}). Its log:\n${said}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { api, objects } = JSON.parse(fs.readFileSync(ready, 'utf8'))
  const adminKey = fs.readFileSync(path.join(folder, 'data/keys/admin.key'), 'utf8').trim()
  return {
    api,
    objects,
    folder,
    documents: sources,
    adminKey,
    log: () => fs.readFileSync(path.join(folder, 'log'), 'utf8'),
    /** Asks by a key, as a program does; fails where the answer is no 2xx. */
    async ask (method, url, body, { key = adminKey, headers = {} } = {}) {
      const text = typeof body === 'string'
      const answer = await fetch(api + url, { method, headers: { authorization: 'ApiKey ' + key, ...(body === undefined ? {} : { 'content-type': text ? 'application/x-ndjson' : 'application/json' }), ...headers }, body: body === undefined || text ? body : JSON.stringify(body) })
      const said = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}: ${said}`)
      return said === '' ? undefined : (answer.headers.get('content-type') ?? '').includes('json') ? JSON.parse(said) : said
    },
    pid: child.pid,
    async stop () {
      child.kill('SIGTERM')
      // A server that does not end is itself a fault, but no reason to stand still.
      const late = setTimeout(() => child.kill('SIGKILL'), waitMs)
      await exited
      clearTimeout(late)
      fs.rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Debian's chromium, without anything that asks the network by itself. */
export async function startBrowser () {
  return await puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--no-first-run', '--force-color-profile=srgb', '--font-render-hinting=none', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    protocolTimeout: 3 * waitMs
  })
}

export let cairn, browser

/** For scripts that are no tests and start their own. */
export function useThese (server, window) { cairn = server; browser = window }

/** Ends the browser and the server, also where one of them is not there or fails to end. */
async function endBoth () {
  await Promise.allSettled([browser?.close(), cairn?.stop()])
  browser = cairn = undefined
}

/** Before the tests of a file: a server and a browser of their own. */
export function useConsole (options) {
  before(async () => {
    // Both are waited for: one that came up beside one that failed would keep the file from ending.
    const [server, window] = await Promise.allSettled([startCairn(options), startBrowser()])
    cairn = server.value
    browser = window.value
    const failed = [server, window].find(({ status }) => status === 'rejected')
    if (!failed) return
    const log = cairn?.log()
    await endBoth()
    throw log === undefined ? failed.reason : new Error(`${failed.reason.message}\nLog of the server:\n${log}`)
  })
  after(endBoth)
}

/** A page that keeps what went wrong in it. `errors` may be emptied by a test that expects one. */
export async function newPage ({ width = 1280, height = 800, theme = 'light', at = browser } = {}) {
  const context = await at.createBrowserContext()
  const page = await context.newPage()
  page.errors = []
  page.requests = []
  page.on('console', (message) => {
    // A status of 400 and above is told here too; pages show it, and tests look at that.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) page.errors.push(message.text())
  })
  page.on('pageerror', (error) => page.errors.push(error.stack ?? String(error)))
  page.on('request', (request) => {
    page.requests.push(request.method() + ' ' + request.url())
    const { protocol, host } = new URL(request.url())
    if (/^http/.test(protocol) && host !== new URL(cairn.api).host && host !== new URL(cairn.objects).host) page.errors.push('asked ' + request.url())
  })
  page.on('dialog', (dialog) => { page.errors.push('a script opened a dialog: ' + dialog.message()); void dialog.dismiss() })
  page.setDefaultTimeout(waitMs)
  await page.setViewport({ width, height })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }, { name: 'prefers-reduced-motion', value: 'reduce' }])
  return page
}

/** A page that is signed in by a one-time link, at a place such as "indices/books?tab=mapping". */
export async function open (place = 'overview', options = {}) {
  const page = await newPage(options)
  const { code } = await cairn.ask('POST', '/_cairn/sessions/_link', undefined, options.key ? { key: options.key } : {})
  await page.goto(cairn.api + '/_console/#/sign-in?code=' + encodeURIComponent(code))
  await page.waitForSelector('.frame main h1')
  await visit(page, place)
  return page
}

/** Goes to another place, and waits until its heading is there. */
export async function visit (page, place) {
  await page.evaluate((hash) => { location.hash = hash }, '#/' + place)
  await page.waitForFunction(() => document.querySelector('.frame main h1') && !document.querySelector('.frame main > .loading'))
}

/** The first element of this selector whose text, label or title holds `text`. */
export async function find (page, selector, text) {
  const handle = await page.waitForFunction((css, wanted) => [...document.querySelectorAll(css)].find((one) => {
    const said = [one.textContent, one.getAttribute('aria-label'), one.title].join(' ')
    return said.includes(wanted) && one.checkVisibility()
  }), {}, selector, text)
  return handle.asElement()
}

/** Clicks it; anew where the page drew it anew meanwhile. */
export async function press (page, text, selector = 'button, a, [role=tab], [role^=menuitem]') {
  for (let left = 3; ; left--) {
    try { return await (await find(page, selector, text)).click() } catch (error) { if (left === 0 || !/detached/.test(error.message)) throw error }
  }
}

/** Fills the field whose label begins with `label`, of the dialog where one is open. */
export async function fill (page, label, value) {
  const handle = await page.waitForFunction((wanted) => {
    const dialogs = document.querySelectorAll('dialog[open]')
    return [...(dialogs[dialogs.length - 1] ?? document).querySelectorAll('label[for]')].find((one) => one.textContent.trim().startsWith(wanted))
  }, {}, label)
  const id = await handle.asElement().evaluate((one) => one.htmlFor)
  const field = await page.waitForSelector('#' + CSS_escape(id))
  await field.evaluate((one) => { one.focus(); one.select?.() })
  if (await field.evaluate((one) => one.tagName) === 'SELECT') await page.select('#' + CSS_escape(id), value)
  else { await page.keyboard.press('Backspace'); await field.type(value) }
}
const CSS_escape = (text) => text.replace(/[^\w-]/g, (c) => '\\' + c)

/** Waits until the page's text holds `text`. */
export const says = async (page, text) => { await page.waitForFunction((wanted) => document.body.innerText.includes(wanted), {}, text) }

/** Whether the focus is at what `text` is in the name of, or begins the label of. `whole`: is the name of. */
const isAt = (page, text, whole) => page.evaluate((wanted, whole) => {
  const one = document.activeElement
  if (!one || one === document.body) return false
  // What holds others is not named by their texts.
  const own = one.matches('button, a, summary, [role=tab], [role^=menuitem], [role=option]') ? one.textContent : ''
  return [one.getAttribute('aria-label') ?? '', own].some((name) => whole ? name.trim() === wanted : name.includes(wanted)) || [...one.labels ?? []].some((label) => label.textContent.trim().startsWith(wanted))
}, text, whole)

/** Moves the focus by Tab until it is at `text`; the way of who has no mouse. */
export async function tabTo (page, text, { most = 120, whole = false } = {}) {
  for (let i = 0; i <= most; i++) {
    if (await isAt(page, text, whole)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no press of Tab reaches "${text}"`)
}

/** Fails where the page has errors, or axe finds something serious. */
export async function check (page) {
  // The rules look at what is there: not at something that fades in.
  await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined))))
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axe)
  const found = await page.evaluate(async () => (await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })).violations.map(({ id, impact, nodes, help }) => ({ id, impact, help, nodes: nodes.slice(0, 5).map(({ html, failureSummary }) => html.slice(0, 300) + '\n' + failureSummary) })))
  const bad = found.filter(({ impact }) => serious.includes(impact))
  assert.deepEqual(bad, [], 'axe: ' + page.url())
  assert.deepEqual(page.errors, [])
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  assert.ok(wide <= 0, `the page is ${wide} px wider than the window at ${page.url()}`)
}

/** A picture for the documentation, console-NAME.png; written where CAIRN_SCREENSHOTS names a folder. */
export async function picture (page, name) {
  const folder = process.env.CAIRN_SCREENSHOTS
  if (!folder) return
  fs.mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, `console-${name}.png`), optimizeForSpeed: false })
}

/** Goes to a place by the search box, as who has no mouse does. */
export async function jumpTo (page, name) {
  await page.keyboard.press('/')
  await page.waitForFunction(() => document.activeElement.getAttribute('role') === 'combobox')
  await page.keyboard.type(name)
  await page.waitForFunction((wanted) => document.querySelector('.jump [aria-selected=true]')?.textContent.includes(wanted), {}, name)
  await page.keyboard.press('Enter')
  await page.waitForFunction((wanted) => document.querySelector('.frame main h1')?.textContent.includes(wanted) && !document.querySelector('.frame main > .loading'), {}, name)
}

/** Moves to a button or link by Tab and presses Enter. */
export async function keyPress (page, text, how) { await tabTo(page, text, how); await page.keyboard.press('Enter') }

/** Moves by an arrow key to one of a few: entries of a menu, tabs, choices. */
export async function arrowTo (page, text, arrow = 'ArrowDown') {
  for (let i = 0; i <= 20; i++) {
    if (await isAt(page, text, false)) return
    await page.keyboard.press(arrow)
  }
  throw new Error(`no press of ${arrow} reaches "${text}"`)
}

/** Moves to a field by Tab and types into it. */
export async function keyFill (page, label, value) {
  await tabTo(page, label)
  await page.keyboard.down('Control'); await page.keyboard.press('a'); await page.keyboard.up('Control')
  await page.keyboard.type(value)
}
