// Documents of GraphQL for comparisons: valid ones, and ones that break each rule, made from parts so that the combinations
// are many. Every document stands for the schema that the server shows.

// Texts that have no meaning for any schema: only whether and where they break the grammar.
const texts = [
  '', '{', '}', '{}', '{ a', '{ a b: }', '{ a: }', '{ : a }', '{ a(', '{ a() }', '{ a(x) }', '{ a(x:) }', '{ a(x: }', '{ a(x: 1', '{ a(x: [1, }',
  '{ a(x: {y: 1 }', '{ a(x: {1: 1}) }', '{ a(x: $) }', '{ a(x: $1) }', '{ a @ }', '{ a @b( }', '{ ... }', '{ ...on }', '{ ... on T }', '{ ...on T { } }',
  '{ ...T', 'query', 'query {', 'query Q', 'query Q(', 'query Q() { a }', 'query ($a) { a }', 'query ($a:) { a }', 'query ($a: ) { a }', 'query ($a: [) { a }',
  'query ($a: [A) { a }', 'query ($a: A!!) { a }', 'query ($a: A = ) { a }', 'query ($a: A = $b) { a }', 'query ($a: A = [$b]) { a }', 'query (a: A) { a }',
  'fragment', 'fragment F', 'fragment F on', 'fragment F on T', 'fragment on on T { a }', 'fragment F T { a }', 'fragment F on on { a }',
  'mutation M { a } x', 'subscribe { a }', 'schema', 'schema { }', 'schema { query }', 'schema { query: }', 'schema { other: T }', 'scalar', 'type', 'type T {', 'type T { }',
  'type T { a }', 'type T { a: }', 'type T implements', 'type T implements A B { a: C }', 'type T implements A, B { a: C }', 'interface I { a: }', 'union U =', 'union U = |', 'union U = | |',
  'enum E { }', 'enum E { true }', 'enum E { null }', 'input I { }', 'input I { a }', 'directive @', 'directive @d', 'directive @d on', 'directive @d on NOWHERE', 'directive @d on FIELD |',
  'extend', 'extend type T', 'extend schema', 'extend directive @d on FIELD', 'extend query', '"a" { a }', '"a" query { a }', '"a" extend type T { a: B }', '"a"', '"""a""" fragment F on T { a }',
  '"unterminated', '"a\nb"', '"\\q"', '"\\u12"', '"\\uD800"', '"\\uDC00"', '"\\uD800\\u0041"', '"\\u{}"', '"\\u{110000}"', '"\\u{D800}"', '"""unterminated', '""" \\""" ',
  '{ a(x: 01) }', '{ a(x: -) }', '{ a(x: 1.) }', '{ a(x: .5) }', '{ a(x: 1e) }', '{ a(x: 1e+) }', '{ a(x: 1.5.5) }', '{ a(x: 1a) }', '{ a(x: 0x1) }', '{ a(x: 1_) }', '{ a(x: -a) }',
  "{ a(x: 'y') }", '{ a & b }', '{ a ? b }', '{ a. }', '{ a.. }', '{ a ..b }', '{ ä }', '{ a(x: "ä" y) z: }', '{ \u0007 }', '# only a comment', ' ,,, ', '\ufeff{', '{ a } %', '{ a(x: "😀") b: }'
]

