// Search UI's connector, unmodified: searches, facets and what is shown while somebody types.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client } from '@elastic/elasticsearch'
import { SearchDriver } from '@elastic/search-ui'
import Connector from '@elastic/search-ui-elasticsearch-connector'
import { BOOKS, shelve } from './books.mjs'
import { startCairn } from './server.mjs'

let cairn, client

const searchQuery = {
  search_fields: { title: { weight: 3 }, about: {} },
  result_fields: { title: { snippet: {} }, author: { raw: {} }, about: { snippet: {} }, year: { raw: {} } },
  facets: {
    tags: { type: 'value', size: 10 },
    'author.keyword': { type: 'value', size: 3, sort: 'value' },
    year: {
      type: 'range',
      ranges: [{ from: 1800, to: 1849, name: 'early' }, { from: 1850, to: 1879, name: 'middle' }, { from: 1880, name: 'late' }]
    },
    published: {
      type: 'range',
      ranges: [{ from: '1890-01-01', to: '1899-12-31T23:59:59Z', name: 'nineties' }, { to: '1890-01-01||-1d', name: 'before' }]
    }
  }
}
const connector = (more = {}) => new Connector({ host: cairn.api, apiKey: cairn.adminKey, index: 'books', ...more })
const search = (state, more = {}, using = connector()) =>
  using.onSearch({ current: 1, resultsPerPage: 20, filters: [], sortList: [], ...state }, { ...searchQuery, ...more })
const ids = ({ results }) => results.map((each) => each.id.raw)
const idsWhere = (wanted) => BOOKS.filter(wanted).map((book) => book.id)
const facet = (answer, field) => Object.fromEntries(answer.facets[field][0].data.map(({ value, count }) => [value.name ?? value, count]))
const countsOf = (books) => books.flatMap((book) => book.tags).reduce((out, tag) => ({ ...out, [tag]: (out[tag] ?? 0) + 1 }), {})

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
  await shelve(client, 'books')
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('onSearch: words in any of the fields, all of them, or as a phrase', async () => {
  const found = await search({ searchTerm: 'war' })
  assert.deepEqual(ids(found).sort(), ['b05', 'b09'])
  assert.deepEqual([found.totalResults, found.totalPages, found.resultSearchTerm], [2, 1, 'war'])
  assert.deepEqual(ids(await search({ searchTerm: 'moby whale' })), ['b06'])
  assert.deepEqual(ids(await search({ searchTerm: 'centre of the ea' }))[0], 'b03')
  assert.deepEqual(ids(await search({ searchTerm: 'frankenstien' })), [])
  assert.deepEqual(ids(await search({ searchTerm: 'frankenstien' }, { fuzziness: true })), ['b08'])
})

test('onSearch: fields as they are and with the words marked', async () => {
  const { results: [hit] } = await search({ searchTerm: 'dracula' })
  assert.equal(hit.title.raw, 'Dracula')
  assert.deepEqual(hit.title.snippet, ['<em>Dracula</em>'])
  assert.deepEqual(hit.year, { raw: 1897 })
  assert.equal(hit.about.snippet, undefined)
  assert.equal(hit.price, undefined)
  assert.equal(hit._meta.id, 'b07')
})

test('onSearch: pages and sorting', async () => {
  const pages = []
  for (const current of [1, 2, 3]) pages.push(await search({ current, resultsPerPage: 4, sortField: 'year', sortDirection: 'asc' }))
  assert.deepEqual(pages.flatMap(ids), [...BOOKS].sort((a, b) => a.year - b.year).map((book) => book.id))
  assert.deepEqual(pages.map((page) => [page.pagingStart, page.pagingEnd, page.totalPages]), [[1, 4, 3], [5, 8, 3], [9, 10, 3]])
  const sorted = await search({ sortList: [{ field: 'author.keyword', direction: 'desc' }, { field: 'year', direction: 'asc' }] })
  assert.deepEqual(ids(sorted).slice(0, 3), ['b10', 'b08', 'b09'])
  assert.deepEqual(ids(sorted).slice(3, 6), ['b03', 'b01', 'b02'])
})

test('onSearch: facets of values, of ranges of numbers and of dates', async () => {
  const all = await search({})
  assert.deepEqual(facet(all, 'tags'), countsOf(BOOKS))
  assert.deepEqual(all.facets['author.keyword'][0].data.map(({ value }) => value), ['Bram Stoker', 'H. G. Wells', 'Herman Melville'])
  assert.deepEqual(facet(all, 'year'), { early: 1, middle: 5, late: 4 })
  assert.deepEqual(all.facets.year[0].data[0].value, { name: 'early', from: 1800, to: 1849 })
  assert.deepEqual(facet(all, 'published'), { nineties: 3, before: 7 })
  const words = await search({ searchTerm: 'sea' })
  assert.deepEqual(facet(words, 'tags'), countsOf(BOOKS.filter((book) => ids(words).includes(book.id))))
})

