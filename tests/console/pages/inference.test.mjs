import test from 'node:test'
import assert from 'node:assert/strict'
import { cairn, check, fill, open, press, says, useConsole, visit } from '../harness.mjs'

useConsole()

test('each task is tried: a vector with its norm, tokens as bars, a ranking, texts in pieces', async () => {
  const page = await open('inference/.cairn-dense')
  await press(page, 'Run')
  await says(page, 'Norm')
  assert.equal(await page.$$eval('.vector rect', (all) => all.length), 224)
  await check(page)
  await visit(page, 'inference/.cairn-sparse')
  await says(page, '.cairn-sparse')
  await press(page, 'Run')
  await page.waitForSelector('.bars tr')
  const weights = await page.$$eval('.bars td.numeric', (all) => all.map((one) => Number(one.textContent)))
  assert.deepEqual(weights, [...weights].sort((a, b) => b - a))
  await check(page)
  await visit(page, 'inference/.cairn-rerank')
  await says(page, '.cairn-rerank')
  await press(page, 'Run')
  await page.waitForSelector('.ranked li')
  assert.match(await page.$eval('.ranked li:last-child', (one) => one.textContent), /train/)
  await check(page)
  for (const endpoint of ['.cairn-chat', '.cairn-completion']) {
    await visit(page, 'inference/' + endpoint)
    await says(page, endpoint)
    await press(page, 'Run')
    await says(page, 'A cairn is a heap of stones that marks a path. [1]')
    await check(page)
  }
  await page.close()
})

test('an endpoint is made, scaled, and deleted with its dry run', async () => {
  const page = await open('inference?new=1')
  await fill(page, 'Id', 'mine')
  await check(page)
  await press(page, 'Create')
  await says(page, 'mine is made.')
  await page.waitForFunction(() => document.querySelector('.endpoint-state')?.textContent === 'ready')
  await press(page, 'Settings', '.tabs [role=tab]')
  await fill(page, 'Allocations', '2')
  await press(page, 'Set', 'form button')
  await says(page, '2 allocations are wanted.')
  assert.equal((await cairn.ask('GET', '/_inference/mine')).endpoints[0].service_settings.num_allocations, 2)
  await check(page)
  await press(page, 'Delete')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'What would happen')
  await fill(page, 'Type this name', 'mine')
  await press(page, 'Delete the endpoint', 'dialog button')
  await says(page, 'mine is deleted.')
  await page.close()
})

test('a remote service needs what the server says, and its refusal is shown', async () => {
  const page = await open('inference?new=1')
  await fill(page, 'Service', 'openai')
  await fill(page, 'Id', 'far')
  await press(page, 'Create')
  await says(page, 'This is needed.')
  await fill(page, 'API Key', 'planted')
  await fill(page, 'Model ID', 'some-model')
  await fill(page, 'URL', 'http://127.0.0.1:1/v1')
  await press(page, 'Create')
  await says(page, 'inference.remote.allowed_hosts')
  await page.close()
})

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`inference at ${width} px, ${theme}`, async () => {
    const page = await open('inference', { width, theme })
    for (const place of ['inference', 'inference?new=1', 'inference/.cairn-dense', 'inference/.cairn-dense?tab=settings', 'inference/.cairn-dense?tab=figures']) {
      await visit(page, place)
      await page.waitForFunction(() => !document.querySelector('main .loading'))
      await check(page)
    }
    await page.close()
  })
}
