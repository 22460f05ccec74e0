// Writes src/api/generated.ts, the types of all routes, from the OpenAPI document that a running program gives.
//   node tools/generate.mjs DOCUMENT|URL [--out FILE]     the key for a URL is read from CAIRN_KEY
// They are types alone: a route costs the console no byte, and the compiler checks each use.
import fs from 'node:fs/promises'
import path from 'node:path'

const [place, ...flags] = process.argv.slice(2)
if (!place) {
  console.error('usage: node tools/generate.mjs DOCUMENT|URL [--out FILE]')
  process.exit(64)
}
const out = flags[0] === '--out' ? flags[1] : path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../src/api/generated.ts')

async function read () {
  if (!place.startsWith('http')) return JSON.parse(await fs.readFile(place, 'utf8'))
  const answer = await fetch(place, { headers: { authorization: 'ApiKey ' + process.env.CAIRN_KEY } })
  if (!answer.ok) throw new Error(`${place} answered ${answer.status}: ${await answer.text()}`)
  return await answer.json()
}

const plainName = /^[A-Za-z_$][\w$]*$/
const key = (name) => plainName.test(name) ? name : JSON.stringify(name).replaceAll('"', "'")
const text = (value) => typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value)
const primitive = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }

function objectType (schema, depth) {
  const required = new Set(schema.required ?? [])
  const lines = Object.entries(schema.properties ?? {}).sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, one]) => `${key(name)}${required.has(name) ? '' : '?'}: ${type(one, depth + 1)}`)
  const more = schema.additionalProperties
  if (lines.length === 0) {
    if (more === false) return 'Record<string, never>'
    return `Record<string, ${more === undefined || more === true ? 'any' : type(more, depth)}>`
  }
  if (more !== undefined && more !== false) lines.push('[more: string]: any')
  const pad = '  '.repeat(depth + 1)
  return `{\n${lines.map((line) => pad + line).join('\n')}\n${'  '.repeat(depth)}}`
}

function type (schema, depth) {
  if (schema === undefined || schema === true || Object.keys(schema).length === 0) return 'any'
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if (schema.const !== undefined) return text(schema.const)
  if (schema.enum) return schema.enum.map(text).join(' | ')
  const union = schema.oneOf ?? schema.anyOf
  if (union) return union.map((one) => wrapped(one, depth)).join(' | ')
  if (schema.allOf) return schema.allOf.map((one) => wrapped(one, depth)).join(' & ')
  if (Array.isArray(schema.type)) return schema.type.map((one) => wrapped({ ...schema, type: one }, depth)).join(' | ')
  if (schema.type === 'array') return wrapped(schema.items, depth) + '[]'
  if (schema.type === 'object' || schema.properties || schema.additionalProperties) return objectType(schema, depth)
  return primitive[schema.type] ?? 'any'
}

function wrapped (schema, depth) {
  const inside = type(schema, depth)
  return / [|&] /.test(inside.replace(/\{[^]*\}/g, '')) ? `(${inside})` : inside
}

function bodyOf (content) {
  if (!content) return 'any'
  const kinds = Object.keys(content)
  const json = kinds.find((kind) => /^application\/json/.test(kind))
  if (json) return type(content[json].schema, 2)
  // Lines of JSON, streams and binary bodies are handed over as they are.
  return kinds.some((kind) => /octet|tar|\*/.test(kind)) ? 'string | Blob' : 'string'
}

function operation (document, method, route, one) {
  const parameters = (one.parameters ?? []).map((each) => each.$ref ? document.components.parameters[each.$ref.split('/').at(-1)] : each)
  const paths = [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  // A parameter that a row and all rows have is one.
  const queries = [...new Map(parameters.filter((each) => each.in === 'query').map((each) => [each.name, each])).values()]
  const query = queries.length === 0 ? 'Record<string, QueryValue>'
    : `{ ${queries.map((each) => `${key(each.name)}?: ${queryType(each)}`).join(', ')} }`
  const request = one.requestBody?.content
  const ndjson = request && Object.keys(request).some((kind) => /ndjson/.test(kind))
  const body = request ? ndjson ? 'string' : bodyOf(request) : 'undefined'
  const good = Object.entries(one.responses ?? {}).filter(([status]) => status.startsWith('2')).sort()[0]?.[1]
  const answer = good?.content ? bodyOf(good.content) : 'any'
  const summary = one.summary ? `  /** ${one.summary.replaceAll('*/', '*\\/')} */\n` : ''
  return `${summary}  '${method} ${route}': {\n    path: ${paths.length ? `{ ${paths.map((name) => `${name}: string`).join(', ')} }` : 'NoPath'}\n    query: ${query}\n    body: ${body}\n    answer: ${answer}\n  }`
}

function queryType (parameter) {
  const { schema = {} } = parameter
  if (schema.type === 'array') return 'string | readonly string[] | boolean'
  if (schema.enum) return type(schema, 0)
  // What the field's clients write in more than one way is taken in each.
  return { boolean: "boolean | 'true' | 'false' | ''", integer: 'number | string', number: 'number | string' }[schema.type] ?? 'string | number | boolean'
}

const document = await read()
const methods = ['get', 'head', 'put', 'post', 'patch', 'delete']
const routes = Object.entries(document.paths).sort(([a], [b]) => a < b ? -1 : 1)
const operations = routes.flatMap(([route, all]) => methods.filter((method) => all[method]).map((method) => operation(document, method.toUpperCase(), route, all[method])))
const schemas = Object.entries(document.components?.schemas ?? {}).sort(([a], [b]) => a < b ? -1 : 1)
  .map(([name, schema]) => `${schema.description ? `/** ${schema.description.replaceAll('*/', '*\\/')} */\n` : ''}export type ${name} = ${type(schema, 0)}`)

await fs.writeFile(out, `// Written by console/tools/generate.mjs from the OpenAPI document of the program. Do not edit.

export type QueryValue = string | number | boolean | readonly string[] | undefined
export type NoPath = {}

${schemas.join('\n\n')}

export interface Operations {
${operations.join('\n')}
}
`)
console.log(`${out}: ${operations.length} routes, ${schemas.length} types`)
