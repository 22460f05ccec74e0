import test from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { cairn, check, fill, find, open, press, says, useConsole, visit } from '../harness.mjs'

useConsole()
const shipped = path.resolve(import.meta.dirname, '../../../models/cairn-mini')
const files = ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json', 'README.md'].filter((name) => fs.existsSync(path.join(shipped, name))).map((name) => path.join(shipped, name))

test('a model goes in by pieces, is deployed, stopped, and deleted after its users were told', async () => {
  const page = await open('models?import=1', { height: 1600 })
  const inputs = await page.$$('input[type=file]')
  await inputs[1].uploadFile(...files)
  await fill(page, 'Id of the model', 'uploaded')
  await check(page)
  await press(page, 'Begin')
  await says(page, 'Imported')
  const { trained_model_configs: [model] } = await cairn.ask('GET', '/_ml/trained_models/uploaded')
  assert.equal(model.model_type, 'cairn-static')
  await press(page, 'Open the model')
  await says(page, 'It is not loaded')
  await check(page)
  await press(page, 'Deploy', '.page-actions button')
  await press(page, 'Deploy', 'dialog button[type=submit]')
  await page.waitForFunction(() => /uploaded-1[^]*ready/.test(document.querySelector('main').innerText))
  await check(page)
  await press(page, 'uploaded-1', 'button[aria-haspopup=menu]')
  await press(page, 'Stop', '[role=menuitem]')
  await press(page, 'Stop', 'dialog button[type=submit]')
  await says(page, 'It is not loaded')
  await cairn.ask('PUT', '/_inference/text_embedding/reader', { service: 'elasticsearch', service_settings: { model_id: 'uploaded', num_allocations: 1, num_threads: 1 } })
  await visit(page, 'models')
  await visit(page, 'models/uploaded')
  await says(page, 'reader')
  await press(page, 'Delete', '.page-actions button')
  await page.waitForFunction(() => /Endpoints that use it\s+reader/.test(document.querySelector('dialog').innerText))
  await press(page, 'Dry run', 'dialog button')
  await find(page, 'dialog .notice', 'reader')
  await check(page)
  await fill(page, 'Type this name', 'uploaded')
  await press(page, 'Delete the model', 'dialog button')
  await says(page, 'is still referenced by inference endpoints [reader]')
  await press(page, 'Delete it although', 'dialog label')
  await press(page, 'Delete the model', 'dialog button')
  await says(page, 'uploaded is deleted.')
  assert.equal((await cairn.ask('GET', '/_ml/trained_models?allow_no_match=true')).trained_model_configs.some(({ model_id: id }) => id === 'uploaded'), false)
  await page.close()
})

test('files that make no model are refused with the reason', async () => {
  const page = await open('models?import=1')
  const broken = path.join(cairn.folder, 'config.json')
  fs.writeFileSync(broken, '{"model_type": "<img src=x onerror=alert(1)>"}')
  const inputs = await page.$$('input[type=file]')
  await inputs[1].uploadFile(broken)
  await fill(page, 'Id of the model', 'broken')
  await press(page, 'Begin')
  await says(page, 'Stopped by an error')
  await check(page)
  await page.close()
})

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`models at ${width} px, ${theme}`, async () => {
    const page = await open('models', { width, theme })
    for (const place of ['models', 'models/cairn-mini', 'models?import=1']) {
      await visit(page, place)
      await page.waitForFunction(() => !document.querySelector('main .loading'))
      await check(page)
    }
    await page.close()
  })
}
