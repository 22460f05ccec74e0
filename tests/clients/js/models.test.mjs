// The official search client with models of one's own: imported by the command line, and fetched from
// a bucket of the same server.
import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client, errors } from '@elastic/elasticsearch'
import { startCairn } from './server.mjs'

const run = promisify(execFile)
const binary = process.env.CAIRN_BINARY ?? path.resolve('../../../build/release/bin/cairn')
const shipped = path.resolve('../../../models/cairn-mini')

let cairn, client, folder, keyFile

// A copy of the shipped model under another name, with its sums.
function makeModel (name) {
  const model = path.join(folder, name)
  fs.mkdirSync(model)
  const sums = []
  for (const file of ['config.json', 'model.safetensors', 'tokenizer.json', 'tokenizer_config.json']) {
    const bytes = fs.readFileSync(path.join(shipped, file))
    fs.writeFileSync(path.join(model, file), bytes)
    sums.push(createHash('sha256').update(bytes).digest('hex') + '  ' + file + '\n')
  }
  fs.writeFileSync(path.join(model, 'SHA256SUMS'), sums.join(''))
  return model
}

const settings = (model) => ({ service: 'cairn', service_settings: { model_id: model, num_threads: 1, num_allocations: 1 } })

// What the statistics say of an endpoint's deployment, once `looked` is content with it.
async function statsUntil (id, looked) {
  for (;;) {
    const { trained_model_stats: rows } = await client.ml.getTrainedModelsStats({ model_id: id })
    const stats = rows[0].deployment_stats
    assert.notEqual(stats.state, 'failed', stats.reason)
    if (looked(stats)) return stats
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

before(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-models-'))
  cairn = await startCairn({ config: { models: { sources: ['s3://shelf/models'] } } })
  keyFile = path.join(folder, 'admin.key')
  fs.writeFileSync(keyFile, cairn.adminKey, { mode: 0o600 })
  client = new Client({ node: cairn.api, auth: { apiKey: cairn.adminKey } })
})
after(async () => {
  await client?.close()
  await cairn?.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('an imported model: three endpoints, allocated, used, in the way of its removal', async () => {
  await run(binary, ['model', 'import', makeModel('mine'), '--server', cairn.api, '--key-file', keyFile])
  const { trained_model_configs: models } = await client.ml.getTrainedModels({ model_id: 'mine' })
  assert.equal(models[0].model_type, 'cairn-static')
  for (const task of ['text_embedding', 'sparse_embedding', 'rerank']) {
    const made = await client.inference.put({ task_type: task, inference_id: 'my-' + task, inference_config: settings('mine') })
    assert.equal(made.service_settings.model_id, 'mine')
    const stats = await statsUntil('my-' + task, (one) => one.allocation_status.state === 'fully_allocated')
    assert.equal(stats.allocation_status.allocation_count, stats.allocation_status.target_allocation_count)
  }
  const dense = await client.inference.textEmbedding({ inference_id: 'my-text_embedding', input: ['a cat', 'a dog'] })
  assert.equal(dense.text_embedding.length, 2)
  const sparse = await client.inference.sparseEmbedding({ inference_id: 'my-sparse_embedding', input: 'a cat sat' })
  assert.ok(Object.keys(sparse.sparse_embedding[0].embedding).length > 0)
  const ranked = await client.inference.rerank({
    inference_id: 'my-rerank', query: 'copy a file', input: ['list the users', 'duplicate a file']
  })
  assert.equal(ranked.rerank[0].index, 1)
  await assert.rejects(client.ml.deleteTrainedModel({ model_id: 'mine' }), (error) => {
    assert.ok(error instanceof errors.ResponseError)
    assert.equal(error.statusCode, 409)
    return true
  })
})

test('a second endpoint on the model gets a warning', async () => {
  const { warnings } = await client.inference.put(
    { task_type: 'text_embedding', inference_id: 'again', inference_config: settings('mine') }, { meta: true })
  assert.equal(warnings.length, 1)
  assert.match(warnings[0], /already runs model \[mine\]/)
})

test('a model in a bucket is downloaded when an endpoint names it', async () => {
  const keys = { ...process.env, AWS_ACCESS_KEY_ID: cairn.objectsPair.accessKeyId, AWS_SECRET_ACCESS_KEY: cairn.objectsPair.secretAccessKey }
  const place = ['--endpoint-url', cairn.objects]
  await run(binary, ['objects', 'mb', 's3://shelf', ...place], { env: keys })
  await run(binary, ['objects', 'cp', '--recursive', makeModel('far'), 's3://shelf/models/far', ...place], { env: keys })
  const made = await client.inference.put(
    { task_type: 'text_embedding', inference_id: 'fetched', timeout: 0, inference_config: settings('far') })
  // At once: the download has just begun, and can be seen.
  assert.equal(made.deployment.state, 'starting')
  const stats = await statsUntil('fetched', (one) => one.allocation_status.state === 'fully_allocated')
  assert.equal(stats.model_id, 'far')
  const { endpoints } = await client.inference.get({ inference_id: 'fetched' })
  assert.equal(endpoints[0].deployment, undefined)
  const mine = await client.inference.textEmbedding({ inference_id: 'my-text_embedding', input: 'a ship' })
  const far = await client.inference.textEmbedding({ inference_id: 'fetched', input: 'a ship' })
  assert.deepEqual(far, mine)
})

test('a model that no source knows is refused', async () => {
  await assert.rejects(
    client.inference.put({ task_type: 'text_embedding', inference_id: 'none', inference_config: settings('nobody') }),
    (error) => {
      assert.equal(error.statusCode, 400)
      assert.match(error.body.error.reason, /does not match any models available/)
      return true
    })
})

test('vectors in bytes and in bits', async () => {
  for (const [type, length] of [['byte', 224], ['bit', 28]]) {
    const config = settings('cairn-mini')
    config.service_settings.element_type = type
    await client.inference.put({ task_type: 'text_embedding', inference_id: type + 's', inference_config: config })
    const result = await client.inference.inference({ inference_id: type + 's', input: 'a ship' })
    assert.equal(result[`text_embedding_${type}s`][0].embedding.length, length)
  }
})