// Valid grammar, for parsers to agree about; what it means is looked at below.
const grammar = [
  '{ a }', '{ a, b c }', 'query { a }', 'query Q { a }', 'mutation M { a }', 'subscription S { a }', '{ a: b }', '{ on: on }', '{ query mutation fragment }', '{ true: null }',
  'query on { a }', 'query query($query: query) { query }', '{ a(x: 1, y: -1.5e-3, z: "s") }', '{ a(x: [1 2, [3]]) }', '{ a(x: {y: {z: []}}) }', '{ a(x: ENUM, y: null, z: true) }',
  '{ a(x: """ block \\""" " \\n """) }', '{ a(x: "\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9") }', '{ a @b @c(d: 1) { e } }', '{ ...F @a ... @b { c } ... on T @d { e } }',
  'query ($a: [[T!]!]! = [[1]] @d, $b: U = {x: 1}) @e { a }', 'fragment F on T @a { b }', 'schema @a { query: Q mutation: M subscription: S }', '"d" schema { query: Q }',
  'scalar S @a', 'type T', 'type T @a { b: C }', 'type T implements A & B { c: D }', 'type T implements & A { c: D }', '"""d""" type T { "d" a("d" b: C = 1 @e, f: [G!]!): H @i }', 'interface I implements J { a: B }',
  'union U = A | B', 'union U = | A', 'union U @a', 'enum E @a { "d" A @b C on type }', 'input I @a { "d" b: C = {d: 1} @e }', 'directive @d(a: B = 1) repeatable on | QUERY | FIELD', 'directive @d on ENUM',
  'extend schema @a', 'extend schema { mutation: M }', 'extend scalar S @a', 'extend type T implements I', 'extend type T @a', 'extend interface I { a: B }', 'extend union U = C', 'extend enum E { D }', 'extend input I { e: F }'
]

const scalarValues = ['1', '-1', '1.5', '"text"', 'true', 'null', 'ENUM', '[1]', '["a", "b"]', '{a: 1}', '99999999999', '$known', '$unknown', '"""block"""']
const targets = ['node(id: V) { id }', 'index(name: V) { name }', 'indices(pattern: V, first: 1) { totalCount }', 'indices(first: V) { totalCount }', 'search(index: V, first: 1) { totalCount }',
  'search(first: V, query: {match: {a: V}}) { totalCount }', 'rateLimit(dryRun: V) { cost }', 'apiKeys(owner: V, first: 1) { totalCount }', 'infer(endpoint: "e", input: V)', 'count(index: V, body: V)']

// With every type of variable, in every place, whether it is used, defined and allowed there.
const variableTypes = ['String', 'String!', '[String]', '[String!]', 'Int', 'Int!', 'Boolean', 'Boolean!', 'ID!', 'JSON', 'Nope', 'Index', '[Index!]!', 'Health']

function * values () {
  for (const target of targets) {
    for (const value of scalarValues) {
      const document = target.replaceAll('V', value)
      yield value.startsWith('$known') ? `query ($known: String) { ${document} }` : `{ ${document} }`
    }
    for (const type of variableTypes) {
      yield `query Q($v: ${type}) { ${target.replaceAll('V', '$v')} }`
      yield `query ($v: ${type} = null) { ${target.replaceAll('V', '$v')} }`
      yield `query ($v: ${type} = "x", $unused: ${type}) { ${target.replaceAll('V', '$v')} ${target.replaceAll('V', '"y"')} }`
    }
  }
}

const selections = [
  'viewer { username }', 'viewer', 'viewer { nope }', 'viewer { username { length } }', 'nope', 'nope { deeper(x: $y) { still } }', 'indices(first: 1) { nodes { name health } }', 'indices { nodes { name } }',
  'index { name }', 'index(nope: 1) { name }', 'index(name: "a", name: "b") { name }', 'index(name: "a") { search(first: 1) { nodes { score } } }', 'index(name: "a") { search { nodes { score } } }',
  'node(id: "x") { id ... on Index { name } }', 'node(id: "x") { name }', 'node(id: "x") { ... on Hit { id } }', 'node(id: "x") { ... on Nope { id } }', 'node(id: "x") { ... on Health { id } }', 'node(id: "x") { ... { id } }',
  'viewer { ... on Index { name } }', 'viewer { ... on Node { id } }', 'viewer { ... on Viewer { username } }', '__typename', '__schema { queryType { name } }', '__type(name: "Index") { name }', '__type { name }',
  'viewer { __typename __schema { queryType { name } } }', 'limits { resource limit }', 'limits', 'clusterHealth', 'clusterHealth { status }', 'clusterHealth(nope: 1)'
]
const directives = ['@skip(if: true)', '@include(if: false)', '@skip', '@include(if: 1)', '@skip(if: null)', '@skip(if: $b)', '@skip(unless: true)', '@nope', '@skip(if: true) @skip(if: false)', '@deprecated', '@skip(if: true, if: false)']

