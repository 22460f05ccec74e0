// The minio package, unmodified: its own way of signing, listing and uploading.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { Client, CopyConditions, CopyDestinationOptions, CopySourceOptions } from 'minio'
import { oddKeys, sorted } from './odd_keys.mjs'
import { startCairn } from './server.mjs'

let cairn, client, folder

before(async () => {
  cairn = await startCairn()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cairn-minio-'))
  client = connect(cairn.objectsPair)
})
after(async () => {
  if (folder) fs.rmSync(folder, { recursive: true, force: true })
  await cairn?.stop()
})

function connect ({ accessKeyId, secretAccessKey }, more) {
  const { hostname, port } = new URL(cairn.objects)
  return new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey: accessKeyId, secretKey: secretAccessKey, ...more })
}
let made = 0
async function newBucket (options) {
  const bucket = `minio-${++made}`
  await client.makeBucket(bucket, 'us-east-1', options)
  return bucket
}
const refused = (promise, code) => assert.rejects(promise, (error) => {
  assert.equal(error.code, code, error.stack)
  return true
})
const all = async (stream) => {
  const found = []
  for await (const item of stream) found.push(item)
  return found
}

test('buckets', async () => {
  const bucket = await newBucket()
  assert.equal(await client.bucketExists(bucket), true)
  assert.ok((await client.listBuckets()).some(({ name }) => name === bucket))
  await client.makeBucket('minio-eu', 'eu-central-1')
  assert.equal(await client.getBucketRegionAsync('minio-eu'), 'eu-central-1')
  await client.removeBucket(bucket)
  assert.equal(await client.bucketExists(bucket), false)
  await refused(client.removeBucket(bucket), 'NoSuchBucket')
  await refused(connect({ accessKeyId: 'NOBODY', secretAccessKey: 'x' }).listBuckets(), 'InvalidAccessKeyId')
})

test('objects of 0 B, 1 B and 20 MB, from memory and files', async () => {
  const bucket = await newBucket()
  const files = connect(cairn.objectsPair, { partSize: 8 << 20 })
  for (const size of [0, 1, 20_000_000]) {
    const body = randomBytes(size)
    await client.putObject(bucket, `memory/${size}`, body, size, { 'Content-Type': 'text/a', 'x-amz-meta-color': 'red' })
    const facts = await client.statObject(bucket, `memory/${size}`)
    assert.equal(facts.size, size)
    assert.deepEqual([facts.metaData['content-type'], facts.metaData.color], ['text/a', 'red'])
    assert.ok((await buffer(await client.getObject(bucket, `memory/${size}`))).equals(body))
    fs.writeFileSync(path.join(folder, 'up'), body)
    const put = await files.fPutObject(bucket, `file/${size}`, path.join(folder, 'up'))
    assert.equal(/-3$/.test(put.etag), size === 20_000_000)
    await client.fGetObject(bucket, `file/${size}`, path.join(folder, 'down'))
    assert.ok(fs.readFileSync(path.join(folder, 'down')).equals(body))
  }
  assert.equal(await text(await client.getPartialObject(bucket, 'memory/1', 0, 1)).then((t) => t.length >= 1), true)
  await refused(client.getObject(bucket, 'none'), 'NoSuchKey')
  await refused(client.statObject(bucket, 'none'), 'NotFound')
})

