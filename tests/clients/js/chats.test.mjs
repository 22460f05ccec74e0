// Completions and chats through the official search client and the openai client, with a decoder that
// comes from a bucket of the same server.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@elastic/elasticsearch'
import OpenAI from 'openai'
import { writeDecoder } from './decoder_folder.mjs'
import { startCairn } from './server.mjs'

const run = promisify(execFile)
const binary = process.env.CAIRN_BINARY ?? path.resolve('../../../build/release/bin/cairn')

let cairn, client, openai, folder

const settings = { service: 'cairn', service_settings: { model_id: 'tiny', num_threads: 1, num_allocations: 1 } }
const hello = [{ role: 'user', content: 'hello' }]

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-chats-'))
  cairn = await startCairn({ config: { models: { sources: ['s3://shelf/models'] } } })
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
  openai = new OpenAI({ baseURL: cairn.api + '/v1', apiKey: cairn.adminKey, maxRetries: 0 })
  const model = path.join(folder, 'tiny')
  const sums = writeDecoder(model).map((file) =>
    createHash('sha256').update(fs.readFileSync(path.join(model, file))).digest('hex') + '  ' + file + '\n')
  fs.writeFileSync(path.join(model, 'SHA256SUMS'), sums.join(''))
  const keys = { ...process.env, AWS_ACCESS_KEY_ID: cairn.objectsPair.accessKeyId, AWS_SECRET_ACCESS_KEY: cairn.objectsPair.secretAccessKey }
  const place = ['--endpoint-url', cairn.objects]
  await run(binary, ['objects', 'mb', 's3://shelf', ...place], { env: keys })
  await run(binary, ['objects', 'cp', '--recursive', model, 's3://shelf/models/tiny', ...place], { env: keys })
  for (const task of ['chat_completion', 'completion', 'text_embedding']) {
    const made = await client.inference.put(
      { task_type: task, inference_id: 'my-' + task, timeout: '-1', inference_config: settings })
    assert.equal(made.task_type, task)
  }
})
after(async () => {
  await client?.close()
  await cairn?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

// The data of each event, and their names.
function eventsOf (text) {
  return text.split('\n\n').filter(Boolean).map((event) => ({
    name: event.match(/^event: (.*)$/m)?.[1], data: event.match(/^data: (.*)$/m)?.[1]
  })).filter(({ data }) => data !== undefined) // without comments
}

async function textOf (stream) {
  let out = ''
  for await (const bytes of stream) out += bytes
  return out
}

test('the search client: a completion, whole and as a stream', async () => {
  const body = { inference_id: 'my-completion', input: 'hello', task_settings: { temperature: 0, max_completion_tokens: 24 } }
  const whole = await client.inference.completion(body)
  assert.equal(whole.completion.length, 1)
  const text = whole.completion[0].result
  assert.ok(text.length > 0)
  const two = await client.inference.completion({ ...body, input: ['hello', 'world'] })
  assert.equal(two.completion[0].result, text)
  assert.equal(two.completion.length, 2)
  const events = eventsOf(await textOf(await client.inference.streamCompletion(body, { asStream: true })))
  assert.deepEqual(events.at(-1), { name: 'message', data: '[DONE]' })
  const deltas = events.slice(0, -1).map(({ data }) => JSON.parse(data).completion[0].delta)
  assert.equal(deltas.join(''), text)
})

test('the search client: a chat, whole and as a stream', async () => {
  const whole = await client.transport.request({
    method: 'POST',
    path: '/_inference/chat_completion/my-chat_completion',
    body: { messages: hello, temperature: 0, max_completion_tokens: 24 }
  })
  assert.equal(whole.object, 'chat.completion')
  assert.equal(whole.choices[0].message.role, 'assistant')
  assert.equal(whole.usage.total_tokens, whole.usage.prompt_tokens + whole.usage.completion_tokens)
  const stream = await client.inference.chatCompletionUnified({
    inference_id: 'my-chat_completion', chat_completion_request: { messages: hello, temperature: 0, max_completion_tokens: 24 }
  }, { asStream: true })
  const events = eventsOf(await textOf(stream))
  assert.ok(events.every(({ name }) => name === 'message'))
  const chunks = events.slice(0, -1).map(({ data }) => JSON.parse(data))
  assert.equal(events.at(-1).data, '[DONE]')
  assert.equal(chunks[0].choices[0].delta.role, 'assistant')
  assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), whole.choices[0].message.content)
  assert.equal(chunks.at(-2).choices[0].finish_reason, whole.choices[0].finish_reason)
  assert.deepEqual(chunks.at(-1).usage, whole.usage)
  // The spec's own body, on the same endpoint: what it says is the same.
  const plain = await client.inference.inference({
    task_type: 'chat_completion', inference_id: 'my-chat_completion', input: 'hello', task_settings: { temperature: 0, max_completion_tokens: 24 }
  })
  assert.deepEqual(plain, { completion: [{ result: whole.choices[0].message.content }] })
})

