// Searchkit, unmodified: its requests for InstantSearch against real documents.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client } from '@elastic/elasticsearch'
import createApi from '@searchkit/api'
import Searchkit from 'searchkit'
import { BOOKS, shelve } from './books.mjs'
import { startCairn } from './server.mjs'

let cairn, client, settings

const searchkit = (more = {}) => new Searchkit({
  connection: { host: cairn.api, apiKey: cairn.adminKey },
  search_settings: { ...settings, ...more }
})
// The result of one request of InstantSearch.
async function ask (params, { more, options, index = 'books' } = {}) {
  const { results } = await searchkit(more).handleInstantSearchRequests([{ indexName: index, params }], options)
  return results[0]
}
const ids = (result) => result.hits.map((hit) => hit.objectID)
const idsWhere = (wanted) => BOOKS.filter(wanted).map((book) => book.id)

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
  await shelve(client, 'books')
  settings = {
    search_attributes: [{ field: 'title', weight: 3 }, 'about'],
    result_attributes: ['title', 'author', 'year', 'tags'],
    highlight_attributes: ['title'],
    snippet_attributes: ['about:60'],
    facet_attributes: [
      'tags',
      { attribute: 'author', field: 'author.keyword', type: 'string' },
      { attribute: 'price', field: 'price', type: 'numeric' }
    ],
    filter_attributes: [{ attribute: 'year', field: 'year', type: 'numeric' }],
    sorting: {
      default: { field: '_score', order: 'desc' },
      _year_asc: { field: 'year', order: 'asc' },
      _dear_first: [{ field: 'price', order: 'desc' }, { field: 'title.keyword', order: 'asc' }]
    }
  }
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('no words: every document, a page of them, and how many pages', async () => {
  const first = await ask({ query: '', hitsPerPage: 4, page: 0 })
  assert.deepEqual([first.nbHits, first.nbPages, first.page, first.hitsPerPage], [10, 3, 0, 4])
  const pages = [first, await ask({ query: '', hitsPerPage: 4, page: 1 }), await ask({ query: '', hitsPerPage: 4, page: 2 })]
  assert.deepEqual(pages.map((page) => page.hits.length), [4, 4, 2])
  assert.deepEqual(pages.flatMap(ids).sort(), BOOKS.map((book) => book.id))
  const { title, author, year, tags, about } = first.hits.find((hit) => hit.objectID === 'b01') ?? pages[1].hits[0]
  assert.ok(title && author && year && tags)
  assert.equal(about, undefined)
  assert.equal((await ask({ query: '', hitsPerPage: 0 })).hits.length, 0)
})

test('words: title before text, the beginning of a word, a slip of the pen', async () => {
  assert.equal(ids(await ask({ query: 'war' }))[0], 'b09')
  assert.deepEqual(ids(await ask({ query: 'war' })).sort(), ['b05', 'b09'])
  assert.deepEqual(ids(await ask({ query: 'frank' })), ['b08'])
  assert.deepEqual(ids(await ask({ query: 'machyne' })), ['b04'])
  assert.deepEqual(ids(await ask({ query: 'nothing like this' })).filter((id) => id === 'b10'), [])
  assert.equal((await ask({ query: 'zzzzzz' })).nbHits, 0)
})

test('highlights and snippets are marked as InstantSearch asks', async () => {
  const { hits: [hit] } = await ask({ query: 'whale moby', highlightPreTag: '__ais-highlight__', highlightPostTag: '__/ais-highlight__' })
  assert.equal(hit.objectID, 'b06')
  assert.deepEqual(hit._highlightResult.title, {
    fullyHighlighted: false, matchLevel: 'full', matchedWords: ['Moby'], value: '__ais-highlight__Moby__/ais-highlight__ Dick'
  })
  assert.equal(hit._snippetResult.about.matchedWords[0], 'whale')
  assert.match(hit._snippetResult.about.value, /the white __ais-highlight__whale__\/ais-highlight__ across/)
  const { hits: [plain] } = await ask({ query: 'whale' })
  assert.deepEqual(plain._highlightResult.title, { matchLevel: 'none', matchedWords: [], value: 'Moby Dick' })
})