test('keys of all kinds', async () => {
  const bucket = await newBucket()
  // This client takes a leading slash off, and Node's URLs resolve dots.
  const keys = sorted(oddKeys.filter((key) => !key.startsWith('/') && !/\/\.{1,2}\//.test(key)))
  for (const key of keys) await client.putObject(bucket, key, key)
  for (const key of keys) assert.equal(await text(await client.getObject(bucket, key)), key)
  assert.deepEqual((await all(client.listObjects(bucket, '', true))).map(({ name }) => name), keys)
  assert.deepEqual((await all(client.listObjectsV2(bucket, '', true))).map(({ name }) => name), keys)
  const top = (await all(client.listObjectsV2(bucket, '', false))).map(({ name, prefix }) => name ?? prefix)
  assert.ok(top.includes('a/') && top.includes('日本語/') && top.includes('a b'))
  for (const key of keys) {
    await client.copyObject(bucket, 'copy', `/${bucket}/${key}`)
    assert.equal(await text(await client.getObject(bucket, 'copy')), key)
    const url = await client.presignedGetObject(bucket, key, 60)
    assert.equal(await (await fetch(url)).text(), key)
  }
  await client.removeObjects(bucket, keys)
  assert.deepEqual((await all(client.listObjectsV2(bucket, '', true))).map(({ name }) => name), ['copy'])
})

test('copies with conditions, and objects composed of others', async () => {
  const bucket = await newBucket()
  const { etag } = await client.putObject(bucket, 'k', 'source')
  const conditions = new CopyConditions()
  conditions.setMatchETag(etag)
  await client.copyObject(bucket, 'to', `/${bucket}/k`, conditions)
  conditions.setMatchETag('"x"')
  await refused(client.copyObject(bucket, 'to', `/${bucket}/k`, conditions), 'PreconditionFailed')
  const first = randomBytes(5 << 20)
  await client.putObject(bucket, 'first', first)
  await client.composeObject(
    new CopyDestinationOptions({ Bucket: bucket, Object: 'whole' }),
    ['first', 'k'].map((Object) => new CopySourceOptions({ Bucket: bucket, Object })))
  const whole = await buffer(await client.getObject(bucket, 'whole'))
  assert.ok(whole.equals(Buffer.concat([first, Buffer.from('source')])))
})

test('unfinished uploads are listed and removed', async () => {
  const bucket = await newBucket()
  await client.initiateNewMultipartUpload(bucket, 'a b', {})
  assert.deepEqual((await all(client.listIncompleteUploads(bucket, '', true))).map(({ key }) => key), ['a b'])
  await client.removeIncompleteUpload(bucket, 'a b')
  assert.deepEqual(await all(client.listIncompleteUploads(bucket, '', true)), [])
})

test('versions, tags, lock', async () => {
  const bucket = await newBucket({ ObjectLocking: true })
  assert.equal((await client.getBucketVersioning(bucket)).Status, 'Enabled')
  const first = await client.putObject(bucket, 'k', '1')
  await client.putObject(bucket, 'k', '2')
  assert.equal(await text(await client.getObject(bucket, 'k', { versionId: first.versionId })), '1')
  const listed = await all(client.listObjects(bucket, '', true, { IncludeVersion: true }))
  assert.equal(listed.length, 2)
  await client.setObjectTagging(bucket, 'k', { a: 'one', b: 'x y' })
  assert.deepEqual(await client.getObjectTagging(bucket, 'k'), [{ Key: 'a', Value: 'one' }, { Key: 'b', Value: 'x y' }])
  await client.removeObjectTagging(bucket, 'k')
  // Its setBucketTagging takes nothing but 200, and S3 answers 204: it is done all the same.
  await client.setBucketTagging(bucket, { team: 'x' }).catch(() => {})
  assert.deepEqual(await client.getBucketTagging(bucket), [{ Key: 'team', Value: 'x' }])
  await client.setObjectLockConfig(bucket, { mode: 'GOVERNANCE', unit: 'Days', validity: 2 })
  const config = await client.getObjectLockConfig(bucket)
  assert.deepEqual([config.mode, config.unit, config.validity], ['GOVERNANCE', 'Days', 2])
  const until = new Date(Math.ceil(Date.now() / 1000 + 3600) * 1000)
  await client.putObjectRetention(bucket, 'k', { mode: 'GOVERNANCE', retainUntilDate: until.toISOString(), versionId: first.versionId })
  assert.equal((await client.getObjectRetention(bucket, 'k', { versionId: first.versionId })).mode, 'GOVERNANCE')
  await refused(client.removeObject(bucket, 'k', { versionId: first.versionId }), 'AccessDenied')
  await client.setObjectLegalHold(bucket, 'k', { status: 'ON' })
  assert.equal((await client.getObjectLegalHold(bucket, 'k')).Status, 'ON')
  await client.setObjectLegalHold(bucket, 'k', { status: 'OFF' })
  await client.removeObject(bucket, 'k', { versionId: first.versionId, governanceBypass: true })
})

test('policy, lifecycle, encryption', async () => {
  const bucket = await newBucket()
  const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Deny', Principal: '*', Action: ['s3:DeleteObject'], Resource: [`arn:aws:s3:::${bucket}/kept`] }] }
  await client.setBucketPolicy(bucket, JSON.stringify(policy))
  assert.deepEqual(JSON.parse(await client.getBucketPolicy(bucket)), policy)
  await client.putObject(bucket, 'kept', 'x')
  await refused(client.removeObject(bucket, 'kept'), 'AccessDenied')
  await client.setBucketLifecycle(bucket, { Rule: [{ ID: 'tmp', Status: 'Enabled', Filter: { Prefix: 'tmp/' }, Expiration: { Days: 3 } }] })
  const rules = [(await client.getBucketLifecycle(bucket)).Rule].flat()
  assert.equal(rules[0].ID, 'tmp')
  await client.removeBucketLifecycle(bucket)
  await refused(client.getBucketLifecycle(bucket), 'NoSuchLifecycleConfiguration')
  await client.setBucketEncryption(bucket)
  const rule = [(await client.getBucketEncryption(bucket)).ServerSideEncryptionConfiguration.Rule].flat()[0]
  assert.equal(rule.ApplyServerSideEncryptionByDefault.SSEAlgorithm, 'AES256')
  await client.removeBucketEncryption(bucket)
  assert.deepEqual(await client.getBucketNotification(bucket), { TopicConfiguration: [], QueueConfiguration: [], CloudFunctionConfiguration: [] })
})

test('presigned URLs', async () => {
  const bucket = await newBucket()
  const put = await client.presignedPutObject(bucket, 'a+b ü', 60)
  assert.equal((await fetch(put, { method: 'PUT', body: 'by URL' })).status, 200)
  const get = await client.presignedGetObject(bucket, 'a+b ü', 60, { 'response-content-type': 'text/told' })
  const answer = await fetch(get)
  assert.deepEqual([answer.headers.get('content-type'), await answer.text()], ['text/told', 'by URL'])
  assert.equal((await fetch(get.replace('told', 'else'))).status, 403)
  assert.equal((await fetch(get, { method: 'DELETE' })).status, 403)
})

test('presigned forms', async () => {
  const bucket = await newBucket()
  const policy = client.newPostPolicy()
  policy.setBucket(bucket)
  policy.setKeyStartsWith('in/')
  policy.setExpires(new Date(Date.now() + 60_000))
  policy.setContentType('text/plain')
  policy.setContentLengthRange(1, 10)
  policy.setUserMetaData({ color: 'red' })
  const { postURL, formData } = await client.presignedPostPolicy(policy)
  const post = async (file, more) => {
    const data = new FormData()
    for (const [name, value] of Object.entries({ ...formData, ...more })) data.append(name, value)
    data.append('file', new Blob([file]), 'ä b.txt')
    return await fetch(postURL, { method: 'POST', body: data })
  }
  assert.equal((await post('by a form', { key: 'in/${filename}' })).status, 204)
  assert.equal(await text(await client.getObject(bucket, 'in/ä b.txt')), 'by a form')
  const { metaData } = await client.statObject(bucket, 'in/ä b.txt')
  assert.deepEqual([metaData['content-type'], metaData.color], ['text/plain', 'red'])
  assert.equal((await post('by a form', { key: 'out/x' })).status, 403)
  assert.match(await (await post('too long for it', { key: 'in/x' })).text(), /EntityTooLarge/)
})

test('a customer\'s key is refused without TLS', async () => {
  const bucket = await newBucket()
  const key = randomBytes(32)
  const fields = {
    'X-Amz-Server-Side-Encryption-Customer-Algorithm': 'AES256',
    'X-Amz-Server-Side-Encryption-Customer-Key': key.toString('base64'),
    'X-Amz-Server-Side-Encryption-Customer-Key-MD5': createHash('md5').update(key).digest('base64')
  }
  await refused(client.putObject(bucket, 'k', 'x', 1, fields), 'InvalidRequest')
})