function * shapes () {
  for (const one of selections) {
    yield `{ ${one} }`
    yield `query A { ${one} } query B { ${one} }`
    yield `query A { ...F } fragment F on Query { ${one} }`
    yield `{ ...F } fragment F on Query { ${one} ...G } fragment G on Query { viewer { username } }`
    yield `mutation { ${one} }`
    for (const directive of directives) yield `query ($b: Boolean = true) { ${one.replace(/^(\w+)(\([^)]*\))?/, `$1$2 ${directive}`)} }`
  }
}

// Two fields of one response name: every pair of these stands once side by side, once one level down, once in a fragment.
const fields = ['name', 'x: name', 'x: uuid', 'x: health', 'x: bytes', 'x: documentCount', 'x: count', 'x: count(query: {a: 1})', 'x: count(query: {a: 2})', 'x: search(first: 1) { took }', 'x: search(first: 1) { took: maxScore }',
  'x: search(first: 2) { took }', 'x: document(id: "1") { id }', 'x: document(id: 1) { id }', 'x: mappings', 'x: __typename']

function * overlaps () {
  for (const [i, a] of fields.entries()) {
    for (const b of fields.slice(i)) {
      yield `{ index(name: "a") { ${a} ${b} } }`
      yield `{ i: index(name: "a") { ${a} } i: index(name: "a") { ${b} } }`
      yield `{ index(name: "a") { ${a} ...F } } fragment F on Index { ${b} }`
      yield `{ node(id: "x") { ... on Index { ${a} } ... on Connector { x: name } ... on Index { ${b} } } }`
    }
  }
}

const wholes = [
  '{ ...F } fragment F on Query { ...F }', '{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }', '{ ...F } fragment F on Query { ...G } fragment G on Query { ...H } fragment H on Query { ...F viewer { username } }',
  '{ ...F } fragment F on Query { ...G ...H } fragment G on Query { ...F } fragment H on Query { ...F }', '{ viewer { username } } fragment F on Viewer { username }', '{ viewer { ...F } } fragment F on Viewer { username } fragment F on Viewer { roles }',
  '{ viewer { ...Nope } }', '{ viewer { username } } { viewer { username } }', 'query A { viewer { username } } { viewer { username } }', 'query A { viewer { username } } mutation A { nope }', 'query A { viewer { username } } query A { limits { limit } } query A { viewer { roles } }',
  'query ($a: Int, $a: Int) { indices(first: $a) { totalCount } }', 'query A($a: Int) { ...F } query B { ...F } fragment F on Query { indices(first: $a) { totalCount } }', 'query ($a: String!) { ...F } fragment F on Query { index(name: $a) { ...G } } fragment G on Index { document(id: $a) { id } }',
  'fragment F on Health { x } { ...F }', 'fragment F on Nope { x } { ...F }', 'fragment F on Viewer @skip(if: true) { username } { viewer { ...F } }', '{ viewer { ...F @include(if: true) } } fragment F on Viewer { username }',
  'query @skip(if: true) { viewer { username } }', 'query ($a: Int @deprecated) { indices(first: $a) { totalCount } }', 'query ($a: Int = 5, $b: Int = "x", $c: [Int] = [1, "y"]) { a: indices(first: $a) { totalCount } b: indices(first: $b) { totalCount } c: count(body: $c) }',
  '{ search(first: 1, body: {a: 1, a: 2, b: {c: 1, c: 2}}) { totalCount } }', '{ search(first: 1, sort: [{a: 1, a: 2}]) { totalCount } }', 'query ($a: String) { search(first: 1, sort: [$a]) { totalCount } }', 'query ($a: String) { search(first: 1, sort: {b: $a}) { totalCount } }'
]

export const syntax = [...texts, ...grammar]
export const documents = [...new Set([...values(), ...shapes(), ...overlaps(), ...wholes])]
