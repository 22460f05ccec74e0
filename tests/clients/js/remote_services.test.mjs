// Endpoints whose model is another server's: another Cairn's, and fakes of Cohere and of a text
// embeddings server whose answers those services' own clients accept.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { Client } from '@elastic/elasticsearch'
import { InferenceClient } from '@huggingface/inference'
import { CohereClientV2 } from 'cohere-ai'
import OpenAI from 'openai'
import { writeDecoder } from './decoder_folder.mjs'
import { startCairn } from './server.mjs'

let far, near, closed, client, farClient, openai, fake, folder
const key = 'sk-of-the-fake'
const seen = []

// Three numbers that tell texts apart: sums of three kinds of bytes.
function vectorOf (text) {
  const out = [1, 1, 1]
  for (const byte of Buffer.from(text)) out[byte % 3] += byte
  const length = Math.hypot(...out)
  return out.map((number) => number / length)
}
// The share of the query's letters that a document has.
function scoreOf (query, text) {
  return [...query].filter((letter) => text.includes(letter)).length / [...query].length
}
const ranked = (query, texts, name) => texts
  .map((text, index) => ({ index, [name]: scoreOf(query, text) }))
  .sort((a, b) => b[name] - a[name] || a.index - b.index)

const answers = {
  '/v2/embed': (body) => ({
    id: '0b6c', response_type: 'embeddings_by_type', texts: body.texts,
    embeddings: body.embedding_types.includes('int8')
      ? { int8: body.texts.map((text) => vectorOf(text).map((number) => Math.round(number * 127))) }
      : { float: body.texts.map(vectorOf) },
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: 3 * body.texts.length } }
  }),
  '/v2/rerank': (body) => ({
    id: '0b6d', results: ranked(body.query, body.documents, 'relevance_score').slice(0, body.top_n),
    meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } }
  }),
  '/embed': (body) => [body.inputs].flat().map(vectorOf),
  '/rerank': (body) => ranked(body.query, body.texts, 'score')
}