test('the search client: refusals say what is wrong', async () => {
  const refused = async (path, body, status, words) => {
    await assert.rejects(client.transport.request({ method: 'POST', path, body }), (error) => {
      assert.equal(error.statusCode, status)
      assert.match(error.body.error.reason, words)
      return true
    })
  }
  const chat = '/_inference/chat_completion/my-chat_completion'
  await refused(chat, { messages: [] }, 400, /Field \[messages\] cannot be an empty array/)
  await refused(chat, { messages: [{ role: 'wizard', content: 'x' }] }, 400, /\[role\] is \[wizard\], none of/)
  await refused(chat, { messages: hello, temprature: 1 }, 400, /unknown field \[temprature\] did you mean \[temperature\]/)
  await refused(chat, { messages: hello, temperature: 1000 }, 400, /\[temperature\] must be from/)
  await refused(chat, { messages: hello, model: 'other' }, 400, /runs \[tiny\]/)
  await refused(chat, { messages: [{ role: 'user', content: 'x'.repeat(5000) }] }, 400, /tokens; the model takes 1 to \[1023\]/)
  await refused(chat, { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }, 400, /models here read texts/)
  await refused('/_inference/completion/my-completion', { messages: hello }, 400, /needs an inference endpoint of the task type \[chat_completion\]/)
  await refused('/_inference/text_embedding/my-text_embedding/_stream', { input: 'x' }, 405, /Streaming is not allowed/)
  await refused(chat + '?timeout=1ms', { messages: hello, temperature: 0 }, 408, /Timeout \[1ms\]|waiting for|time allowed passed/)
})

test('the openai client: a chat, whole, as a stream, with choices, logprobs and stop strings', async () => {
  const params = { model: 'my-chat_completion', messages: hello, temperature: 0, max_tokens: 24 }
  const whole = await openai.chat.completions.create(params)
  const text = whole.choices[0].message.content
  assert.equal(whole.choices[0].finish_reason, 'length')
  assert.equal(whole.usage.completion_tokens, 24)
  let streamed = ''
  let usage
  for await (const chunk of await openai.chat.completions.create({ ...params, stream: true, stream_options: { include_usage: true } })) {
    streamed += chunk.choices[0]?.delta.content ?? ''
    usage = chunk.usage ?? usage
  }
  assert.equal(streamed, text)
  assert.deepEqual(usage, whole.usage)
  // By the model's own id too, and the parts of a text count as a text.
  const byModel = await openai.chat.completions.create(
    { ...params, model: 'tiny', messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] })
  assert.equal(byModel.choices[0].message.content, text)
  const drawn = { ...params, temperature: 1, seed: 7, n: 3, logprobs: true, top_logprobs: 2, logit_bias: { 256: -100, 258: -100 } }
  const [first, again] = [await openai.chat.completions.create(drawn), await openai.chat.completions.create(drawn)]
  assert.equal(first.choices.length, 3)
  assert.deepEqual(first.choices, again.choices)
  assert.notEqual(first.choices[0].message.content, first.choices[1].message.content)
  assert.equal(first.choices[0].logprobs.content.length, 24)
  assert.equal(first.choices[0].logprobs.content[0].top_logprobs.length, 2)
  assert.ok(first.choices[0].logprobs.content.every(({ logprob }) => logprob <= 0))
  const letters = [...text].filter((letter) => letter > ' ' && letter < '\x7f')
  if (letters.length > 0) {
    const stopped = await openai.chat.completions.create({ ...params, stop: letters[0] })
    assert.equal(stopped.choices[0].finish_reason, 'stop')
    assert.equal(stopped.choices[0].message.content, text.slice(0, text.indexOf(letters[0])))
  }
})

