// What the official client can ask for, by its own list of calls and types, and what a running Cairn
// makes of each. compatibility.test.mjs holds the page of the documentation against it;
// `node compatibility_page.mjs PAGE` writes the tables of the page.
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Client } from '@elastic/elasticsearch'
import { BaseConnection } from '@elastic/transport'
import { startCairn } from './server.mjs'

const require = createRequire(import.meta.url)
const library = path.join(path.dirname(require.resolve('@elastic/elasticsearch')), 'lib/api')
const types = fs.readFileSync(path.join(library, 'types.d.ts'), 'utf8')

// --- calls

// Namespaces whose every call has a row; of the others a row tells that the whole is not offered.
export const NAMESPACES = ['core', 'async_search', 'indices', 'cat', 'cluster', 'tasks', 'nodes', 'ingest', 'inference', 'snapshot', 'connector', 'security']

const GENERAL = new Set(['error_trace', 'filter_path', 'human', 'pretty', 'format'])
export const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
const isOpen = (piece) => piece.startsWith('{')
// Whether a row of the table of routes takes a path: what is literal there is so here. The kinds of
// tasks of inference are open there, and words of some paths.
function takesPath (route, path) {
  const [there, here] = [route.split('/').slice(1), path.split('/').slice(1)]
  return there.length === here.length && there.every((piece, i) =>
    isOpen(piece) ? isOpen(here[i]) || piece === '{task_type}' : piece === here[i])
}
const named = (path) => path.replace(/\{(\w+)\}/g, 'none-$1')
const accepted = (part) => part[Object.getOwnPropertySymbols(part).find((symbol) => String(symbol).includes('accepted-params'))]

// Calls of the client itself keep what they accept to themselves: it is read from their files.
function acceptedByClient () {
  const out = {}
  for (const file of fs.readdirSync(path.join(library, 'api'))) {
    if (!file.endsWith('.js')) continue
    const text = fs.readFileSync(path.join(library, 'api', file), 'utf8')
    const written = /^const acceptedParams = (\{[\s\S]*?\n\});/m.exec(text)?.[1]
    if (written !== undefined) Object.assign(out, new Function('return ' + written)())
  }
  return out
}

// Hears what a client would send; a client extends the connection of its own transport.
export function recorder (heard, Base = BaseConnection) {
  return class Recorder extends Base {
    async request (params) {
      heard.push({ method: params.method, path: decodeURIComponent(params.path), body: params.body })
      return { statusCode: 200, headers: { 'x-elastic-product': 'Elasticsearch', 'content-type': 'application/json' }, body: '{}' }
    }

    async close () {}
  }
}

export function partsOf (client) {
  const out = [['core', client]]
  for (const symbol of Object.getOwnPropertySymbols(client)) {
    const name = /^Symbol\((\w+)\)$/.exec(String(symbol))?.[1]
    if (name === undefined) continue
    const getter = name[0].toLowerCase() + name.slice(1)
    out.push([getter.replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase()), client[getter]])
  }
  return out
}

// What a call sends. The longest form first; of shorter ones the last parts of the path are left out.
export async function formsOf (call, part, path, heard) {
  const forms = []
  for (let count = path.length; count >= 0; --count) {
    heard.length = 0
    const named = Object.fromEntries(path.slice(0, count).map((each) => [each, '{' + each + '}']))
    // Some calls send nothing without a body.
    for (const given of [named, { ...named, body: [] }]) {
      if (heard.length > 0) break
      try {
        await call.call(part, given)
      } catch {}
    }
    if (heard.length > 0) forms.push({ method: heard[0].method, path: heard[0].path.split('?')[0] })
  }
  return forms
}

// [{ namespace, name, parameters, method, path }], by name.
export async function callsOfClient () {
  const heard = []
  const client = new Client({ node: 'http://recorder', Connection: recorder(heard) })
  const out = []
  for (const [namespace, part] of partsOf(client)) {
    for (const [name, { path, query }] of Object.entries(namespace === 'core' ? acceptedByClient() : accepted(part) ?? {})) {
      const call = part[camel(name.split('.').at(-1))]
      if (call === undefined) continue
      const forms = await formsOf(call, part, path, heard)
      if (forms.length > 0) out.push({ namespace, name, parameters: query, forms, ...forms[0] })
    }
  }
  await client.close()
  return out.sort((a, b) => (a.name < b.name ? -1 : 1))
}

