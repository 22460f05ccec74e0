// @aws-sdk/client-s3, unmodified, with directory buckets: it finds them by host name, makes a session
// with each, and renews it by itself.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import http from 'node:http'
import { after, before, describe, test } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { startCairn } from './server.mjs'

const domain = 'objects.test'
// Every name leads to this machine, as a name server of the users' network would.
const agent = () => new http.Agent({
  keepAlive: true,
  lookup: (host, options, done) => options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)
})
const sent = [] // the requests of `client`: method, host, signed service, whether in a session
// With an endpoint of one's own this SDK would ask for a session before it makes the bucket: buckets
// are made and managed by a client without sessions.
const plainly = { disableS3ExpressSessionAuth: true }
let cairn, client, control, other

const connect = (credentials, more) => {
  const made = new s3.S3({
    endpoint: `http://${domain}:${new URL(cairn.objects).port}`,
    region: 'us-east-1',
    credentials,
    requestHandler: { httpAgent: agent() },
    ...more
  })
  made.middlewareStack.add((next) => async (args) => {
    const { method, hostname, path, headers } = args.request
    sent.push({
      method,
      hostname,
      path,
      service: headers.authorization?.match(/\/(s3\w*)\/aws4_request/)?.[1],
      session: 'x-amz-s3session-token' in headers
    })
    return next(args)
  }, { step: 'finalizeRequest', priority: 'low', name: 'watch' })
  return made
}

before(async () => {
  cairn = await startCairn({
    config: {
      objects: {
        domains: [domain],
        zones: [{ id: 'use1-az4', type: 'AvailabilityZone' }, { id: 'use1-bos1-az1', type: 'LocalZone' }]
      }
    }
  })
  client = connect(cairn.objectsPair)
  control = connect(cairn.objectsPair, plainly)
  other = connect(await cairn.makePair({ account: '210987654321' }))
})
after(async () => {
  client?.destroy()
  control?.destroy()
  other?.destroy()
  await cairn?.stop()
})

const CreateBucketConfiguration = {
  Location: { Type: 'AvailabilityZone', Name: 'use1-az4' },
  Bucket: { DataRedundancy: 'SingleAvailabilityZone', Type: 'Directory' }
}
let made = 0
async function newBucket () {
  const Bucket = `js-${++made}--use1-az4--x-s3`
  await control.createBucket({ Bucket, CreateBucketConfiguration })
  return Bucket
}
const text = async (answer) => (await answer).Body.transformToString()
const refused = (promise, name) => assert.rejects(promise, (error) => {
  assert.equal(error.name, name, error.stack)
  return true
})