test('onSearch: values of a facet that are wanted, and those that are not', async () => {
  const only = (more) => search({}, { facets: { tags: { type: 'value', size: 10, sort: 'value', ...more } } })
  assert.deepEqual(Object.keys(facet(await only({ include: ['war', 'sea'] }), 'tags')), ['sea', 'war'])
  assert.deepEqual(Object.keys(facet(await only({ exclude: ['war', 'sea'] }), 'tags')), ['adventure', 'horror', 'science', 'travel'])
  assert.deepEqual(Object.keys(facet(await only({ include: 's.*', exclude: ['sea'] }), 'tags')), ['science'])
})

test('onSearch: filters of facets, of any, all and none of their values', async () => {
  const values = (type, ...given) => [{ field: 'tags', values: given, type }]
  const any = await search({ filters: values('any', 'sea', 'war') })
  assert.deepEqual(ids(any).sort(), idsWhere(({ tags }) => tags.includes('sea') || tags.includes('war')))
  const all = await search({ filters: values('all', 'sea', 'adventure') })
  assert.deepEqual(ids(all).sort(), idsWhere(({ tags }) => tags.includes('sea') && tags.includes('adventure')))
  const none = await search({ filters: values('none', 'adventure') })
  assert.deepEqual(ids(none).sort(), idsWhere(({ tags }) => !tags.includes('adventure')))
  const range = await search({ filters: [{ field: 'year', values: ['late'], type: 'all' }] })
  assert.deepEqual(ids(range).sort(), idsWhere(({ year }) => year >= 1880))
  const dates = await search({ filters: [{ field: 'published', values: ['nineties'], type: 'any' }] })
  assert.deepEqual(ids(dates).sort(), ['b04', 'b05', 'b07'])
  const own = await search({ filters: [{ field: 'price', values: [{ from: 9, to: 11 }], type: 'all' }] })
  assert.deepEqual(ids(own).sort(), idsWhere(({ price }) => price >= 9 && price <= 11))
  const fixed = await search({ searchTerm: 'sea' }, { filters: [{ field: 'tags', values: ['travel'], type: 'all' }] })
  assert.deepEqual(ids(fixed), ['b03'])
})

test('onSearch: a facet with several choices counts as if none of its own was made', async () => {
  const filters = [{ field: 'tags', values: ['sea'], type: 'all' }, { field: 'year', values: ['middle'], type: 'all' }]
  const narrowed = await search({ filters })
  assert.deepEqual(facet(narrowed, 'tags'), { adventure: 2, sea: 2 })
  const disjunctive = await search({ filters }, { disjunctiveFacets: ['tags'] })
  assert.deepEqual(ids(disjunctive).sort(), ['b01', 'b06'])
  assert.deepEqual(facet(disjunctive, 'tags'), countsOf(BOOKS.filter(({ year }) => year >= 1850 && year < 1880)))
  assert.deepEqual(facet(disjunctive, 'year'), { early: 0, middle: 2, late: 0 })
})

test('onSearch: a query of one\'s own, and a request that is changed on its way', async () => {
  const nearest = connector({ getQueryFn: () => ({ knn: { field: 'vector', query_vector: [1, 0], k: 3, num_candidates: 10 } }) })
  assert.deepEqual(ids(await search({ searchTerm: 'sea' }, {}, nearest)).sort(), idsWhere(({ tags }) => tags.includes('sea')))
  const changed = connector({
    interceptSearchRequest: ({ requestBody }, next) => next({ ...requestBody, query: { term: { year: 1818 } }, track_total_hits: true })
  })
  assert.deepEqual(ids(await search({ searchTerm: 'anything' }, {}, changed)), ['b08'])
})

const typing = {
  results: {
    resultsPerPage: 3,
    search_fields: { typed: { weight: 2 }, 'typed._2gram': {}, 'typed._3gram': {} },
    result_fields: { title: { snippet: { size: 100, fallback: true }, raw: {} }, typed: { snippet: {} } }
  },
  suggestions: {
    types: {
      authors: {
        queryType: 'results', index: 'books', search_fields: { author: {} }, result_fields: { author: { raw: {} } }
      }
    },
    size: 4
  }
}

