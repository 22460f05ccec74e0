// The server's parser and validation against npm's `graphql`, by the schema that introspection gives: the same documents are
// wrong, with the same words, at the same places.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { buildClientSchema, getIntrospectionQuery, GraphQLError, parse, printSchema, specifiedRules, validate, validateSchema } from 'graphql'
import * as next from 'graphql-17'
import { startCairn } from '../js/server.mjs'
import { documents, syntax } from './documents.mjs'

let cairn
let schema

async function ask (request) {
  const answer = await fetch(cairn.api + '/graphql', {
    method: 'POST', headers: { authorization: 'ApiKey ' + cairn.adminKey, 'content-type': 'application/json' }, body: JSON.stringify(request)
  })
  assert.equal(answer.status, 200, await answer.clone().text())
  return await answer.json()
}

before(async () => {
  cairn = await startCairn()
  const { data, errors } = await ask({ query: getIntrospectionQuery({ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, inputValueDeprecation: true }) })
  assert.equal(errors, undefined)
  schema = buildClientSchema(data)
})
after(() => cairn?.stop())

// "message @ line:column …", suggestions left out: each side has its own way to choose them.
const told = (error) => {
  const places = (error.locations ?? []).map((one) => one.line + ':' + one.column).sort()
  return error.message.replace(/ Did you mean (?!"\w+ \{ \.\.\. \}").*$/, '') + ' @ ' + places.join(' ')
}
const wrong = (list) => [...new Set((list ?? []).map(told))].sort()

const parsed = (text) => {
  try {
    return { document: parse(text) }
  } catch (error) {
    assert.ok(error instanceof GraphQLError)
    return { error }
  }
}

// What is wrong with a document before variables are read: the server then says no more.
function compare (text, { errors, data }) {
  const { document, error } = parsed(text)
  const expected = error ? [error] : validate(schema, document, specifiedRules)
  if (expected.length === 0) return true
  assert.deepEqual(wrong(errors), wrong(expected.map((one) => one.toJSON())), text)
  assert.equal(data, undefined, text)
  return false
}

describe('introspection', () => {
  test('builds a valid client schema, of this edition and the next', async () => {
    assert.deepEqual(validateSchema(schema), [])
    assert.match(printSchema(schema), /type Index implements Node/)
    const { data } = await ask({ query: next.getIntrospectionQuery() })
    assert.deepEqual(next.validateSchema(next.buildClientSchema(data)), [])
  })

  test('describes types, arguments and defaults as they were written', () => {
    const query = schema.getQueryType().getFields()
    assert.equal(query.indices.args.find((one) => one.name === 'pattern').defaultValue, '*')
    assert.equal(String(query.search.args.find((one) => one.name === 'first').type), 'Int!')
    assert.equal(schema.getType('JSON').specifiedByURL, 'https://www.rfc-editor.org/rfc/rfc8259')
    assert.ok(schema.getPossibleTypes(schema.getType('Node')).length >= 6)
    assert.equal(schema.getSubscriptionType() ?? null, null)
    for (const type of [schema.getQueryType(), schema.getMutationType()]) {
      for (const field of Object.values(type.getFields())) assert.notEqual(field.name.startsWith('__'), true)
    }
  })
})

describe('syntax', () => {
  test(`${syntax.length} texts are wrong or right in the same words at the same places`, async () => {
    for (const text of syntax) {
      const { error } = parsed(text)
      const { errors } = await ask({ query: text })
      if (text === '') continue // there is no query, says the server
      const ours = (errors ?? []).filter((one) => one.message.startsWith('Syntax Error'))
      assert.deepEqual(ours.map(told), error ? [told(error.toJSON())] : [], JSON.stringify(text))
    }
  })

  test('a text cut at every place', async () => {
    const whole = 'query Q($a: [Int!]! = [1, 2] @d) { x: a(b: {c: "d\\u00e9", e: -1.5e3}, f: $a) @g(h: """i""") { ...J ... on K { l } } } fragment J on K { m }'
    for (let i = 1; i < whole.length; i++) {
      const text = whole.slice(0, i)
      const { error } = parsed(text)
      const { errors } = await ask({ query: text })
      const ours = (errors ?? []).filter((one) => one.message.startsWith('Syntax Error'))
      assert.deepEqual(ours.map(told), error ? [told(error.toJSON())] : [], text)
    }
  })
})

describe('validation', () => {
  test(`${documents.length} documents: the same are valid, and what is wrong is the same`, async () => {
    let valid = 0
    for (let i = 0; i < documents.length; i += 10) {
      const ten = documents.slice(i, i + 10)
      const answers = await ask(ten.map((query) => ({ query })))
      ten.forEach((text, j) => { valid += compare(text, answers[j]) ? 1 : 0 })
    }
    // Of both there are many, or the comparison would say little.
    assert.ok(valid > 100 && documents.length - valid > 500, `${valid} of ${documents.length}`)
  })
})

describe('variables', () => {
  test('values that do not fit are told with their place', async () => {
    const rows = [
      ['query ($n: Int!) { indices(first: $n) { totalCount } }', {}, 'Variable "$n" of required type "Int!" was not provided.'],
      ['query ($n: Int!) { indices(first: $n) { totalCount } }', { n: null }, 'Variable "$n" of non-null type "Int!" must not be null.'],
      ['query ($n: Int) { indices(first: $n) { totalCount } }', { n: '1' }, 'Variable "$n" got invalid value "1"; Int cannot represent non-integer value: "1"'],
      ['query ($n: [String!]) { search(index: $n, first: 1) { totalCount } }', { n: ['a', 5] }, 'Variable "$n" got invalid value 5 at "n[1]"; String cannot represent a non string value: 5']
    ]
    for (const [query, variables, message] of rows) {
      const { errors, data } = await ask({ query, variables })
      assert.deepEqual(errors.map((one) => one.message), [message])
      assert.equal(data, undefined)
    }
  })
})
