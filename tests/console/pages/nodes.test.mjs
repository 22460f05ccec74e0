// SPDX-License-Identifier: Apache-2.0
// Two nodes that share a store on a third Cairn's object storage; the browser asks the first one all the time.
import test, { after, before } from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { arrowTo, browser, cairn, check, find, jumpTo, keyPress, open, picture, press, says, startBrowser, startCairn, tabTo, useThese, waitMs } from '../harness.mjs'

const hostile = 'two<img src=x onerror=alert(1)>'
let storage, one, two, alone

before(async () => {
  storage = await startCairn()
  await storage.ask('PUT', '/_cairn/objects/team')
  const pair = JSON.parse(fs.readFileSync(path.join(storage.folder, 'data/keys/admin-s3.json'), 'utf8'))
  const environment = { AWS_ACCESS_KEY_ID: pair.access_key_id, AWS_SECRET_ACCESS_KEY: pair.secret_access_key, AWS_EC2_METADATA_DISABLED: 'true', CAIRN_STORE__URL: `s3://team/search?endpoint=${storage.objects}` }
  one = await startCairn({ config: { node: { name: 'one', lease: '3s' } }, environment })
  useThese(one, await startBrowser())
  // With one node the page says so; the second one comes to it.
  alone = await open('settings?tab=nodes')
  await says(alone, 'There is one node')
  two = await startCairn({ config: { node: { name: hostile, lease: '3s' } }, environment, keys: path.join(one.folder, 'data/keys') })
})

after(async () => {
  // The storage last: nodes give their store away as they end.
  await browser?.close()
  await Promise.allSettled([one?.stop(), two?.stop()])
  await storage?.stop()
})

/** Chooses an action of a row's menu. */
async function act (page, name, action) {
  await press(page, 'More actions: ' + name)
  await press(page, action, '[role=menuitem]')
}

async function keyAct (page, name, action) {
  await keyPress(page, 'More actions: ' + name)
  await arrowTo(page, action)
  await page.keyboard.press('Enter')
}

const rows = (page) => page.$$eval('tbody tr', (all) => all.map((row) => row.innerText.replace(/\s+/g, ' ')))
const listed = async () => (await cairn.ask('GET', '/_cairn/nodes')).nodes
const roles = async () => Object.fromEntries((await listed()).map(({ name, role, draining }) => [name === hostile ? 'two' : name, (draining ? 'draining ' : '') + role]))

/** Waits until the row of this name says its role. */
const becomes = (page, name, role) => page.waitForFunction((name, role) => [...document.querySelectorAll('tbody tr')].some((row) => row.cells[0].innerText === name && row.cells[1].innerText.trim() === role), {}, name, role)

test('a node that is alone says so, and is joined without a reload', async () => {
  await says(alone, 'copy of this one’s keys/ is one more')
  await becomes(alone, hostile, 'stands by')
  await alone.waitForFunction(() => !document.body.innerText.includes('There is one node'))
  const [first] = await rows(alone)
  const { version, http } = (await listed())[0]
  for (const word of ['serves', version, http, ' %']) assert.ok(first.includes(word), `${first} has no ${word}`)
  await check(alone)
  await alone.close()
})

for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [390, 'dark'], [320, 'light'], [320, 'dark']]) {
  test(`nodes at ${width} px, ${theme}`, async () => {
    const page = await open('settings?tab=nodes', { width, theme })
    await becomes(page, 'one', 'serves')
    await becomes(page, hostile, 'stands by')
    await check(page)
    await picture(page, `nodes-${width}-${theme}`)
    await press(page, hostile, '.row-link')
    await says(page, 'Load of 1, 5, 15 min')
    await check(page)
    await picture(page, `node-${width}-${theme}`)
    await page.keyboard.press('Escape')
    await act(page, 'one', 'Drain')
    await press(page, 'Dry run', 'dialog button')
    await says(page, 'serves then')
    await check(page)
    await picture(page, `nodes-drain-${width}-${theme}`)
    await press(page, 'Cancel', 'dialog button')
    await page.close()
  })
}

test('a node that stands by is drained, and let serve again, by keyboard', async () => {
  const page = await open()
  await jumpTo(page, 'Settings')
  await tabTo(page, 'Cluster settings')
  await arrowTo(page, 'Nodes', 'ArrowRight')
  await says(page, 'stands by')
  await keyAct(page, hostile, 'Drain')
  await says(page, 'does not follow when the node that serves is gone')
  await keyPress(page, 'Dry run')
  await says(page, 'could follow it')
  await check(page)
  await keyPress(page, 'Drain', { whole: true })
  await says(page, `${hostile} gives away what it owns.`)
  await becomes(page, hostile, 'drained')
  assert.deepEqual(await roles(), { one: 'serving', two: 'draining standing_by' })
  await check(page)
  // Nobody is left who could follow.
  await keyAct(page, 'one', 'Drain')
  await keyPress(page, 'Dry run')
  await says(page, 'one, until another node may')
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => !document.querySelector('dialog'))
  await keyPress(page, hostile, { whole: true })
  await keyPress(page, 'Let it serve again')
  await says(page, `${hostile} may serve again.`)
  await becomes(page, hostile, 'stands by')
  assert.deepEqual(await roles(), { one: 'serving', two: 'standing_by' })
  await check(page)
  await page.close()
})

test('the node that serves is drained: the page goes on, and shows who serves then', async () => {
  const page = await open('settings?tab=nodes')
  await act(page, 'one', 'Drain')
  await says(page, 'gives the store away')
  await press(page, 'Drain', 'dialog button[type=submit]')
  await becomes(page, hostile, 'serves')
  await becomes(page, 'one', 'drained')
  assert.deepEqual(await roles(), { one: 'draining standing_by', two: 'serving' })
  await check(page)
  await picture(page, 'nodes-drained')
  // The requests behind it, as on all pages.
  await press(page, 'API call')
  await says(page, '/_drain')
  await page.keyboard.press('Escape')
  await act(page, 'one', 'Let it serve again')
  await becomes(page, 'one', 'stands by')
  assert.deepEqual(await roles(), { one: 'standing_by', two: 'serving' })
  await check(page)
  await page.close()
})

test('who may only look is told what is missing, and nothing is drained', async () => {
  const { encoded: key } = await cairn.ask('POST', '/_security/api_key', { name: 'watcher', role_descriptors: { watcher: { cluster: ['monitor'] } } })
  const page = await open('settings?tab=nodes', { key })
  await act(page, 'one', 'Drain')
  await press(page, 'Drain', 'dialog button[type=submit]')
  await find(page, 'dialog', 'manage')
  assert.equal((await roles()).one, 'standing_by')
  await check(page)
  await page.close()
})

test('a store in a data folder: one node, and how there come to be more', async () => {
  useThese(storage, browser)
  for (const [width, theme] of [[1280, 'light'], [1280, 'dark'], [320, 'light'], [320, 'dark']]) {
    const page = await open('settings?tab=nodes', { width, theme })
    await says(page, 'There is one node')
    await says(page, 'on an S3-compatible cluster')
    assert.equal((await rows(page)).length, 1)
    await check(page)
    await press(page, 'More actions: cairn-1')
    await find(page, '[role=menuitem]', 'Details')
    assert.equal((await page.$$('[role=menuitem]')).length, 1, 'a node alone cannot be drained')
    await page.keyboard.press('Escape')
    await picture(page, `nodes-one-${width}-${theme}`)
    await page.close()
  }
  useThese(one, browser)
}, { timeout: 4 * waitMs })
