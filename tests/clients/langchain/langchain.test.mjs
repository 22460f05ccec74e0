// LangChain's vector store, unmodified: documents with vectors, found by vector, filter and words.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { Client } from '@elastic/elasticsearch'
import { ElasticVectorSearch, HybridRetrievalStrategy } from '@langchain/community/vectorstores/elasticsearch'
import { Document } from '@langchain/core/documents'
import { Embeddings } from '@langchain/core/embeddings'
import { startCairn } from '../js/server.mjs'

// How often each of these words is in a text.
const WORDS = ['sea', 'ship', 'war', 'time', 'whale']
class CountedWords extends Embeddings {
  constructor () { super({}) }
  async embedQuery (text) {
    const words = text.toLowerCase().split(/\W+/)
    return WORDS.map((word) => 0.125 + words.filter((each) => each === word).length)
  }

  async embedDocuments (texts) { return Promise.all(texts.map((text) => this.embedQuery(text))) }
}

const DOCUMENTS = [
  ['a', 'A ship upon the sea, and below the sea', { kind: 'novel', year: 1870, tags: ['sea', 'travel'], loc: { page: 1 } }],
  ['b', 'A white whale in the sea', { kind: 'novel', year: 1851, tags: ['sea'], loc: { page: 2 } }],
  ['c', 'Years of war', { kind: 'history', year: 1869 }],
  ['d', 'A machine for time', { kind: 'story', year: 1895, draft: true }],
  ['e', 'War upon the sea, and a ship of war', { kind: 'history', year: 1900, tags: ['war'] }]
]
const embeddings = new CountedWords()
let cairn, client, store

const open = (more) => new ElasticVectorSearch(embeddings, { client, indexName: 'library', ...more })
const documentsOf = () => DOCUMENTS.map(([, pageContent, metadata]) => new Document({ pageContent, metadata }))
const idOf = (document) => DOCUMENTS.find(([, text]) => text === document.pageContent)[0]
const far = (a, b) => a.reduce((sum, x, i) => sum + (x - b[i]) ** 2, 0)
// What is nearest to a text, by hand.
async function nearest (text, scoreOf) {
  const query = await embeddings.embedQuery(text)
  const scored = await Promise.all(DOCUMENTS.map(async ([id, words]) => [id, scoreOf(query, await embeddings.embedQuery(words))]))
  return scored.sort((a, b) => b[1] - a[1])
}
async function find (filter, k = 10, of = store) {
  const found = await of.similaritySearchVectorWithScore(await embeddings.embedQuery('sea'), k, filter)
  return found.map(([document]) => idOf(document)).sort().join('')
}

before(async () => {
  cairn = await startCairn()
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
  store = open()
  assert.deepEqual(await store.addDocuments(documentsOf(), { ids: DOCUMENTS.map(([id]) => id) }), DOCUMENTS.map(([id]) => id))
})
after(async () => {
  await client?.close()
  await cairn?.stop()
})

test('addDocuments: the index is made as the store asks', async () => {
  const { library: { mappings } } = await client.indices.getMapping({ index: 'library' })
  assert.deepEqual(mappings.properties.embedding, {
    type: 'dense_vector', dims: WORDS.length, index: true, similarity: 'l2_norm',
    index_options: { type: 'hnsw', m: 16, ef_construction: 100 }
  })
  assert.equal(mappings.properties.text.type, 'text')
  assert.equal(mappings.properties.metadata.properties.year.type, 'long')
  assert.equal(mappings.properties.metadata.properties.loc.properties.page.type, 'long')
  assert.equal(mappings.dynamic_templates[0].metadata_except_loc.match, 'metadata.*')
  assert.equal((await client.count({ index: 'library' })).count, DOCUMENTS.length)
})

test('similaritySearchVectorWithScore: the nearest first, each with its score', async () => {
  for (const text of ['sea and ship', 'war', 'the time of war']) {
    const wanted = await nearest(text, (a, b) => 1 / (1 + far(a, b)))
    const found = await store.similaritySearchVectorWithScore(await embeddings.embedQuery(text), 5)
    assert.deepEqual(found.map(([document]) => idOf(document)), wanted.map(([id]) => id))
    for (const [i, [, score]] of found.entries()) assert.ok(Math.abs(score - wanted[i][1]) < 1e-5, score + ' ' + wanted[i])
  }
  const [[document]] = await store.similaritySearchVectorWithScore(await embeddings.embedQuery('whale'), 1)
  assert.deepEqual(document.metadata, DOCUMENTS[1][2])
})

test('similaritySearch, with scores, and as a retriever', async () => {
  assert.deepEqual((await store.similaritySearch('a time machine', 1)).map(idOf), ['d'])
  const [[document, score]] = await store.similaritySearchWithScore('whale in the sea', 1)
  assert.equal(idOf(document), 'b')
  assert.equal(score, 1)
  const retriever = store.asRetriever({ k: 2, filter: { kind: 'history' } })
  assert.deepEqual((await retriever.invoke('ship')).map(idOf).sort(), ['c', 'e'])
})