test('the openai client: eight chats at once say what each says alone', async () => {
  const ask = (word) => openai.chat.completions.create(
    { model: 'my-chat_completion', messages: [{ role: 'user', content: word }], temperature: 0, max_tokens: 40 })
  const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']
  const together = await Promise.all(words.map(ask))
  for (const [i, word] of words.entries()) {
    assert.equal(together[i].choices[0].message.content, (await ask(word)).choices[0].message.content)
  }
})

// What `_stats` tells of the steps of the chats' deployment.
async function stepsOfChats () {
  const { trained_model_stats: [row] } = await client.ml.getTrainedModelsStats({ model_id: 'my-chat_completion' })
  return row.deployment_stats.text_steps
}

test('eight chats that begin one after the other share steps, and each says what it says alone', async () => {
  const words = ['uno', 'dos', 'tres', 'cuatro', 'cinco', 'seis', 'siete', 'ocho']
  const ask = (word) => openai.chat.completions.create({ // to the last token: nothing may end it before
    model: 'my-chat_completion', messages: [{ role: 'user', content: word }], temperature: 0, max_tokens: 800, logit_bias: { 256: -100, 258: -100 }
  })
  const begin = performance.now()
  const alone = [await ask(words[0])]
  const apart = Math.min(50, (performance.now() - begin) / 8) // ms: they must overlap on any machine
  for (const word of words.slice(1)) alone.push(await ask(word))
  const before = await stepsOfChats()
  const together = await Promise.all(words.map(async (word, i) => {
    await new Promise((resolve) => setTimeout(resolve, i * apart))
    return await ask(word)
  }))
  const after = await stepsOfChats()
  for (const [i, chat] of together.entries()) {
    assert.equal(chat.usage.completion_tokens, 800)
    assert.equal(chat.choices[0].message.content, alone[i].choices[0].message.content)
  }
  assert.equal(after.new_tokens - before.new_tokens, 8 * 799) // that others follow
  assert.ok(after.steps - before.steps < 8 * 800, `${after.steps - before.steps} steps`)
  assert.ok(after.texts_in_steps - before.texts_in_steps >= 8 * 800)
})

