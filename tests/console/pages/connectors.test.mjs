import test from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { cairn, check, fill, find, open, press, says, useConsole, visit } from '../harness.mjs'

useConsole({ environment: { CAIRN_CONNECTORS__ALLOWED_HOSTS: '127.0.0.1' } })
const hostile = '<img src=x onerror=alert(1)>'

/** A folder with notes, one damaged file and one whose name is hostile; beneath the roots of the server. */
function folder (name, notes = 3) {
  const at = path.join(cairn.documents, name)
  fs.mkdirSync(at, { recursive: true })
  for (let n = 0; n < notes; n++) fs.writeFileSync(path.join(at, `note-${n}.md`), `# Note ${n}\n\nRoses are pruned in winter.\n`)
  fs.writeFileSync(path.join(at, hostile + '.pdf'), '%PDF-1.4 damaged')
  return at
}

async function connector (id, at) {
  await cairn.ask('PUT', `/_connector/${id}`, { index_name: id, service_type: 'directory' })
  await cairn.ask('PUT', `/_connector/${id}/_configuration`, { values: { path: at } })
}

async function synced (id) {
  for (;;) {
    const { results } = await cairn.ask('GET', `/_connector/_sync_job?connector_id=${id}`)
    if (results.length > 0 && results.every((job) => job.completed_at)) return results[0]
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('a folder becomes an index by the wizard: settings, test, preview, dry run, first sync', async () => {
  const at = folder('wizard')
  const page = await open('connectors')
  await says(page, 'There is no connector yet')
  await check(page)
  await press(page, 'New connector')
  await press(page, 'Files of any everyday kind')
  await check(page)
  await fill(page, 'Id', 'notes')
  await press(page, 'Make the connector')
  await fill(page, 'Folder', at)
  await check(page)
  await press(page, 'Save and test')
  await says(page, 'The source answers.')
  await press(page, 'Preview documents')
  await says(page, 'note-0.md')
  await press(page, 'Count (dry run)')
  await says(page, 'What a sync would do now')
  await check(page)
  await press(page, 'Start the first sync')
  await says(page, 'Documents written')
  const job = await synced('notes')
  assert.equal(job.indexed_document_count, 3)
  await page.waitForFunction(() => document.body.innerText.includes('completed'))
  await check(page)
  await press(page, 'Problems', '[role=tab]')
  await says(page, hostile)
  await check(page)
  await page.close()
})

test('what a source refuses is told, and nothing is started', async () => {
  const page = await open('connectors?new=directory')
  await fill(page, 'Id', 'elsewhere')
  await press(page, 'Make the connector')
  await fill(page, 'Folder', '/etc')
  await press(page, 'Save and test')
  await says(page, 'connectors.directory.roots')
  assert.equal((await cairn.ask('GET', '/_connector/_sync_job?connector_id=elsewhere')).count, 0)
  await page.close()
})

test('a schedule is set in words; the connector is paused, and goes on', async () => {
  await connector('timed', folder('timed'))
  const page = await open('connectors/timed?tab=schedule')
  await (await find(page, 'label', 'Sync by itself')).click()
  await fill(page, 'How often', 'week')
  await says(page, 'Next times')
  await press(page, 'Save the schedule')
  await says(page, 'The schedule is saved.')
  const { full } = (await cairn.ask('GET', '/_connector/timed')).scheduling
  assert.equal(full.enabled, true)
  assert.match(full.interval, /^0 \d+ \d+ \? \* [1-7]$/)
  await check(page)
  await press(page, 'More actions')
  await press(page, 'Pause', '[role=menuitem]')
  await press(page, 'Pause', 'dialog button')
  await says(page, 'timed is paused.')
  const paused = await cairn.ask('GET', '/_connector/timed')
  assert.equal(paused.paused, true)
  assert.equal(paused.scheduling.full.enabled, true, 'the schedule is kept')
  await visit(page, 'connectors')
  await find(page, 'td', 'paused')
  await check(page)
  // What is asked for meanwhile waits, and is done once it goes on.
  await visit(page, 'connectors/timed')
  await says(page, 'It is paused: schedules and watches rest')
  await press(page, 'Sync now', '.page-actions button')
  const jobs = async () => (await cairn.ask('GET', '/_connector/_sync_job?connector_id=timed')).results
  await page.waitForFunction(() => [...document.querySelectorAll('.page-actions button')].some((one) => one.textContent.includes('Cancel the sync')))
  assert.deepEqual((await jobs()).map(({ status }) => status), ['pending'])
  await check(page)
  await press(page, 'Let it go on', '.notice button')
  await says(page, 'timed goes on.')
  await synced('timed')
  assert.equal((await cairn.ask('GET', '/_connector/timed')).paused, false)
  assert.deepEqual((await jobs()).map(({ status }) => status), ['completed'])
  await page.waitForFunction(() => !document.body.innerText.includes('It is paused'))
  await page.close()
})

test('a rule is written, made to hold, and leaves documents out', async () => {
  await connector('ruled', folder('ruled'))
  const page = await open('connectors/ruled?tab=rules')
  await press(page, 'Add a rule')
  const value = await page.waitForSelector('input[placeholder="drafts/"]')
  await value.type('note-1')
  await press(page, 'Save the draft')
  await says(page, 'The draft differs from what holds.')
  await check(page)
  await press(page, 'Make it hold')
  await says(page, 'The rules hold')
  await cairn.ask('POST', '/_connector/_sync_job', { id: 'ruled', job_type: 'full' })
  assert.equal((await synced('ruled')).metadata.documents_left_out, 1)
  await page.close()
})

test('a secret is never shown again, and stays where it is not typed', async () => {
  await cairn.ask('PUT', '/_connector/kept', { index_name: 'kept', service_type: 's3' })
  const page = await open('connectors?new=s3&id=kept')
  await fill(page, 'Endpoint', 'http://127.0.0.1:1')
  await fill(page, 'Bucket', 'papers')
  await fill(page, 'Access key id', 'somebody')
  await fill(page, 'Secret access key', 'planted-secret')
  await press(page, 'Save and test')
  await page.waitForFunction(() => document.querySelector('.notice-error'))
  assert.equal((await cairn.ask('GET', '/_connector/kept')).configuration.secret_access_key.value, '********')
  await page.close()
  const again = await open('connectors/kept?tab=configuration')
  await says(again, 'A secret is kept')
  assert.equal(await again.evaluate(() => document.documentElement.outerHTML.includes('planted-secret')), false)
  await again.close()
})

test('a connector is deleted after its name was typed; its index stays', async () => {
  await connector('gone', folder('gone'))
  await cairn.ask('POST', '/_connector/_sync_job', { id: 'gone', job_type: 'full' })
  await synced('gone')
  const page = await open('connectors')
  await press(page, 'gone', 'button[aria-haspopup=menu]')
  await press(page, 'Delete', '[role=menuitem]')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'index that stays')
  await check(page)
  await fill(page, 'Type this name', 'gone')
  await press(page, 'Delete the connector', 'dialog button')
  await says(page, 'gone is deleted.')
  assert.equal((await cairn.ask('GET', '/gone/_count')).count, 3)
  await page.close()
})

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`the pages of connectors at ${width} px, ${theme}`, async () => {
    await connector(`seen-${width}`, folder('seen'))
    await cairn.ask('POST', '/_connector/_sync_job', { id: `seen-${width}`, job_type: 'full' })
    await synced(`seen-${width}`)
    const page = await open('connectors', { width, theme })
    for (const place of ['connectors', 'connectors?tab=folders', 'connectors?new=kind', ...['overview', 'jobs', 'problems', 'schedule', 'configuration', 'rules'].map((tab) => `connectors/seen-${width}?tab=${tab}`)]) {
      await visit(page, place)
      await page.waitForFunction(() => !document.querySelector('main .loading'))
      await check(page)
    }
    await page.close()
  })
}