async function startFake () {
  const server = http.createServer(async (request, response) => {
    let text = ''
    for await (const bytes of request) text += bytes
    const body = JSON.parse(text)
    seen.push({ path: request.url, body })
    const answer = answers[request.url]
    const allowed = request.headers.authorization === 'Bearer ' + key
    response.writeHead(allowed ? (answer ? 200 : 404) : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(!allowed ? { message: 'invalid api token' } : answer ? answer(body) : { message: 'not found' }))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: 'http://127.0.0.1:' + server.address().port, stop: () => new Promise((resolve) => { server.close(resolve); server.closeAllConnections() }) }
}

const put = (id, task, service, settings, more = {}) => client.inference.put({
  task_type: task, inference_id: id, inference_config: { service, service_settings: settings, ...more }
})
const ofFar = (model) => ({ api_key: far.adminKey, model_id: model, url: far.api + '/v1' })

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-remote-'))
  const model = path.join(folder, 'tiny')
  const sums = writeDecoder(model).map((file) =>
    createHash('sha256').update(fs.readFileSync(path.join(model, file))).digest('hex') + '  ' + file + '\n')
  fs.writeFileSync(path.join(model, 'SHA256SUMS'), sums.join(''))
  far = await startCairn({ config: { models: { sources: [folder] } } })
  near = await startCairn({ config: { inference: { remote: { allowed_hosts: ['127.0.0.1'] } } } })
  closed = await startCairn()
  fake = await startFake()
  farClient = new Client({ node: far.api, auth: { apiKey: far.adminKey } })
  client = new Client({ node: near.api, auth: { apiKey: near.adminKey } })
  openai = new OpenAI({ baseURL: near.api + '/v1', apiKey: near.adminKey, maxRetries: 0 })
  for (const task of ['chat_completion', 'completion']) {
    await farClient.inference.put({
      task_type: task, inference_id: 'far-' + task, timeout: '-1',
      inference_config: { service: 'cairn', service_settings: { model_id: 'tiny', num_threads: 1, num_allocations: 1 } }
    })
  }
})
after(async () => {
  for (const one of [client, farClient]) await one?.close()
  for (const one of [fake, closed, near, far]) await one?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function textOf (stream) {
  let out = ''
  for await (const bytes of stream) out += bytes
  return out
}

test('the fakes speak as the services do: their own clients accept the answers', async () => {
  const cohere = new CohereClientV2({ token: key, environment: fake.url, maxRetries: 0 })
  const embedded = await cohere.embed({ model: 'm', texts: ['a', 'bc'], inputType: 'search_query', embeddingTypes: ['float'] })
  assert.deepEqual(embedded.embeddings.float, [vectorOf('a'), vectorOf('bc')])
  assert.equal(embedded.meta.billedUnits.inputTokens, 6)
  const asked = seen.at(-1).body
  assert.deepEqual(asked, { model: 'm', texts: ['a', 'bc'], input_type: 'search_query', embedding_types: ['float'] })
  const order = await cohere.rerank({ model: 'm', query: 'ab', documents: ['x', 'ab', 'b'], topN: 2 })
  assert.deepEqual(order.results.map(({ index }) => index), [1, 2])
  await assert.rejects(new CohereClientV2({ token: 'other', environment: fake.url }).embed(
    { model: 'm', texts: ['a'], inputType: 'search_query', embeddingTypes: ['float'] }, { maxRetries: 0 }), { statusCode: 401 })
  const face = new InferenceClient(key)
  assert.deepEqual(await face.featureExtraction({ endpointUrl: fake.url + '/embed', inputs: ['a', 'bc'] }), [vectorOf('a'), vectorOf('bc')])
})

test('openai: vectors of another server, its dimensions, and a field that uses them', async () => {
  const made = await put('far-dense', 'text_embedding', 'openai', ofFar('.cairn-dense'))
  assert.equal(made.service_settings.url, far.api + '/v1/embeddings')
  assert.ok(!JSON.stringify(made).includes(far.adminKey))
  const shown = await client.inference.get({ inference_id: 'far-dense' })
  assert.ok(!JSON.stringify(shown).includes('api_key'))
  const own = await farClient.inference.inference({ task_type: 'text_embedding', inference_id: '.cairn-dense', input: ['cats', 'the sea'] })
  assert.equal(made.service_settings.dimensions, own.text_embedding[0].embedding.length)
  assert.deepEqual(await client.inference.inference({ task_type: 'text_embedding', inference_id: 'far-dense', input: ['cats', 'the sea'] }), own)
  const throughFace = await openai.embeddings.create({ model: 'far-dense', input: 'cats', encoding_format: 'float' })
  assert.deepEqual(throughFace.data[0].embedding, own.text_embedding[0].embedding)

  await client.indices.create({ index: 'notes', mappings: { properties: { body: { type: 'semantic_text', inference_id: 'far-dense' } } } })
  const long = 'A ship sails the sea with a crew. '.repeat(120)
  await client.bulk({
    index: 'notes', refresh: true,
    operations: [{ index: { _id: 'pets' } }, { body: 'Cats and dogs live in the house' }, { index: { _id: 'sea' } }, { body: long }]
  })
  const found = await client.search({ index: 'notes', query: { semantic: { field: 'body', query: 'a sailor on a boat' } } })
  assert.deepEqual(found.hits.hits.map(({ _id }) => _id), ['sea', 'pets'])
})

test('openai: completions and chats of another server, whole and as streams', async () => {
  const most = { temperature: 0, max_completion_tokens: 24 }
  await put('near-completion', 'completion', 'openai', ofFar('far-chat_completion'))
  await put('near-chat', 'chat_completion', 'openai', ofFar('far-chat_completion'))
  const messages = [{ role: 'user', content: 'hello' }]
  const own = await farClient.inference.inference({
    task_type: 'chat_completion', inference_id: 'far-chat_completion', input: 'hello', task_settings: most
  })
  const text = own.completion[0].result
  const whole = await client.inference.completion({ inference_id: 'near-completion', input: 'hello', task_settings: most })
  assert.deepEqual(whole, own)
  const stream = await client.inference.streamCompletion(
    { inference_id: 'near-completion', input: 'hello', task_settings: most }, { asStream: true })
  const events = (await textOf(stream)).split('\n\n').map((event) => event.match(/^data: (.*)$/m)?.[1]).filter(Boolean)
  assert.equal(events.at(-1), '[DONE]')
  assert.equal(events.slice(0, -1).map((data) => JSON.parse(data).completion[0].delta).join(''), text)

  const chat = await openai.chat.completions.create({ model: 'near-chat', messages, ...most, seed: 1 })
  assert.equal(chat.choices[0].message.content, text)
  assert.ok(['stop', 'length'].includes(chat.choices[0].finish_reason))
  assert.ok(chat.usage.prompt_tokens > 0)
  assert.ok(chat.usage.completion_tokens > 0)
  let streamed = ''
  let usage
  for await (const chunk of await openai.chat.completions.create(
    { model: 'near-chat', messages, ...most, stream: true, stream_options: { include_usage: true } })) {
    streamed += chunk.choices[0]?.delta.content ?? ''
    usage = chunk.usage ?? usage
  }
  assert.equal(streamed, text)
  assert.deepEqual(usage, chat.usage)
  const unified = await textOf(await client.inference.chatCompletionUnified(
    { inference_id: 'near-chat', chat_completion_request: { messages, ...most } }, { asStream: true }))
  assert.ok(unified.endsWith('data: [DONE]\n\n'))
  // What the other server refuses is said with its words.
  await assert.rejects(openai.chat.completions.create({ model: 'near-chat', messages: [{ role: 'user', content: 'x'.repeat(5000) }] }), (error) => {
    assert.equal(error.status, 400)
    assert.match(error.message, /answered with status 400: .*the model takes/)
    return true
  })
})

test('cohere: vectors and ranks, with the settings of the endpoint', async () => {
  await put('co-dense', 'text_embedding', 'cohere', { api_key: key, model_id: 'embed-v4', url: fake.url + '/v2' })
  const dense = await client.inference.inference({ task_type: 'text_embedding', inference_id: 'co-dense', input: ['a', 'bc'], input_type: 'search' })
  assert.equal(seen.at(-1).body.input_type, 'search_query')
  dense.text_embedding.forEach(({ embedding }, i) => embedding.forEach((number, j) =>
    assert.ok(Math.abs(number - vectorOf(['a', 'bc'][i])[j]) < 1e-6)))
  const bytes = await put('co-bytes', 'text_embedding', 'cohere', { api_key: key, model_id: 'embed-v4', url: fake.url + '/v2', embedding_type: 'byte' })
  assert.equal(bytes.service_settings.dimensions, 3)
  const packed = await client.inference.inference({ task_type: 'text_embedding', inference_id: 'co-bytes', input: 'a' })
  assert.deepEqual(packed.text_embedding_bytes[0].embedding, vectorOf('a').map((number) => Math.round(number * 127)))
  await put('co-rank', 'rerank', 'cohere', { api_key: key, model_id: 'rerank-v3.5', url: fake.url + '/v2' }, { task_settings: { top_n: 2, return_documents: true } })
  const order = await client.inference.rerank({ inference_id: 'co-rank', query: 'ab', input: ['x', 'ab', 'b'] })
  assert.deepEqual(order.rerank, [{ index: 1, relevance_score: 1, text: 'ab' }, { index: 2, relevance_score: 0.5, text: 'b' }])
  // A search that ranks what it found by the other server.
  await client.bulk({ index: 'words', refresh: true, operations: [{ index: { _id: '1' } }, { t: 'common xyz' }, { index: { _id: '2' } }, { t: 'common abc' }] })
  const found = await client.search({
    index: 'words',
    retriever: { text_similarity_reranker: { retriever: { standard: { query: { match: { t: 'common' } } } }, field: 't', inference_id: 'co-rank', inference_text: 'abc' } }
  })
  assert.deepEqual(found.hits.hits.map(({ _id }) => _id), ['2', '1'])
})

test('hugging_face: vectors and ranks', async () => {
  const made = await put('hf-dense', 'text_embedding', 'hugging_face', { api_key: key, url: fake.url + '/embed' })
  assert.equal(made.service_settings.dimensions, 3)
  const many = Array.from({ length: 70 }, (_, i) => 'text ' + i)
  const before = seen.length
  const dense = await client.inference.inference({ task_type: 'text_embedding', inference_id: 'hf-dense', input: many })
  assert.equal(seen.length - before, 3)
  dense.text_embedding.forEach(({ embedding }, i) => embedding.forEach((number, j) =>
    assert.ok(Math.abs(number - vectorOf(many[i])[j]) < 1e-6)))
  await put('hf-rank', 'rerank', 'hugging_face', { api_key: key, url: fake.url + '/rerank' })
  const order = await client.inference.rerank({ inference_id: 'hf-rank', query: 'ab', input: ['x', 'ab', 'b'] })
  assert.deepEqual(order.rerank.map(({ index }) => index), [1, 2, 0])
})

test('the name of a model means one on this machine', async () => {
  await put('aaa-far', 'text_embedding', 'openai', { api_key: key, model_id: 'cairn-mini', url: fake.url + '/v1', dimensions: 3 })
  const asked = seen.length
  const own = await openai.embeddings.create({ model: '.cairn-dense', input: 'cats', encoding_format: 'float' })
  await assert.rejects(openai.embeddings.create({ model: 'embed-v4', input: 'cats' }), { status: 404 })
  const named = await openai.embeddings.create({ model: 'cairn-mini', input: 'cats', encoding_format: 'float' })
  assert.deepEqual(named.data[0].embedding, own.data[0].embedding)
  assert.equal(seen.length, asked)
})

test('keys and places: refused by the other server, changed, and closed by default', async () => {
  const refused = async (promise, status, words) => assert.rejects(promise, (error) => {
    assert.equal(error.statusCode, status)
    assert.match(error.body.error.reason, words)
    return true
  })
  await refused(put('wrong', 'text_embedding', 'hugging_face', { api_key: 'other', url: fake.url + '/embed' }), 502,
    /refused the API key of the endpoint, and answered with status 401: invalid api token/)
  await put('later', 'text_embedding', 'hugging_face', { api_key: 'other', url: fake.url + '/embed', dimensions: 3 })
  const run = () => client.inference.inference({ task_type: 'text_embedding', inference_id: 'later', input: 'a' })
  await refused(run(), 502, /refused the API key/)
  await client.inference.update({ inference_id: 'later', inference_config: { service_settings: { api_key: key } } })
  assert.equal((await run()).text_embedding.length, 1)
  await refused(put('odd', 'text_embedding', 'openai', { api_key: key, model_id: 'm', colour: 'red' }), 400,
    /settings \[\{colour=red\}\] unknown to the \[openai\] service/)
  const elsewhere = new Client({ node: closed.api, auth: { apiKey: closed.adminKey } })
  await refused(elsewhere.inference.put({
    task_type: 'text_embedding', inference_id: 'there',
    inference_config: { service: 'hugging_face', service_settings: { api_key: key, url: fake.url + '/embed' } }
  }), 400, /inference\.remote\.allowed_hosts/)
  await elsewhere.close()
})