test('streams whose clients leave give all of their pages back', async () => {
  const streams = Number(process.env.CAIRN_LEFT_STREAMS ?? 300)
  const { encoded } = await client.security.createApiKey( // its requests are not limited
    { name: 'leaving', metadata: { _cairn: { identity: { kind: 'service', id: 'leaving' } } } })
  let next = 0
  const leave = async () => {
    for (let i = next++; i < streams; i = next++) {
      const gone = new AbortController()
      const answer = await fetch(cairn.api + '/_inference/chat_completion/my-chat_completion/_stream', {
        method: 'POST',
        signal: gone.signal,
        headers: { authorization: 'ApiKey ' + encoded, 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [{ role: 'user', content: `${i} ${'x'.repeat(i % 100)}` }], temperature: 1, max_completion_tokens: 900 })
      })
      assert.equal(answer.status, 200)
      if (i % 3 > 0) await answer.body.getReader().read()
      gone.abort()
    }
  }
  await Promise.all(Array.from({ length: 16 }, leave))
  for (let i = 0; ; i++) {
    const { kv_pages: pages, kv_pages_cached: cached } = await stepsOfChats()
    if (pages === cached) break
    assert.ok(i < 500, `${pages} pages, ${cached} of them in the cache`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
})

test('the openai client: completions, embeddings and models', async () => {
  const made = await openai.completions.create({ model: 'my-completion', prompt: ['a', 'b'], temperature: 0, max_tokens: 8, echo: true })
  assert.equal(made.object, 'text_completion')
  assert.equal(made.choices.length, 2)
  assert.ok(made.choices[1].text.startsWith('b'))
  let streamed = ''
  for await (const chunk of await openai.completions.create({ model: 'my-completion', prompt: 'a', temperature: 0, max_tokens: 8, stream: true })) {
    streamed += chunk.choices[0]?.text ?? ''
  }
  assert.equal('a' + streamed, made.choices[0].text)
  const { data } = await openai.embeddings.create({ model: 'my-text_embedding', input: ['x', 'y'] })
  const plain = await openai.embeddings.create({ model: 'my-text_embedding', input: 'x', encoding_format: 'float' })
  const mine = await client.inference.textEmbedding({ inference_id: 'my-text_embedding', input: 'x' })
  assert.equal(data.length, 2)
  assert.deepEqual(plain.data[0].embedding, mine.text_embedding[0].embedding)
  assert.ok(data[0].embedding.every((number, i) => Math.abs(number - plain.data[0].embedding[i]) < 1e-6))
  const ids = []
  for await (const model of openai.models.list()) ids.push(model.id)
  assert.ok(ids.includes('my-chat_completion'))
  assert.equal((await openai.models.retrieve('my-completion')).owned_by, 'cairn')
})

test('the openai client: errors have its classes', async () => {
  await assert.rejects(openai.chat.completions.create({ model: 'nobody', messages: hello }), OpenAI.NotFoundError)
  await assert.rejects(openai.chat.completions.create({ model: 'my-chat_completion', messages: [] }), OpenAI.BadRequestError)
  const stranger = new OpenAI({ baseURL: cairn.api + '/v1', apiKey: 'sk-nobody', maxRetries: 0 })
  await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError)
})

test('the model that ships quotes its context, whole and as a stream', async () => {
  const messages = [
    { role: 'system', content: 'Answer with sources.\n\n[1] Sheep graze on hills.\n\n[2] A cairn marks the path.' },
    { role: 'user', content: 'What marks the path?' }]
  const whole = await openai.chat.completions.create({ model: 'cairn-mini-quotes', messages })
  assert.equal(whole.model, 'cairn-mini-quotes')
  assert.equal(whole.choices[0].message.content, 'A cairn marks the path. [2]')
  const params = { model: '.cairn-chat', messages, stream: true, stream_options: { include_usage: true } }
  const pieces = []
  let usage
  for await (const chunk of await openai.chat.completions.create(params)) {
    assert.equal(chunk.model, 'cairn-mini-quotes')
    pieces.push(chunk.choices[0]?.delta.content ?? '')
    usage = chunk.usage ?? usage
  }
  assert.ok(pieces.filter(Boolean).length > 3)
  assert.equal(pieces.join(''), whole.choices[0].message.content)
  assert.deepEqual(usage, whole.usage)
  const stream = await client.inference.chatCompletionUnified(
    { inference_id: '.cairn-chat', chat_completion_request: { messages } }, { asStream: true })
  const chunks = eventsOf(await textOf(stream)).slice(0, -1).map(({ data }) => JSON.parse(data))
  assert.equal(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''), pieces.join(''))
  await assert.rejects(openai.chat.completions.create({ model: '.cairn-chat', messages, logprobs: true }), OpenAI.BadRequestError)
})

test('a client that leaves ends its text', async () => {
  const stream = await openai.chat.completions.create(
    { model: 'my-chat_completion', messages: hello, temperature: 1, max_tokens: 900, stream: true })
  for await (const chunk of stream) {
    assert.equal(chunk.object, 'chat.completion.chunk')
    break // which closes the connection
  }
  // With a timeout of 0 a call is answered only where no other text runs.
  for (let i = 0; ; i++) {
    const { status } = await fetch(cairn.api + '/_inference/chat_completion/my-chat_completion?timeout=0', {
      method: 'POST',
      headers: { authorization: 'ApiKey ' + cairn.adminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: hello, max_completion_tokens: 1 })
    })
    if (status === 200) break
    assert.equal(status, 408)
    assert.ok(i < 500)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
})