test('facets: values with their counts, figures of numbers', async () => {
  const { facets, facets_stats: stats } = await ask({ query: '', facets: ['*'], maxValuesPerFacet: 20 })
  const counted = {}
  for (const book of BOOKS) for (const tag of book.tags) counted[tag] = (counted[tag] ?? 0) + 1
  assert.deepEqual(facets.tags, counted)
  assert.equal(facets.author['Jules Verne'], 3)
  assert.equal(facets.price['9'], 1)
  const prices = BOOKS.map((book) => book.price)
  const sum = prices.reduce((a, b) => a + b)
  assert.deepEqual(stats.price, { min: Math.min(...prices), max: Math.max(...prices), sum, avg: sum / prices.length })
  const narrowed = await ask({ query: 'war', facets: ['author'] })
  assert.deepEqual(narrowed.facets, { author: { 'H. G. Wells': 1, 'Leo Tolstoy': 1 } })
  assert.deepEqual(Object.keys((await ask({ query: '', facets: 'tags', maxValuesPerFacet: 2 })).facets.tags), ['adventure', 'science'])
})

test('filters: of facets, of numbers, and in words', async () => {
  const sea = await ask({ query: '', facetFilters: [['tags:sea', 'tags:war'], 'author:Herman Melville'] })
  assert.deepEqual(ids(sea), ['b06'])
  const either = await ask({ query: '', facetFilters: [['tags:sea', 'tags:war']] })
  assert.deepEqual(ids(either).sort(), idsWhere(({ tags }) => tags.includes('sea') || tags.includes('war')))
  const numbers = await ask({ query: '', numericFilters: ['year >= 1870', 'price<10'] })
  assert.deepEqual(ids(numbers).sort(), idsWhere(({ year, price }) => year >= 1870 && price < 10))
  const range = await ask({ query: '', numericFilters: ['year:1864 TO 1872', 'year!=1869'] })
  assert.deepEqual(ids(range).sort(), ['b01', 'b02', 'b03'])
  const exactly = await ask({ query: '', numericFilters: ['year = 1895'] })
  assert.deepEqual(ids(exactly), ['b04'])
  const words = await ask({ query: '', filters: 'author:"H. G. Wells" AND NOT tags:war' })
  assert.deepEqual(ids(words), ['b04'])
  const base = await ask({ query: '' }, { options: { getBaseFilters: () => [{ range: { year: { lt: 1852 } } }] } })
  assert.deepEqual(ids(base).sort(), ['b06', 'b08'])
})

test('sorted: the name of the index says how', async () => {
  const years = await ask({ query: '', hitsPerPage: 20 }, { index: 'books_year_asc' })
  assert.deepEqual(ids(years), [...BOOKS].sort((a, b) => a.year - b.year).map((book) => book.id))
  const dear = await ask({ query: '', hitsPerPage: 3 }, { index: 'books_dear_first' })
  assert.deepEqual(ids(dear), ['b09', 'b06', 'b01'])
})

test('values of a facet are searched', async () => {
  const all = await ask({ facetName: 'author', maxFacetHits: 10, facetQuery: '' })
  assert.deepEqual([all.facetHits.length, all.facetHits[0].value, all.facetHits[0].count], [7, 'Jules Verne', 3])
  const some = await ask({ facetName: 'author', facetQuery: 'h' })
  assert.deepEqual(some.facetHits.map((each) => [each.value, each.count]), [['H. G. Wells', 2], ['Herman Melville', 1]])
  const words = await ask({ facetName: 'author', facetQuery: 'melv', highlightPreTag: '<b>', highlightPostTag: '</b>' })
  assert.deepEqual(words.facetHits.map((each) => each.value), ['Herman Melville'])
  assert.equal(words.facetHits[0].highlighted, 'Herman <b>Melv</b>ille')
})