test('filters: by value, by operator, several at once', async () => {
  const by = (operator, field, value) => [{ operator, field, value }]
  assert.equal(await find(undefined), 'abcde')
  assert.equal(await find({ kind: 'novel' }), 'ab')
  assert.equal(await find({ kind: 'novel', year: 1851 }), 'b')
  assert.equal(await find(by('term', 'tags', 'sea')), 'ab')
  assert.equal(await find(by('terms', 'kind', ['story', 'history'])), 'cde')
  assert.equal(await find(by('match', 'kind', 'History')), 'ce')
  assert.equal(await find(by('range', 'year', { gte: 1869, lt: 1900 })), 'acd')
  assert.equal(await find(by('wildcard', 'kind', '*ory')), 'cde')
  assert.equal(await find(by('exists', 'tags')), 'abe')
  assert.equal(await find(by('not_exists', 'tags')), 'cd')
  assert.equal(await find(by('exclude', 'kind', 'novel')), 'cde')
  assert.equal(await find(by('exclude', 'kind', ['novel', 'story'])), 'ce')
  assert.equal(await find([...by('or', 'kind', 'story'), ...by('or', 'tags', 'war')]), 'de')
  assert.equal(await find([...by('exists', 'tags'), ...by('exclude', 'year', 1870), ...by('range', 'year', { lt: 1900 })]), 'b')
  assert.equal(await find({ draft: true }), 'd')
  assert.equal(await find({ 'loc.page': 2 }), 'b')
  // The nearest two of those that pass, not those that pass of the nearest two.
  assert.equal(await find({ kind: 'history' }, 2), 'ce')
})

test('other measures and indices of vectors', async () => {
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0)
  const cosine = (a, b) => (1 + dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))) / 2
  for (const engine of ['hnsw', 'int8_hnsw']) {
    const other = open({ indexName: 'cosine-' + engine, vectorSearchOptions: { similarity: 'cosine', engine, m: 8, efConstruction: 50, candidates: 20 } })
    await other.addDocuments(documentsOf())
    const wanted = await nearest('the ship', cosine)
    const found = await other.similaritySearchVectorWithScore(await embeddings.embedQuery('the ship'), 3)
    assert.equal(idOf(found[0][0]), wanted[0][0])
    for (const [document, score] of found) {
      const right = wanted.find(([id]) => id === idOf(document))[1]
      assert.ok(Math.abs(score - right) < (engine === 'hnsw' ? 1e-5 : 0.02), score + ' ' + right)
    }
  }
})

test('hybrid: words and vectors, put together by their ranks', async () => {
  const hybrid = open({ strategy: new HybridRetrievalStrategy({ rankWindowSize: 10, rankConstant: 20 }) })
  const text = 'machine of the sea'
  const words = (await client.search({ index: 'library', query: { match: { text } } })).hits.hits.map((hit) => hit._id)
  const vectors = (await nearest(text, (a, b) => 1 / (1 + far(a, b)))).map(([id]) => id)
  const score = (id) => [words, vectors].reduce((sum, list) => sum + (list.includes(id) ? 1 / (20 + list.indexOf(id) + 1) : 0), 0)
  const found = await hybrid.similaritySearch(text, 5)
  assert.equal(found.length, 5)
  const scores = found.map((document) => score(idOf(document)))
  assert.deepEqual(scores, [...scores].sort((a, b) => b - a))
  // The words alone put another one first than the vectors do.
  assert.notEqual(words[0], vectors[0])
  const scored = await hybrid.similaritySearchVectorWithScore(await embeddings.embedQuery(text), 5)
  for (const [document, given] of scored) assert.ok(Math.abs(given - score(idOf(document))) < 1e-6)
  // Such a search with a filter has a query beside its retriever.
  await assert.rejects(hybrid.similaritySearch(text, 5, { kind: 'novel' }), (error) =>
    error.statusCode === 400 && /retriever/.test(error.message) && /query/.test(error.message))
})

test('documents are written over by their id, and deleted', async () => {
  const other = await ElasticVectorSearch.fromTexts(['sea', 'war', 'time'], [{ n: 1 }, { n: 2 }, { n: 3 }], embeddings, { client, indexName: 'changing' })
  assert.equal((await client.count({ index: 'changing' })).count, 3)
  const [id] = await other.addDocuments([new Document({ pageContent: 'whale', metadata: { n: 4 } })])
  assert.match(id, /^[0-9a-f-]{36}$/)
  await other.addDocuments([new Document({ pageContent: 'ship', metadata: { n: 5 } })], { ids: [id] })
  assert.deepEqual((await other.similaritySearch('ship', 1)).map(({ metadata }) => metadata), [{ n: 5 }])
  assert.equal((await client.count({ index: 'changing' })).count, 4)
  await other.delete({ ids: [id, 'never there'] })
  assert.equal((await client.count({ index: 'changing' })).count, 3)
  assert.notDeepEqual((await other.similaritySearch('ship', 1))[0].metadata, { n: 5 })
  await assert.rejects(other.addVectors([[1, 2]], [new Document({ pageContent: 'too short' })]), /Failed to insert documents:\n.*failed to parse field \[embedding\]/)
  const same = await ElasticVectorSearch.fromExistingIndex(embeddings, { client, indexName: 'changing' })
  assert.deepEqual((await same.similaritySearch('war', 1)).map(({ metadata }) => metadata), [{ n: 2 }])
  await same.deleteIfExists()
  await same.deleteIfExists()
  await assert.rejects(ElasticVectorSearch.fromExistingIndex(embeddings, { client, indexName: 'changing' }), /does not exist/)
})
