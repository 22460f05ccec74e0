// What the official client 8 can ask for. It keeps what its calls take to itself: paths and bodies are
// read from the source of its functions, parameters from its types.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Client } from 'elasticsearch8'
import { NAMESPACES, camel, formsOf, partsOf, recorder, tableOf } from './compatibility.mjs'

const require = createRequire(import.meta.url)
const here = require.resolve('elasticsearch8')
const { BaseConnection } = createRequire(here)('@elastic/transport')
const types = fs.readFileSync(path.join(path.dirname(here), 'lib/api/typesWithBodyKey.d.ts'), 'utf8')

// Members of the interface and of those that it extends.
function membersOf (declaration) {
  const found = new RegExp('\\nexport interface ' + declaration + '(?:<[^>]*>)?(?: extends ([^{]*))? \\{([\\s\\S]*?)\\n\\}').exec(types)
  if (found === null) throw new Error('client 8 has no type ' + declaration)
  const own = [...found[2].matchAll(/^ {4}'?([\w-]+)'?\??: /gm)].map((member) => member[1])
  const above = (found[1] ?? '').replace(/<[^>]*>/g, '').split(',').map((each) => each.trim()).filter((each) => each !== '')
  return [...own, ...above.flatMap(membersOf)]
}

// 'cat.pending_tasks' has the parameters of CatPendingTasksRequest.
function parametersOf (name, elsewhere) {
  const pascal = name.split(/[._]/).map((word) => word[0].toUpperCase() + word.slice(1)).join('')
  return membersOf(pascal + 'Request').filter((member) => member !== 'body' && !elsewhere.includes(member))
}

const wordsOf = (source, list) =>
  [...(new RegExp('const ' + list + ' = \\[([^\\]]*)\\]').exec(source)?.[1] ?? '').matchAll(/'(\w+)'/g)].map((word) => word[1])

// Functions of a part of the client by the names of their calls, with what their paths and bodies take.
function callsOfPart (part) {
  const out = new Map()
  for (let at = part; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const key of Object.getOwnPropertyNames(at)) {
      const { value } = Object.getOwnPropertyDescriptor(at, key)
      const source = typeof value === 'function' ? String(value) : ''
      const name = /const meta = \{\s*name: '([\w.]+)'/.exec(source)?.[1]
      if (name !== undefined) out.set(name, { path: wordsOf(source, 'acceptedPath'), body: wordsOf(source, 'acceptedBody') })
    }
  }
  return out
}

// [{ namespace, name, parameters, forms, method, path }], by name.
export async function callsOfClient8 () {
  const heard = []
  const client = new Client({ node: 'http://recorder', Connection: recorder(heard, BaseConnection) })
  const out = []
  for (const [namespace, part] of partsOf(client)) {
    for (const [name, { path, body }] of callsOfPart(part)) {
      const call = part[camel(name.split('.').at(-1))]
      const forms = await formsOf(call, part, path, heard)
      if (forms.length > 0) out.push({ namespace, name, parameters: parametersOf(name, [...path, ...body]), forms, ...forms[0] })
    }
  }
  await client.close()
  return out.sort((a, b) => (a.name < b.name ? -1 : 1))
}

// Rows of calls that are not in the table of client 9, are otherwise there, or have parameters of their
// own that are refused.
export async function table8 (asked, calls, page) {
  const known = new Map(tableOf(page, 'calls').rows.slice(2).map((row) => {
    const [, name, request, answered, refused] = row.split('|').map((cell) => cell.trim())
    return [name, { head: [name, request, answered].join(' | '), refused: refused.split(', ') }]
  }))
  const rows = ['| Call | Request | Answered | Parameters that are refused besides |', '|---|---|---|---|']
  for (const call of calls) {
    if (!NAMESPACES.includes(call.namespace)) continue
    const { answered, refused } = await asked.verdictOf(call)
    const name = '`' + call.name + '`'
    const head = [name, '`' + call.method + ' ' + call.path + '`', answered].join(' | ')
    const besides = refused.map((each) => '`' + each + '`').filter((each) => !known.get(name)?.refused.includes(each))
    if (known.get(name)?.head !== head || besides.length > 0) rows.push(`| ${head} | ${besides.join(', ')} |`)
  }
  return rows
}
