// What is committed in console/dist is what the sources give; the types are those of the program; sizes are within their budgets.
import test, { after, before } from 'node:test'
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import zlib from 'node:zlib'
import { startCairn } from './harness.mjs'

const here = import.meta.dirname
const sources = path.resolve(here, '../../console')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-built-'))
const run = (script, ...words) => execFileSync(process.execPath, [path.join(sources, script), ...words], { cwd: sources, encoding: 'utf8', env: { ...process.env, CAIRN_KEY: server?.adminKey } })
let server

before(() => { execFileSync(path.join(here, '../clients/js/install.sh'), [sources], { stdio: 'inherit' }) })
after(async () => { fs.rmSync(folder, { recursive: true, force: true }); await server?.stop() })

function filesOf (root) {
  return fs.readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    .map((one) => path.relative(root, path.join(one.parentPath, one.name))).sort()
}

test('dist is what the sources give, and within its budgets', () => {
  // Fails by itself where a budget is passed.
  run('build.mjs', '--out', path.join(folder, 'dist'))
  const [built, committed] = [path.join(folder, 'dist'), path.join(sources, 'dist')]
  assert.deepEqual(filesOf(committed), filesOf(built), 'run `node build.mjs` in console/ and commit console/dist')
  for (const name of filesOf(built)) {
    // Releases of zlib compress differently; what is inside must be the same.
    const [a, b] = [committed, built].map((root) => zlib.gunzipSync(fs.readFileSync(path.join(root, name))))
    assert.ok(a.equals(b), name + ' is not what the sources give')
  }
})

test('compressed files have no time stamps, pages nothing inline', () => {
  const dist = path.join(sources, 'dist')
  for (const name of filesOf(dist)) {
    const bytes = fs.readFileSync(path.join(dist, name))
    assert.equal(bytes.readUInt32LE(4), 0, name)
    const text = zlib.gunzipSync(bytes).toString()
    if (name.endsWith('.html.gz')) assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/i)
    if (name.endsWith('.js.gz')) assert.doesNotMatch(text, /\beval\(|new Function\(/)
    assert.doesNotMatch(text, /https?:\/\/(?!www\.w3\.org\/)[\w.-]+\.(com|org|net|io|dev)\b/, name + ' names another server')
  }
})

test('types compile', () => {
  execFileSync(process.execPath, [path.join(sources, 'node_modules/typescript/bin/tsc'), '--noEmit'], { cwd: sources, stdio: 'inherit' })
})

test('the types of routes are those of the program', async () => {
  server = await startCairn()
  const out = path.join(folder, 'generated.ts')
  run('tools/generate.mjs', server.api + '/_openapi.json', '--out', out)
  assert.equal(fs.readFileSync(path.join(sources, 'src/api/generated.ts'), 'utf8'), fs.readFileSync(out, 'utf8'),
    'run `CAIRN_KEY=… node tools/generate.mjs http://SERVER/_openapi.json` in console/')
})

test('sources set no HTML, and the lock files name no registry', () => {
  for (const root of [path.join(sources, 'src'), path.join(sources, 'search-page')]) {
    for (const name of filesOf(root).filter((one) => one.endsWith('.ts'))) {
      assert.doesNotMatch(fs.readFileSync(path.join(root, name), 'utf8'), /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\seval\(/, name)
    }
  }
  for (const lock of [path.join(sources, 'package-lock.json'), path.join(here, 'package-lock.json')]) assert.doesNotMatch(fs.readFileSync(lock, 'utf8'), /"resolved"|registry/, lock)
})
