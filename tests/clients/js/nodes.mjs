// SPDX-License-Identifier: Apache-2.0
// Several Cairns over one store, which is on the object storage of one more.
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { startCairn } from './server.mjs'

// Short, since a node that stands still keeps the store as long.
const LEASE = '3s'

async function storeOn (storage) {
  const s3 = new S3Client({
    endpoint: storage.objects, region: 'us-east-1', forcePathStyle: true, credentials: storage.objectsPair
  })
  await s3.send(new CreateBucketCommand({ Bucket: 'team' }))
  s3.destroy()
  return {
    AWS_ACCESS_KEY_ID: storage.objectsPair.accessKeyId,
    AWS_SECRET_ACCESS_KEY: storage.objectsPair.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
    CAIRN_STORE__URL: 's3://team/search?endpoint=' + storage.objects
  }
}

export async function startNodes (count) {
  const storage = await startCairn()
  const env = await storeOn(storage)
  const ever = [] // each node that there was
  const group = {
    living: [],
    adminKey: undefined,
    addresses () { return this.living.map(({ api }) => api) },

    // The first one makes the keys, the others get a copy of them, and nothing else.
    async add () {
      const name = 'node-' + (ever.length + 1)
      const node = await startCairn({
        env, keys: this.living[0]?.keys, flags: ['--set', 'node.name=' + name, '--set', 'node.lease=' + LEASE]
      })
      node.name = name
      ever.push(node)
      this.living.push(node)
      this.adminKey ??= node.adminKey
      // The others see it within a second; who looks for nodes before that does not find it.
      for (const until = Date.now() + 60_000; !(await this.lists(node)).includes(name);) {
        if (Date.now() > until) throw new Error(name + ' is not seen by the node that serves')
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },

    // The names of all nodes, as `asked` is told.
    async lists (asked) {
      const { nodes } = await (await this.ask(asked, 'GET', '/_cairn/nodes')).json()
      return (nodes ?? []).map(({ name }) => name)
    },

    // It is asked no more.
    forget (node) { this.living = this.living.filter((one) => one !== node) },

    ask (node, method, path) {
      return fetch(node.api + path, { method, headers: { authorization: 'ApiKey ' + this.adminKey } })
    },

    // The one that serves, as `asked` is told; undefined while nobody does.
    async serving (asked = this.living[0]) {
      const { nodes } = await (await this.ask(asked, 'GET', '/_cairn/nodes')).json()
      const name = nodes?.find(({ role }) => role === 'serving')?.name
      return this.living.find((node) => node.name === name)
    },

    async end () {
      for (const node of this.living) node.signal('SIGCONT')
      await Promise.all(ever.map((node) => node.stop()))
      await storage.stop()
    }
  }
  for (let i = 0; i < count; i++) await group.add()
  return group
}