// --- names of types

function bodyOf (declaration) {
  const at = types.search(new RegExp('\\n(export )?interface ' + declaration + '(<[^>]*>)? (extends [^{]*)?\\{'))
  if (at < 0) return ''
  return types.slice(types.indexOf('{', at) + 1, types.indexOf('\n}', at))
}
function membersOf (declaration) {
  return [...bodyOf(declaration).matchAll(/^ {4}'?([\w-]+)'?\??: /gm)].map((found) => found[1])
}
// The words that `type` can be in the members of a union.
function typesOf (union) {
  const found = new RegExp('export type ' + union + ' = ([^;]+);').exec(types)
  const words = found[1].split('|').map((each) => each.trim()).flatMap((each) =>
    [.../^ {4}type\??: ('[^;]+);/m.exec(bodyOf(each))?.[1].matchAll(/'([^']+)'/g) ?? []].map((word) => word[1]))
  return [...new Set(words)].sort()
}

// Of each kind of name: all there are, and how a Cairn is asked about one. `refusal` says what the
// answer is where it does not know the name.
export const KINDS = {
  queries: {
    names: () => membersOf('QueryDslQueryContainerExclusiveProps').sort(),
    ask: (name) => ['POST', '/probe/_search', { query: { [name]: {} } }],
    refusal: (answer) => /^unknown query \[|is not offered/.test(answer.error?.reason ?? '')
  },
  aggregations: {
    names: () => membersOf('AggregationsAggregationContainerExclusiveProps').sort(),
    ask: (name) => ['POST', '/probe/_search', { aggs: { a: { [name]: {} } } }],
    refusal: (answer) => /Unknown aggregation type|unknown aggregation/i.test(reasonOf(answer))
  },
  'members of a search': {
    names: () => acceptedByClient().search.body.sort(),
    // A member is taken where one of these is its value.
    ask: (name, value) => ['POST', '/probe/_search', { [name]: value }],
    values: [{}, [], 1, 'a', true],
    refusal: (answer) => /Unknown key for a|is not offered/.test(reasonOf(answer))
  },
  'field types': {
    names: () => typesOf('MappingProperty').filter((name) => /^\w+$/.test(name)),
    ask: (name) => ['PUT', '/probe/_mapping', { properties: { ['f_' + name]: { type: name } } }],
    refusal: (answer) => answer.error?.reason?.startsWith('No handler for type')
  },
  analyzers: {
    names: () => typesOf('AnalysisAnalyzer').filter((name) => name !== 'custom'),
    ask: (name) => ['PUT', '/probe-' + name, { settings: { analysis: { analyzer: { a: { type: name } } } } }],
    refusal: (answer) => /Unknown analyzer type/i.test(reasonOf(answer))
  },
  tokenizers: {
    names: () => typesOf('AnalysisTokenizerDefinition'),
    ask: (name) => ['POST', '/_analyze', { tokenizer: { type: name }, text: 'a' }],
    refusal: (answer) => /Unknown tokenizer type/.test(reasonOf(answer))
  },
  'token filters': {
    names: () => typesOf('AnalysisTokenFilterDefinition'),
    ask: (name) => ['POST', '/_analyze', { tokenizer: 'standard', filter: [{ type: name }], text: 'a' }],
    refusal: (answer) => /Unknown filter type/.test(reasonOf(answer))
  },
  'character filters': {
    names: () => typesOf('AnalysisCharFilterDefinition'),
    ask: (name) => ['POST', '/_analyze', { tokenizer: 'standard', char_filter: [{ type: name }], text: 'a' }],
    refusal: (answer) => /Unknown char_filter type/.test(reasonOf(answer))
  }
}

export const reasonOf = (answer) => JSON.stringify(answer.error ?? '')

// --- a running Cairn

export class Asked {
  static async start () {
    const asked = new Asked()
    asked.cairn = await startCairn()
    await asked.ask('PUT', '/probe', { mappings: { properties: { a: { type: 'keyword' } } } })
    asked.routes = (await asked.ask('GET', '/_cairn/routes')).body.routes
    return asked
  }

  async stop () { await this.cairn?.stop() }

  async ask (method, path, body) {
    const answer = await fetch(this.cairn.api + path, {
      method,
      headers: { authorization: 'ApiKey ' + this.cairn.adminKey, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body)
    })
    const text = await answer.text()
    let read = {}
    try { read = JSON.parse(text) } catch {}
    return { status: answer.status, body: read ?? {}, text }
  }

  // Rows of the table of routes that answer one form of a call.
  routesOf ({ method, path }) {
    const fits = (asked) => this.routes.filter((route) => route.method === asked && takesPath(route.path, path))
    const own = fits(method)
    // HEAD is answered where GET is.
    return own.length === 0 && method === 'HEAD' ? fits('GET') : own
  }

  // What a form of a call is answered that names nothing that is there.
  async tryOut ({ method, path }) {
    return this.ask(method, named(path), method === 'POST' || method === 'PUT' ? {} : undefined)
  }

  // How a call that is not offered is refused.
  async refusalOf (call) {
    const answer = await this.tryOut(call)
    const word = typeof answer.body.error === 'string' ? /^(no handler found|Incorrect HTTP method)/.exec(answer.body.error)?.[1] : answer.body.error?.type
    return answer.status + (word === undefined ? '' : ' `' + word + '`')
  }

  // Whether a service of inference that a call has its own name for is offered.
  async hasService (name) {
    const service = name.replace('inference.put_', '')
    const answer = await this.ask('PUT', '/_inference/text_embedding/none', { service, service_settings: {} })
    return !reasonOf(answer.body).includes(`Service [${service}] not found`)
  }

  // 'yes', or how it is refused; the form that is answered; the parameters that are unknown here.
  async verdictOf (call) {
    const form = call.forms.find((each) => this.routesOf(each).length > 0)
    const routes = form === undefined ? [] : this.routesOf(form)
    const service = /^inference\.put_/.test(call.name)
    if (service && !(await this.hasService(call.name))) return { answered: '400 `Service [...] not found`', refused: [] }
    if (routes.length === 0 || routes[0].summary.startsWith('Refused')) return { answered: await this.refusalOf(call), refused: [] }
    const known = new Set(this.routes.filter((route) => route.operation === routes[0].operation).flatMap((route) => route.query))
    const left = call.path.split('/').filter((piece) => isOpen(piece) && !form.path.includes(piece))
    const answered = left.length === 0 ? 'yes' : 'yes, without ' + left.map((piece) => '`' + piece + '`').join(', ')
    return { answered, form, refused: call.parameters.filter((each) => !known.has(each) && !GENERAL.has(each)) }
  }

  // Whether a name of a kind is taken.
  async takes (kind, name) {
    for (const value of kind.values ?? [undefined]) {
      const [method, path, body] = kind.ask(name, value)
      const answer = await this.ask(method, path, body)
      if (answer.status >= 500) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${answer.text}`)
      if (!kind.refusal(answer.body)) return true
    }
    return false
  }
}

// --- tables

export async function callTable (asked, calls) {
  const rows = ['| Call | Request | Answered | Parameters that are refused |', '|---|---|---|---|']
  for (const call of calls) {
    if (!NAMESPACES.includes(call.namespace)) continue
    const { answered, refused } = await asked.verdictOf(call)
    rows.push(`| \`${call.name}\` | \`${call.method} ${call.path}\` | ${answered} | ${refused.map((each) => '`' + each + '`').join(', ')} |`)
  }
  return rows
}

export function namespaceTable (calls) {
  const counts = new Map()
  for (const { namespace } of calls) if (!NAMESPACES.includes(namespace)) counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
  return [...counts].sort().map(([namespace]) => namespace)
}

export async function namesTable (asked) {
  const rows = ['| What | Taken | Refused by name |', '|---|---|---|']
  for (const [title, kind] of Object.entries(KINDS)) {
    const taken = []
    const refused = []
    for (const name of kind.names()) ((await asked.takes(kind, name)) ? taken : refused).push('`' + name + '`')
    rows.push(`| ${title} | ${taken.join(', ')} | ${refused.join(', ')} |`)
  }
  return rows
}

// The lines of the table behind `<!-- NAME: ... -->`.
export function tableOf (page, name) {
  const lines = page.split('\n')
  const from = lines.findIndex((line) => line.startsWith(`<!-- ${name}:`)) + 2
  let to = from
  while (to < lines.length && lines[to].startsWith('|')) ++to
  return { lines, from, to, rows: lines.slice(from, to) }
}