describe('directory buckets', () => {
  test('are made, and used by host name in a session', async () => {
    sent.length = 0
    const Bucket = await newBucket()
    await client.putObject({ Bucket, Key: 'a/b', Body: 'bytes' })
    assert.equal(await text(client.getObject({ Bucket, Key: 'a/b' })), 'bytes')
    const [create, session, put, get] = sent
    assert.deepEqual([create.hostname, create.service, create.session], [`${Bucket}.${domain}`, 's3express', false])
    assert.deepEqual([session.hostname, session.service, session.session],
      [`${Bucket}.${domain}`, 's3express', false])
    assert.deepEqual([put.hostname, put.path, put.session], [`${Bucket}.${domain}`, '/a/b', true])
    assert.equal(get.session, true)
    assert.equal(sent.length, 4) // one session serves them all
    const head = await client.headBucket({ Bucket })
    assert.deepEqual([head.BucketLocationType, head.BucketLocationName, head.BucketRegion],
      ['AvailabilityZone', 'use1-az4', 'us-east-1'])
    await refused(control.deleteBucket({ Bucket }), 'BucketNotEmpty')
    await client.deleteObject({ Bucket, Key: 'a/b' })
    await control.deleteBucket({ Bucket })
    await refused(client.headBucket({ Bucket }), 'NotFound')
  })

  test('are listed apart from the others', async () => {
    const Bucket = await newBucket()
    await client.createBucket({ Bucket: 'general' })
    const listed = []
    for await (const page of s3.paginateListDirectoryBuckets({ client, pageSize: 1 }, {})) listed.push(...page.Buckets)
    assert.ok(listed.some((bucket) => bucket.Name === Bucket))
    assert.ok(!listed.some((bucket) => bucket.Name === 'general'))
    const general = (await client.listBuckets({})).Buckets
    assert.deepEqual(general.map((bucket) => bucket.Name), ['general'])
  })

  test('keep objects with their class, checksums and metadata', async () => {
    const Bucket = await newBucket()
    const Body = randomBytes(200_000)
    const put = await client.putObject({ Bucket, Key: 'k', Body, Metadata: { color: 'red' } })
    assert.ok(put.ChecksumCRC32)
    const head = await client.headObject({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' })
    assert.equal(head.StorageClass, 'EXPRESS_ONEZONE')
    assert.equal(head.ChecksumCRC32, put.ChecksumCRC32)
    assert.equal(head.Metadata.color, 'red')
    assert.equal(head.VersionId, undefined)
    const attributes = await client.getObjectAttributes({ Bucket, Key: 'k', ObjectAttributes: ['ObjectSize', 'StorageClass'] })
    assert.deepEqual([attributes.ObjectSize, attributes.StorageClass], [200_000, 'EXPRESS_ONEZONE'])
    await refused(client.putObject({ Bucket, Key: 'x', StorageClass: 'STANDARD' }), 'InvalidStorageClass')
    await refused(client.putObject({ Bucket, Key: 'x', Tagging: 'a=b' }), 'NotImplemented')
    await refused(client.putObject({ Bucket, Key: 'x', ACL: 'private' }), 'NotImplemented')
    await refused(control.getBucketVersioning({ Bucket }), 'NotImplemented')
  })

  test('take uploads in parts, and are not deleted under them', async () => {
    const Bucket = await newBucket()
    const Body = randomBytes(12 << 20)
    await new Upload({ client, params: { Bucket, Key: 'big', Body } }).done()
    const back = await client.getObject({ Bucket, Key: 'big' })
    const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
    assert.equal(digest(await back.Body.transformToByteArray()), digest(Body))
    await client.deleteObject({ Bucket, Key: 'big' })
    const { UploadId } = await client.createMultipartUpload({ Bucket, Key: 'open' })
    const { Initiated } = (await client.listMultipartUploads({ Bucket })).Uploads[0]
    await refused(control.deleteBucket({ Bucket }), 'BucketNotEmpty')
    const later = new Date(Initiated.getTime() + 60_000)
    await refused(client.abortMultipartUpload({ Bucket, Key: 'open', UploadId, IfMatchInitiatedTime: later }),
      'PreconditionFailed')
    await client.abortMultipartUpload({ Bucket, Key: 'open', UploadId, IfMatchInitiatedTime: Initiated })
    await client.abortMultipartUpload({ Bucket, Key: 'open', UploadId, IfMatchInitiatedTime: Initiated })
    await control.deleteBucket({ Bucket })
  })

  test('are listed by folders', async () => {
    const Bucket = await newBucket()
    for (const Key of ['a/1', 'a/2', 'b/1', 'top']) await client.putObject({ Bucket, Key, Body: Key })
    const page = await client.listObjectsV2({ Bucket, Delimiter: '/' })
    assert.deepEqual(page.CommonPrefixes.map((each) => each.Prefix), ['a/', 'b/'])
    assert.deepEqual(page.Contents.map((each) => each.Key), ['top'])
    const inside = []
    for await (const each of s3.paginateListObjectsV2({ client, pageSize: 1 }, { Bucket, Prefix: 'a/' })) inside.push(...each.Contents)
    assert.deepEqual(inside.map((each) => each.Key), ['a/1', 'a/2'])
    await refused(client.listObjectsV2({ Bucket, Prefix: 'a' }), 'InvalidArgument')
    await client.deleteObjects({ Bucket, Delete: { Objects: [{ Key: 'a/1' }, { Key: 'a/2' }] } })
    assert.equal((await client.listObjectsV2({ Bucket })).KeyCount, 2)
  })

  test('rename objects in one step', async () => {
    const Bucket = await newBucket()
    await client.putObject({ Bucket, Key: 'part ä', Body: 'bytes', Metadata: { color: 'red' } })
    await client.renameObject({ Bucket, Key: 'done', RenameSource: encodeURIComponent('part ä') })
    const got = await client.getObject({ Bucket, Key: 'done' })
    assert.equal(got.Metadata.color, 'red')
    assert.equal(await got.Body.transformToString(), 'bytes')
    await refused(client.headObject({ Bucket, Key: 'part ä' }), 'NotFound')
    await client.putObject({ Bucket, Key: 'next', Body: 'x' })
    await refused(client.renameObject({ Bucket, Key: 'done', RenameSource: 'next', DestinationIfNoneMatch: '*' }),
      'PreconditionFailed')
  })

  test('append to objects', async () => {
    const Bucket = await newBucket()
    await client.putObject({ Bucket, Key: 'log', Body: 'one\n', WriteOffsetBytes: 0 })
    const second = await client.putObject({ Bucket, Key: 'log', Body: 'two\n', WriteOffsetBytes: 4 })
    assert.equal(second.Size, 8)
    await refused(client.putObject({ Bucket, Key: 'log', Body: 'two\n', WriteOffsetBytes: 4 }), 'InvalidWriteOffset')
    const got = await client.getObject({ Bucket, Key: 'log', ChecksumMode: 'ENABLED' })
    assert.equal(await got.Body.transformToString(), 'one\ntwo\n')
    assert.equal(got.ETag, second.ETag)
    assert.equal(got.ChecksumType, 'FULL_OBJECT')
  })

  test('are copied to, from and between', async () => {
    const Bucket = await newBucket()
    const Target = await newBucket()
    await client.createBucket({ Bucket: 'plain' })
    await client.putObject({ Bucket: 'plain', Key: 'k', Body: 'bytes' })
    await client.putObject({ Bucket: 'plain', Key: 'tagged', Body: 'bytes', Tagging: 'a=b' })
    const copied = await client.copyObject({ Bucket, Key: 'k', CopySource: '/plain/k' })
    assert.ok(copied.CopyObjectResult.ChecksumCRC32)
    await client.copyObject({ Bucket: Target, Key: 'k', CopySource: `/${Bucket}/k` })
    assert.equal(await text(client.getObject({ Bucket: Target, Key: 'k' })), 'bytes')
    await client.copyObject({ Bucket: 'plain', Key: 'back', CopySource: `/${Target}/k` })
    await refused(client.copyObject({ Bucket, Key: 'x', CopySource: '/plain/tagged' }), 'NotImplemented')
    await client.copyObject({ Bucket, Key: 'x', CopySource: '/plain/tagged', TaggingDirective: 'REPLACE' })
  })

  test('have sessions that only read, and URLs that are signed in one', async () => {
    const Bucket = await newBucket()
    await client.putObject({ Bucket, Key: 'k', Body: 'bytes' })
    const { Credentials } = await client.createSession({ Bucket, SessionMode: 'ReadOnly' })
    const seconds = (Credentials.Expiration - Date.now()) / 1000
    assert.ok(seconds > 200 && seconds < 301, `${seconds} s`)
    const url = await getSignedUrl(client, new s3.GetObjectCommand({ Bucket, Key: 'k' }), { expiresIn: 60 })
    assert.match(url, /X-Amz-S3session-Token=/)
    const { hostname, port, pathname, search } = new URL(url)
    const answer = await new Promise((resolve, reject) => http.get({ hostname, port, path: pathname + search, agent: agent() }, resolve).on('error', reject))
    assert.equal(answer.statusCode, 200)
    answer.resume()
  })

  test('are used without sessions where the client wants that', async () => {
    const Bucket = await newBucket()
    const plain = connect(cairn.objectsPair, plainly)
    sent.length = 0
    await plain.putObject({ Bucket, Key: 'k', Body: 'bytes' })
    assert.equal(await text(plain.getObject({ Bucket, Key: 'k' })), 'bytes')
    assert.deepEqual(sent.map((each) => [each.service, each.session]), [['s3express', false], ['s3express', false]])
    plain.destroy()
  })

  test('belong to one account, until a policy says more', async () => {
    const Bucket = await newBucket()
    await client.putObject({ Bucket, Key: 'k', Body: 'bytes' })
    // This SDK remembers that it was refused a session, so that it asks with another client.
    const early = connect(other.config.credentials)
    await refused(early.getObject({ Bucket, Key: 'k' }), 'AccessDenied')
    early.destroy()
    const { BucketArn } = await client.headBucket({ Bucket })
    await control.putBucketPolicy({
      Bucket,
      Policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [{
          Effect: 'Allow',
          Principal: { AWS: '210987654321' },
          Action: 's3express:CreateSession',
          Resource: BucketArn,
          Condition: { StringEquals: { 's3express:SessionMode': 'ReadOnly' } }
        }]
      })
    })
    assert.equal(await text(other.getObject({ Bucket, Key: 'k' })), 'bytes')
    await refused(other.putObject({ Bucket, Key: 'k', Body: 'x' }), 'AccessDenied')
    const others = connect(other.config.credentials, plainly)
    await refused(others.deleteBucket({ Bucket }), 'AccessDenied')
    await refused(others.getBucketPolicy({ Bucket }), 'AccessDenied')
    others.destroy()
  })

  test('of a Local Zone have its class', async () => {
    const Bucket = 'js--use1-bos1-az1--x-s3'
    await control.createBucket({
      Bucket,
      CreateBucketConfiguration: {
        Location: { Type: 'LocalZone', Name: 'use1-bos1-az1' }, Bucket: { DataRedundancy: 'SingleLocalZone', Type: 'Directory' }
      }
    })
    await client.putObject({ Bucket, Key: 'k', Body: 'x' })
    assert.equal((await client.headObject({ Bucket, Key: 'k' })).StorageClass, 'ONEZONE_IA')
  })
})
