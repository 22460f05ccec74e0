import test from 'node:test'
import assert from 'node:assert/strict'
import path from 'node:path'
import { cairn, check, fill, open, press, says, useConsole, visit } from '../harness.mjs'

useConsole()

async function repository (name) {
  await cairn.ask('PUT', `/_snapshot/${name}`, { type: 'fs', settings: { location: path.join(cairn.folder, 'repositories', name) } })
}

async function books (index) {
  await cairn.ask('PUT', `/${index}/_doc/1?refresh=true`, { title: 'Around the Moon' })
}

test('a repository is made, a snapshot taken and restored under another name', async () => {
  await books('moon')
  const page = await open('snapshots')
  await says(page, 'There is no repository yet')
  await check(page)
  await press(page, 'New repository')
  await fill(page, 'Name', 'safe')
  await press(page, 'A folder of the server', 'dialog label')
  await fill(page, 'Folder', path.join(cairn.folder, 'repositories', 'safe'))
  await check(page)
  await press(page, 'Create', 'dialog button')
  await says(page, 'safe is registered')
  await visit(page, 'snapshots/safe')
  await press(page, 'Take a snapshot')
  await fill(page, 'Name', 'first')
  await check(page)
  await press(page, 'Take it', 'dialog button')
  await page.waitForFunction(() => /first[^]*whole/.test(document.querySelector('main').innerText))
  await check(page)
  await press(page, 'first', 'button[aria-haspopup=menu]')
  await press(page, 'Restore', '[role=menuitem]')
  await says(page, 'restored-moon')
  await check(page)
  await press(page, 'Restore', 'dialog button[type=submit]')
  await says(page, 'being restored')
  for (;;) {
    const found = await cairn.ask('GET', '/restored-moon/_count').catch(() => null)
    if (found?.count === 1) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await page.close()
})

test('a folder that is not allowed is refused with the setting\'s name', async () => {
  const page = await open('snapshots')
  await press(page, 'New repository')
  await fill(page, 'Name', 'outside')
  await press(page, 'A folder of the server', 'dialog label')
  await fill(page, 'Folder', '/etc/backups')
  await press(page, 'Create', 'dialog button')
  await says(page, 'path.repo')
  await page.close()
})

test('cleanup and deletion tell bytes before anything goes', async () => {
  await books('kept')
  await repository('tidy')
  await cairn.ask('PUT', '/_snapshot/tidy/one?wait_for_completion=true', { indices: 'kept' })
  const page = await open('snapshots/tidy')
  await press(page, 'More actions', '.page-actions button')
  await press(page, 'Clean up', '[role=menuitem]')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'bytes')
  await check(page)
  await press(page, 'Clean up', 'dialog button[type=submit]')
  await says(page, 'are gone.')
  await press(page, 'one', 'button[aria-haspopup=menu]')
  await press(page, 'Delete', '[role=menuitem]')
  await press(page, 'Dry run', 'dialog button')
  await says(page, 'bytes')
  assert.equal((await cairn.ask('GET', '/_snapshot/tidy/_all')).total, 1)
  await fill(page, 'Type this name', 'one')
  await press(page, 'Delete the snapshot', 'dialog button')
  await says(page, 'one is deleted.')
  assert.equal((await cairn.ask('GET', '/_snapshot/tidy/_all')).total, 0)
  await page.close()
})

for (const [width, theme] of [[1280, 'light'], [390, 'dark'], [320, 'light']]) {
  test(`snapshots at ${width} px, ${theme}`, async () => {
    await repository('seen')
    const page = await open('snapshots', { width, theme })
    for (const place of ['snapshots', 'snapshots/seen', 'snapshots?tab=backups']) {
      await visit(page, place)
      await page.waitForFunction(() => !document.querySelector('main .loading'))
      await check(page)
    }
    await page.close()
  })
}