test('onAutocomplete: results and suggestions that are documents', async () => {
  const { autocompletedResults, autocompletedSuggestions } = await connector().onAutocomplete({ searchTerm: 'jou' }, typing)
  assert.deepEqual(autocompletedResults.map((each) => each.title.raw), ['Journey to the Centre of the Earth'])
  assert.deepEqual(autocompletedSuggestions.authors, [])
  const more = await connector().onAutocomplete({ searchTerm: 'journey to the cen' }, typing)
  assert.match(more.autocompletedResults[0].typed.snippet[0], /^<em>Journey<\/em> <em>to<\/em> <em>the<\/em> /)
  const words = await connector().onAutocomplete({ searchTerm: 'jules v' }, typing)
  assert.equal(words.autocompletedResults.length, 0)
  const authors = words.autocompletedSuggestions.authors
  assert.deepEqual(new Set(authors.map((each) => each.queryType)), new Set(['results']))
  assert.deepEqual(authors.map((each) => each.result.author.raw), Array(3).fill('Jules Verne'))
  const second = await connector().onAutocomplete({ searchTerm: 'around the wor' }, typing)
  assert.equal(second.autocompletedResults[0].id.raw, 'b02')
  const slips = await connector().onAutocomplete({ searchTerm: 'tresure isl' }, { results: { ...typing.results, fuzziness: true } })
  assert.equal(slips.autocompletedResults[0].id.raw, 'b10')
  const filtered = await connector().onAutocomplete({ searchTerm: 'the' }, {
    results: { ...typing.results, filters: [{ field: 'tags', values: ['science'], type: 'all' }] }
  })
  assert.deepEqual(filtered.autocompletedResults.map((each) => each.id.raw).sort(), ['b04', 'b05'])
})

test('onAutocomplete: suggestions of completion fields', async () => {
  await client.indices.create({ index: 'titles', mappings: { properties: { title: { type: 'completion' }, author: { type: 'completion' } } } })
  await client.helpers.bulk({ datasource: BOOKS, refreshOnCompletion: true, onDocument: () => ({ index: { _index: 'titles' } }) })
  const asks = connector({ index: 'titles' })
  const typed = async (searchTerm, fields) => {
    const answer = await asks.onAutocomplete({ searchTerm }, { suggestions: { types: { documents: { fields } }, size: 4 } })
    return answer.autocompletedSuggestions.documents.map((each) => each.suggestion)
  }
  assert.deepEqual(await typed('jou', ['title']), ['Journey to the Centre of the Earth'])
  assert.deepEqual(await typed('juels v', ['author']), ['Jules Verne'])
  assert.deepEqual(await typed('xyz', ['title', 'author']), [])
})

test('facets by distance are refused in words', async () => {
  const heard = []
  const asks = connector({
    interceptSearchRequest: async ({ requestBody }, next) => {
      heard.push(await next(requestBody))
      return heard.at(-1)
    }
  })
  const place = { type: 'range', center: '1,2', unit: 'km', ranges: [{ from: 0, to: 100, name: 'near' }] }
  await assert.rejects(search({}, { facets: { place } }, asks))
  assert.equal(heard[0].status, 400)
  assert.match(heard[0].error.root_cause[0].reason, /geo_distance/)
})

test('the driver of Search UI: typed, narrowed, paged', async () => {
  const driver = new SearchDriver({
    apiConnector: connector(), searchQuery: { ...searchQuery, resultsPerPage: 2 }, autocompleteQuery: typing,
    trackUrlState: false, alwaysSearchOnInitialLoad: true, initialState: { resultsPerPage: 2, sortField: 'year', sortDirection: 'asc' }
  })
  const state = (wanted) => new Promise((resolve) => {
    const look = (now) => {
      if (now.isLoading || !wanted(now)) return
      driver.unsubscribeToStateChanges(look)
      resolve(now)
    }
    driver.subscribeToStateChanges(look)
    look(driver.getState())
  })
  const first = await state((now) => now.wasSearched)
  assert.deepEqual(ids(first), ['b08', 'b06'])
  assert.equal(first.totalResults, BOOKS.length)
  driver.getActions().setSearchTerm('war', { shouldClearFilters: true })
  assert.deepEqual(ids(await state((now) => now.resultSearchTerm === 'war')), ['b09', 'b05'])
  driver.getActions().addFilter('tags', 'science')
  assert.deepEqual(ids(await state((now) => now.totalResults === 1)), ['b05'])
  driver.getActions().clearFilters()
  driver.getActions().setSearchTerm('')
  await state((now) => now.totalResults === BOOKS.length)
  driver.getActions().setCurrent(2)
  assert.deepEqual(ids(await state((now) => now.pagingStart === 3)), ['b03', 'b09'])
  driver.getActions().setSearchTerm('trea', { autocompleteResults: true, autocompleteSuggestions: true, refresh: false })
  const typed = await state((now) => now.autocompletedResults.length > 0)
  assert.deepEqual(typed.autocompletedResults.map((each) => each.title.raw), ['Treasure Island'])
  driver.tearDown()
})
