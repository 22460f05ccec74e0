// A fresh Cairn on free loopback ports with an empty data folder.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const binary = process.env.CAIRN_BINARY ?? path.resolve('../../../build/release/bin/cairn')

const pairOf = (made) => ({ accessKeyId: made.access_key_id, secretAccessKey: made.secret_access_key })

// An index of numbers 0 to count - 1, with one of `words` words each, in turn.
export async function fillNumbers (client, count, words) {
  await client.indices.create({
    index: 'numbers', mappings: { properties: { n: { type: 'integer' }, word: { type: 'keyword' } } }
  })
  const { successful } = await client.helpers.bulk({
    datasource: Array.from({ length: count }, (_, n) => ({ n, word: 'w' + n % words })),
    onDocument: (doc) => ({ index: { _index: 'numbers', _id: 'id' + doc.n } })
  })
  if (successful !== count) throw new Error(successful + ' of ' + count + ' numbers were written')
  await client.indices.refresh({ index: 'numbers' })
}

// `config`: what cairn.yaml holds, as a value. `flags`: more words for `cairn serve`. `env`: more variables.
// `keys`: a folder that becomes the new one's keys/.
export async function startCairn ({ documents = false, config, flags = [], env = {}, keys } = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-client-'))
  const ready = path.join(folder, 'ready.json')
  const source = path.join(folder, 'documents')
  const repositories = path.join(folder, 'repositories')
  if (documents) {
    fs.mkdirSync(source)
    fs.writeFileSync(path.join(source, 'a.txt'), 'The first\nabout cats')
    fs.writeFileSync(path.join(source, 'b.md'), '# The second\nabout dogs')
    fs.writeFileSync(path.join(source, 'c.html'), '<title>The third</title><p>about birds')
  }
  if (keys !== undefined) fs.cpSync(keys, path.join(folder, 'data/keys'), { recursive: true })
  const words = [...flags]
  if (config !== undefined) {
    words.push('--config', path.join(folder, 'cairn.yaml'))
    fs.writeFileSync(words.at(-1), JSON.stringify(config))
  }
  const log = fs.openSync(path.join(folder, 'log'), 'w')
  const child = spawn(binary, ['serve', '--data', path.join(folder, 'data'), '--api-listen', '127.0.0.1:0',
    '--objects-listen', '127.0.0.1:0', '--ready-file', ready, ...words], {
    stdio: ['ignore', log, log],
    env: { ...process.env, CAIRN_CONNECTORS__DIRECTORY__ROOTS: source, CAIRN_PATH__REPO: repositories, ...env }
  })
  const exited = new Promise((resolve) => child.on('exit', resolve))
  for (let i = 0; !fs.existsSync(ready) || fs.statSync(ready).size === 0; i++) {
    if (child.exitCode !== null || i > 1500) {
      throw new Error('cairn did not start: ' + fs.readFileSync(path.join(folder, 'log'), 'utf8'))
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { api, objects } = JSON.parse(fs.readFileSync(ready, 'utf8'))
  return {
    api,
    objects,
    documents: source,
    repositories,
    keys: path.join(folder, 'data/keys'),
    adminKey: fs.readFileSync(path.join(folder, 'data/keys/admin.key'), 'utf8').trim(),
    objectsPair: pairOf(JSON.parse(fs.readFileSync(path.join(folder, 'data/keys/admin-s3.json'), 'utf8'))),
    // A pair of the object storage, made through the platform's API: `wanted` names account and user.
    async makePair (wanted) {
      const answer = await fetch(api + '/_security/object_key', {
        method: 'POST',
        headers: { authorization: 'ApiKey ' + this.adminKey, 'content-type': 'application/json' },
        body: JSON.stringify(wanted)
      })
      if (!answer.ok) throw new Error(await answer.text())
      return pairOf(await answer.json())
    },
    signal: (name) => child.kill(name),
    // kill -9, as a crash does.
    async kill () {
      child.kill('SIGKILL')
      await exited
    },
    // The exit status, null of one that was killed.
    async stop () {
      child.kill('SIGTERM')
      const status = await exited
      fs.rmSync(folder, { recursive: true, force: true })
      return status
    }
  }
}