test('rules: pinned, boosted, rewritten, filtered', async () => {
  const rule = (value, actions) => ({
    id: value, conditions: [[{ context: 'query', value, match_type: 'exact' }]], actions
  })
  const more = {
    query_rules: [
      rule('pinned', [{ action: 'PinnedResult', documentIds: ['b10', 'b08'] }, { action: 'QueryRewrite', query: 'war' }]),
      rule('rewritten', [{ action: 'QueryRewrite', query: 'dracula' }]),
      rule('war', [{ action: 'QueryBoost', query: 'author:"H. G. Wells"', weight: 100 }]),
      rule('ship', [{ action: 'QueryFilter', query: 'tags:horror' }, { action: 'RenderUserData', userData: '{"banner":1}' }])
    ]
  }
  const pinned = await ask({ query: 'pinned' }, { more })
  assert.deepEqual(ids(pinned), ['b10', 'b08', 'b09', 'b05'])
  assert.deepEqual(pinned.appliedRules, ['pinned'])
  assert.deepEqual(ids(await ask({ query: 'rewritten' }, { more })), ['b07'])
  assert.deepEqual(ids(await ask({ query: 'war' }, { more })), ['b05', 'b09'])
  const ship = await ask({ query: 'ship' }, { more })
  assert.deepEqual(ids(ship), ['b07'])
  assert.deepEqual(ship.userData, [{ banner: 1 }])
})

test('several requests at once, each with its own answer', async () => {
  const { results } = await searchkit().handleInstantSearchRequests([
    { indexName: 'books', params: { query: 'whale', hitsPerPage: 1 } },
    { indexName: 'books_year_asc', params: { query: '', hitsPerPage: 1, facets: ['tags'] } },
    { indexName: 'books', params: { facetName: 'tags', facetQuery: 'h' } }
  ])
  assert.deepEqual(results.slice(0, 2).map(ids), [['b06'], ['b08']])
  assert.deepEqual(results[2].facetHits.map((each) => each.value), ['horror'])
})

test('by meaning: nearest vectors alone and with filters, a query of one\'s own', async () => {
  const options = {
    getQuery: () => false,
    getKnnQuery: () => ({ field: 'vector', query_vector: [1, 0], k: 3, num_candidates: 10 })
  }
  assert.deepEqual(ids(await ask({ query: 'sea' }, { options })).sort(), idsWhere(({ tags }) => tags.includes('sea')))
  const filtered = await ask({ query: 'sea', facetFilters: ['author:Jules Verne'] }, { options })
  assert.deepEqual(ids(filtered).sort(), ['b01', 'b02', 'b03'])
  assert.equal(ids(filtered)[0], 'b01')
  const own = await ask({ query: 'x' }, { options: { getQuery: () => ({ match_phrase: { title: 'war and peace' } }) } })
  assert.deepEqual(ids(own), ['b09'])
  const semantic = await client.indices.create({
    index: 'meant', mappings: { properties: { about: { type: 'semantic_text' }, title: { type: 'text' } } }
  })
  assert.equal(semantic.acknowledged, true)
  await client.bulk({ index: 'meant', refresh: true, operations: BOOKS.flatMap(({ id, title, about }) => [{ index: { _id: id } }, { title, about }]) })
  const meant = await ask({ query: 'vessel of the deep' }, {
    index: 'meant', options: { getQuery: (query) => ({ semantic: { field: 'about', query } }) }, more: { sorting: {}, snippet_attributes: [] }
  })
  assert.equal(meant.nbHits, BOOKS.length)
  assert.ok(['b01', 'b06'].includes(ids(meant)[0]), ids(meant))
})

