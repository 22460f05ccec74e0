// Which routes for administrators no page of the console reaches: each is named in unreached_routes.txt, with the reason.
// CAIRN_WRITE=1 writes the file anew; reasons that it has stay.
import test from 'node:test'
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { cairn, useConsole } from './harness.mjs'

useConsole()
const here = import.meta.dirname
const list = path.join(here, 'unreached_routes.txt')
const sources = path.resolve(here, '../../console/src')

/** A path without the names of what is filled in: "/_connector/{}/_test". */
const shape = (route) => route.replace(/\$?\{[^{}]*\}/g, '{}').replace(/\?.*$/, '')

/** "METHOD /path" of all that the sources ask, typed or by send(). */
function asked () {
  const out = new Set()
  for (const name of fs.readdirSync(sources, { recursive: true })) {
    if (!name.endsWith('.ts') || name.endsWith('generated.ts')) continue
    const text = fs.readFileSync(path.join(sources, name), 'utf8')
    for (const [, route] of text.matchAll(/['"`]((?:GET|HEAD|PUT|POST|DELETE) \/[^'"`]*)['"`]/g)) out.add(shape(route))
    for (const [, method, place] of text.matchAll(/\b(?:send|ask)\(\s*'(GET|HEAD|PUT|POST|DELETE)',\s*['"`]([^'"`]+)/g)) out.add(shape(`${method} ${place}`))
    for (const [, place] of text.matchAll(/EventSource\(root \+ '([^'?]+)/g)) out.add('GET ' + place)
  }
  return out
}

test('every route for administrators is reached by a page, or is named with the reason', async () => {
  const document = await cairn.ask('GET', '/_openapi.json')
  const reached = asked()
  const missing = Object.entries(document.paths).flatMap(([place, methods]) => Object.entries(methods)
    .filter(([, one]) => one['x-cairn']?.privileges?.cluster)
    .map(([method]) => `${method.toUpperCase()} ${place}`)).filter((route) => !reached.has(shape(route))).sort()
  const lines = fs.existsSync(list) ? fs.readFileSync(list, 'utf8').split('\n').filter((line) => line && !line.startsWith('#')) : []
  const reasons = new Map(lines.map((line) => { const [route, reason] = line.split('  # '); return [route.trim(), reason ?? ''] }))
  if (process.env.CAIRN_WRITE) {
    const width = Math.max(...missing.map((route) => route.length))
    fs.writeFileSync(list, '# Routes for administrators that no page of the console reaches, and why.\n' + missing.map((route) => `${route.padEnd(width)}  # ${reasons.get(route) || 'no page yet'}\n`).join(''))
    return
  }
  assert.deepEqual([...reasons.keys()].sort(), missing, 'name new routes in tests/console/unreached_routes.txt, or reach them; take away those that are reached')
  for (const [route, reason] of reasons) assert.ok(reason && !/no page yet/.test(reason), route + ' has no reason')
})