test('by words and by meaning: a hook sends a retriever', async () => {
  const beforeSearch = async (requests) => requests.map(({ body: { query, aggs, size, _source }, ...request }) => ({
    ...request,
    body: {
      aggs, size, _source,
      retriever: { rrf: { retrievers: [{ standard: { query } }, { knn: { field: 'vector', query_vector: [0, 1], k: 3, num_candidates: 10 } }] } }
    }
  }))
  const both = await ask({ query: 'dracula', facets: ['tags'] }, { options: { hooks: { beforeSearch } } })
  // Each list has one first; the science of the vector's list comes behind.
  assert.deepEqual(new Set(ids(both).slice(0, 2)), new Set(['b07', ids(both).find((id) => ['b04', 'b05', 'b08'].includes(id))]))
  assert.deepEqual(ids(both).sort(), ['b04', 'b05', 'b07', 'b08'])
  assert.equal(both.facets.tags.science, 3)
})

test('facets and filters of nested objects count each object for itself', async () => {
  const shops = { type: 'nested', properties: { city: { type: 'keyword' }, kind: { type: 'keyword' } } }
  await client.indices.create({ index: 'chains', mappings: { properties: { name: { type: 'text' }, shops } } })
  const chains = {
    c1: [['Rome', 'books'], ['Paris', 'tea']],
    c2: [['Rome', 'tea'], ['Rome', 'books']],
    c3: [['Oslo', 'tea']]
  }
  for (const [id, list] of Object.entries(chains))
    await client.index({ index: 'chains', id, refresh: true, document: { name: 'chain', shops: list.map(([city, kind]) => ({ city, kind })) } })
  const more = {
    search_attributes: ['name'],
    result_attributes: ['name'],
    highlight_attributes: [],
    snippet_attributes: [],
    sorting: {},
    facet_attributes: ['city', 'kind'].map((field) => ({ attribute: field, field, type: 'string', nestedPath: 'shops' }))
  }
  const all = await ask({ query: 'chain', facets: ['city', 'kind'] }, { more, index: 'chains' })
  assert.deepEqual(all.facets, { city: { Rome: 3, Oslo: 1, Paris: 1 }, kind: { tea: 3, books: 2 } })
  const rome = await ask({ query: '', facetFilters: ['city:Rome'], facets: ['kind'] }, { more, index: 'chains' })
  assert.deepEqual(ids(rome).sort(), ['c1', 'c2'])
})

test('fields that a request brings are facets', async () => {
  const source = "emit('' + doc['year'].value / 10 * 10)"
  const more = { runtime_mappings: { decade: { type: 'keyword', script: { source } } }, facet_attributes: ['decade'] }
  const decades = {}
  for (const { year } of BOOKS) {
    const decade = String(Math.trunc(year / 10) * 10)
    decades[decade] = (decades[decade] ?? 0) + 1
  }
  assert.deepEqual((await ask({ query: '', facets: ['decade'] }, { more })).facets, { decade: decades })
})

test('what Cairn has not is refused, and searchkit shows why', async (t) => {
  t.mock.method(console, 'error', () => {})
  const hybrid = { getKnnQuery: () => ({ field: 'vector', query_vector: [1, 0], k: 3, num_candidates: 10 }) }
  await assert.rejects(ask({ query: 'sea' }, { options: hybrid }), /\[rank\]/)
  await assert.rejects(ask({ query: '', aroundLatLng: '1,2' }, { more: { geo_attribute: 'place' } }), /unknown query \[geo_distance\]/)
  await assert.rejects(ask({ query: '' }, { index: 'absent' }), /index_not_found_exception/)
  const stranger = new Searchkit({ connection: { host: cairn.api, apiKey: 'YTpi' }, search_settings: settings })
  await assert.rejects(stranger.handleInstantSearchRequests([{ indexName: 'books' }]), /status 401/)
})

test('the API of searchkit hands a request of a browser on', async () => {
  const api = createApi({ connection: { host: cairn.api, apiKey: cairn.adminKey }, search_settings: settings })
  const { results } = await api.handleRequest([{ indexName: 'books', params: { query: 'treasure' } }])
  assert.deepEqual(ids(results[0]), ['b10'])
})
