// @aws-sdk/client-s3 with its upload and presigning companions, unmodified and with the checksums
// that it makes by default: what an application does with objects.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import http from 'node:http'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { oddKeys, sorted } from './odd_keys.mjs'
import { startCairn } from './server.mjs'

const otherAccount = '210987654321'
let cairn, client, other

const connect = (credentials, more) => new s3.S3({
  endpoint: cairn.objects, region: 'us-east-1', forcePathStyle: true, credentials, ...more
})

before(async () => {
  cairn = await startCairn({ config: { objects: { customer_keys_over_http: true } } })
  client = connect(cairn.objectsPair)
  other = connect(await cairn.makePair({ account: otherAccount }))
})
after(async () => {
  client?.destroy()
  other?.destroy()
  await cairn?.stop()
})

let made = 0
async function newBucket (more) {
  const Bucket = `js-${++made}`
  await client.createBucket({ Bucket, ...more })
  return Bucket
}
const text = async (answer) => (await answer).Body.transformToString()
const bytes = async (answer) => Buffer.from(await (await answer).Body.transformToByteArray())
const refused = (promise, name) => assert.rejects(promise, (error) => {
  assert.equal(error.name, name, error.stack)
  return true
})

test('the table of compatibility has every operation of this client', () => {
  const table = fs.readFileSync(new URL('../../../docs/reference/object-compatibility.md', import.meta.url), 'utf8')
  const operations = Object.keys(s3).filter((name) => /^\w+Command$/.test(name)).map((name) => name.slice(0, -'Command'.length))
  assert.ok(operations.length > 100)
  assert.deepEqual(operations.filter((name) => !table.includes(`\`${name}\``)), [])
})

describe('buckets', () => {
  test('are made, found, listed in pages, and removed', async () => {
    const Bucket = await newBucket()
    await client.headBucket({ Bucket })
    await newBucket()
    const listed = []
    for await (const page of s3.paginateListBuckets({ client, pageSize: 1 }, {})) listed.push(...page.Buckets)
    assert.ok(listed.some((bucket) => bucket.Name === Bucket && bucket.BucketRegion === 'us-east-1'))
    await s3.waitUntilBucketExists({ client, maxWaitTime: 30 }, { Bucket })
    await client.deleteBucket({ Bucket })
    await refused(client.headBucket({ Bucket }), 'NotFound')
    await refused(client.listObjectsV2({ Bucket }), 'NoSuchBucket')
    await refused(client.createBucket({ Bucket: 'No_Good' }), 'InvalidBucketName')
  })

  test('of another region say where they are', async () => {
    const Bucket = await newBucket({ CreateBucketConfiguration: { LocationConstraint: 'eu-west-1' } })
    assert.equal((await client.getBucketLocation({ Bucket })).LocationConstraint, 'eu-west-1')
    assert.equal((await client.headBucket({ Bucket })).BucketRegion, 'eu-west-1')
  })

  test('keep tags, CORS, lifecycle, encryption, policy', async () => {
    const Bucket = await newBucket({ CreateBucketConfiguration: { Tags: [{ Key: 'made', Value: 'with it' }] } })
    assert.deepEqual((await client.getBucketTagging({ Bucket })).TagSet, [{ Key: 'made', Value: 'with it' }])
    const rule = { AllowedMethods: ['GET'], AllowedOrigins: ['*'], ExposeHeaders: ['ETag'], MaxAgeSeconds: 5 }
    await client.putBucketCors({ Bucket, CORSConfiguration: { CORSRules: [rule] } })
    assert.deepEqual((await client.getBucketCors({ Bucket })).CORSRules, [rule])
    const preflight = await fetch(`${cairn.objects}/${Bucket}/k`, {
      method: 'OPTIONS', headers: { origin: 'http://page.example.com', 'access-control-request-method': 'GET' }
    })
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
    const Rules = [{ ID: 'tmp', Status: 'Enabled', Filter: { Prefix: 'tmp/' }, Expiration: { Days: 1 } }]
    await client.putBucketLifecycleConfiguration({ Bucket, LifecycleConfiguration: { Rules } })
    assert.deepEqual((await client.getBucketLifecycleConfiguration({ Bucket })).Rules, Rules)
    await client.putBucketEncryption({
      Bucket,
      ServerSideEncryptionConfiguration: { Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }] }
    })
    assert.equal((await client.putObject({ Bucket, Key: 'k', Body: 'x' })).ServerSideEncryption, 'AES256')
    assert.equal(await text(client.getObject({ Bucket, Key: 'k' })), 'x')
    await refused(client.getBucketPolicy({ Bucket }), 'NoSuchBucketPolicy')
    await refused(client.getBucketWebsite({ Bucket }), 'NoSuchWebsiteConfiguration')
    await client.putBucketLogging({ Bucket, BucketLoggingStatus: {} })
    await refused(client.putBucketLogging({
      Bucket,
      BucketLoggingStatus: { LoggingEnabled: { TargetBucket: Bucket, TargetPrefix: '' } }
    }), 'NotImplemented')
    await refused(client.listBucketMetricsConfigurations({ Bucket }), 'NotImplemented')
  })
})

describe('objects', () => {
  test('of 0 B, 1 B and 20 MB go up and come down, verified by default', async () => {
    const Bucket = await newBucket()
    for (const size of [0, 1, 20_000_000]) {
      const Body = randomBytes(size)
      const put = await client.putObject({ Bucket, Key: `${size}`, Body })
      assert.ok(put.ChecksumCRC32)
      const got = await client.getObject({ Bucket, Key: `${size}` })
      assert.equal(got.ChecksumCRC32, put.ChecksumCRC32)
      assert.ok((await bytes(got)).equals(Body))
      assert.equal(got.ETag, `"${createHash('md5').update(Body).digest('hex')}"`)
    }
  })

  test('stream in without a length, in chunks with a trailer', async () => {
    const Bucket = await newBucket()
    const pieces = Array.from({ length: 9 }, () => randomBytes(70_000))
    const Body = Readable.from(pieces)
    await client.putObject({ Bucket, Key: 'k', Body, ContentLength: 630_000 })
    assert.ok((await bytes(client.getObject({ Bucket, Key: 'k' }))).equals(Buffer.concat(pieces)))
  })

  test('stream in by parts of an unknown number', async () => {
    const Bucket = await newBucket()
    const whole = randomBytes(20_000_000)
    const done = await new Upload({
      client,
      params: { Bucket, Key: 'large', Body: Readable.from([whole.subarray(0, 7), whole.subarray(7)]), ContentType: 'x/y' },
      partSize: 5 << 20
    }).done()
    assert.match(done.ETag, /-4"$/)
    const head = await client.headObject({ Bucket, Key: 'large', ChecksumMode: 'ENABLED' })
    assert.match(head.ChecksumCRC32, /-4$/)
    assert.equal(head.ChecksumType, 'COMPOSITE')
    assert.equal(head.ContentType, 'x/y')
    assert.ok((await bytes(client.getObject({ Bucket, Key: 'large' }))).equals(whole))
    const part = await client.getObject({ Bucket, Key: 'large', PartNumber: 4 })
    assert.equal(part.PartsCount, 4)
    assert.ok((await bytes(part)).equals(whole.subarray(15 << 20)))
  })

  for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']) {
    test(`carry ${ChecksumAlgorithm}, alone and in parts`, async () => {
      const Bucket = await newBucket()
      const field = `Checksum${ChecksumAlgorithm}`
      const put = await client.putObject({ Bucket, Key: 'k', Body: 'hello', ChecksumAlgorithm })
      assert.ok(put[field])
      const got = await client.getObject({ Bucket, Key: 'k', ChecksumMode: 'ENABLED' })
      assert.equal(got[field], put[field])
      assert.equal(await text(got), 'hello')
      await refused(client.putObject({ Bucket, Key: 'k', Body: 'other', [field]: put[field] }), 'BadDigest')
      const begun = await client.createMultipartUpload({ Bucket, Key: 'p', ChecksumAlgorithm })
      const where = { Bucket, Key: 'p', UploadId: begun.UploadId }
      const part = await client.uploadPart({ ...where, PartNumber: 1, Body: 'hello', ChecksumAlgorithm })
      assert.equal(part[field], put[field])
      const Parts = [{ PartNumber: 1, ETag: part.ETag, [field]: part[field] }]
      const whole = await client.completeMultipartUpload({ ...where, MultipartUpload: { Parts } })
      assert.equal(whole.ChecksumType, ChecksumAlgorithm === 'CRC64NVME' ? 'FULL_OBJECT' : 'COMPOSITE')
      const facts = await client.getObjectAttributes({ Bucket, Key: 'p', ObjectAttributes: ['Checksum', 'ObjectParts', 'ObjectSize', 'StorageClass', 'ETag'] })
      assert.ok(whole[field].startsWith(facts.Checksum[field].split('-')[0]))
      assert.equal(facts.ObjectParts.TotalPartsCount, 1)
      assert.equal(facts.ObjectSize, 5)
    })
  }

  test('in parts may have one checksum of the whole', async () => {
    const Bucket = await newBucket()
    const options = { ChecksumAlgorithm: 'CRC32C', ChecksumType: 'FULL_OBJECT' }
    const begun = await client.createMultipartUpload({ Bucket, Key: 'p', ...options })
    const where = { Bucket, Key: 'p', UploadId: begun.UploadId }
    const Parts = []
    for (const Body of [randomBytes(5 << 20), Buffer.from('end')]) {
      const PartNumber = Parts.length + 1
      const part = await client.uploadPart({ ...where, PartNumber, Body, ChecksumAlgorithm: 'CRC32C' })
      Parts.push({ PartNumber, ETag: part.ETag, ChecksumCRC32C: part.ChecksumCRC32C })
    }
    await refused(client.completeMultipartUpload({ ...where, MultipartUpload: { Parts }, MpuObjectSize: 1 }), 'InvalidRequest')
    await refused(client.completeMultipartUpload({ ...where, MultipartUpload: { Parts }, ChecksumType: 'COMPOSITE' }), 'BadDigest')
    const done = await client.completeMultipartUpload({ ...where, MultipartUpload: { Parts }, ChecksumType: 'FULL_OBJECT', MpuObjectSize: (5 << 20) + 3 })
    assert.equal(done.ChecksumType, 'FULL_OBJECT')
    const got = await client.getObject({ Bucket, Key: 'p', ChecksumMode: 'ENABLED' })
    assert.equal(got.ChecksumCRC32C, done.ChecksumCRC32C)
    assert.equal((await bytes(got)).length, (5 << 20) + 3)
  })

  test('are written, copied, completed and deleted under conditions', async () => {
    const Bucket = await newBucket()
    const put = (Key, Body, more) => client.putObject({ Bucket, Key, Body, ...more })
    const { ETag } = await put('k', 'one', { IfNoneMatch: '*' })
    await refused(put('k', 'two', { IfNoneMatch: '*' }), 'PreconditionFailed')
    await refused(put('k', 'two', { IfMatch: '"x"' }), 'PreconditionFailed')
    await refused(put('none', 'two', { IfMatch: ETag }), 'NoSuchKey')
    const second = await put('k', 'two', { IfMatch: ETag })
    const copy = (more) => client.copyObject({ Bucket, Key: 'copy', CopySource: `${Bucket}/k`, ...more })
    await refused(copy({ CopySourceIfMatch: ETag }), 'PreconditionFailed')
    await copy({ CopySourceIfMatch: second.ETag, IfNoneMatch: '*' })
    await refused(copy({ IfNoneMatch: '*' }), 'PreconditionFailed')
    await assert.rejects(client.getObject({ Bucket, Key: 'k', IfNoneMatch: second.ETag }), (error) => error.$metadata.httpStatusCode === 304)
    await refused(client.getObject({ Bucket, Key: 'k', IfMatch: ETag }), 'PreconditionFailed')
    const complete = async (more) => {
      const { UploadId } = await client.createMultipartUpload({ Bucket, Key: 'k' })
      const where = { Bucket, Key: 'k', UploadId }
      const part = await client.uploadPart({ ...where, PartNumber: 1, Body: 'x' })
      const Parts = [{ PartNumber: 1, ETag: part.ETag }]
      try {
        return await client.completeMultipartUpload({ ...where, MultipartUpload: { Parts }, ...more })
      } finally {
        await client.abortMultipartUpload(where).catch((error) => assert.equal(error.name, 'NoSuchUpload'))
      }
    }
    await refused(complete({ IfNoneMatch: '*' }), 'PreconditionFailed')
    await refused(complete({ IfMatch: ETag }), 'PreconditionFailed')
    const third = await complete({ IfMatch: second.ETag })
    await refused(client.deleteObject({ Bucket, Key: 'k', IfMatch: second.ETag }), 'PreconditionFailed')
    await client.deleteObject({ Bucket, Key: 'k', IfMatch: third.ETag })
    await refused(client.headObject({ Bucket, Key: 'k' }), 'NotFound')
    const writers = Array.from({ length: 20 }, (_, i) => put('race', `${i}`, { IfNoneMatch: '*' }).then(() => 'won', (error) => error.name))
    const ends = await Promise.all(writers)
    assert.equal(ends.filter((end) => end === 'won').length, 1)
    assert.ok(ends.every((end) => ['won', 'PreconditionFailed', 'ConditionalRequestConflict'].includes(end)), ends.join())
  })

  test('keep what is said of them, and copies take it along or not', async () => {
    const Bucket = await newBucket()
    const Metadata = { color: 'red' }
    await client.putObject({ Bucket, Key: 'k', Body: 'x', ContentType: 'text/a', CacheControl: 'no-store', Metadata, Tagging: 'a=1', Expires: new Date(1.9e12) })
    const head = await client.headObject({ Bucket, Key: 'k' })
    assert.deepEqual(head.Metadata, Metadata)
    assert.equal(new Date(head.ExpiresString ?? head.Expires).getTime(), 1.9e12)
    await client.copyObject({ Bucket, Key: 'kept', CopySource: `${Bucket}/k` })
    assert.equal((await client.headObject({ Bucket, Key: 'kept' })).ContentType, 'text/a')
    assert.deepEqual((await client.getObjectTagging({ Bucket, Key: 'kept' })).TagSet, [{ Key: 'a', Value: '1' }])
    await client.copyObject({ Bucket, Key: 'new', CopySource: `${Bucket}/k`, MetadataDirective: 'REPLACE', ContentType: 'text/b', TaggingDirective: 'REPLACE', Tagging: 'b=2', ChecksumAlgorithm: 'SHA256' })
    const replaced = await client.headObject({ Bucket, Key: 'new', ChecksumMode: 'ENABLED' })
    assert.deepEqual([replaced.ContentType, replaced.Metadata, replaced.TagCount], ['text/b', {}, 1])
    assert.ok(replaced.ChecksumSHA256)
  })

  test('are deleted in numbers', async () => {
    const Bucket = await newBucket()
    await Promise.all(Array.from({ length: 40 }, (_, i) => client.putObject({ Bucket, Key: `n/${i}`, Body: 'x' })))
    const Objects = Array.from({ length: 1000 }, (_, i) => ({ Key: `n/${i}` }))
    const done = await client.deleteObjects({ Bucket, Delete: { Objects } })
    assert.equal(done.Deleted.length, 1000)
    assert.equal((await client.listObjectsV2({ Bucket })).KeyCount, 0)
  })

  test('with a customer\'s key are read by who has it', async () => {
    const Bucket = await newBucket()
    const key = randomBytes(32)
    const sse = { SSECustomerAlgorithm: 'AES256', SSECustomerKey: key.toString('base64'), SSECustomerKeyMD5: createHash('md5').update(key).digest('base64') }
    await client.putObject({ Bucket, Key: 'k', Body: 'secret', ...sse })
    assert.equal(await text(client.getObject({ Bucket, Key: 'k', ...sse })), 'secret')
    await refused(client.getObject({ Bucket, Key: 'k' }), 'InvalidRequest')
    const large = randomBytes(11 << 20)
    await new Upload({ client, params: { Bucket, Key: 'large', Body: large, ...sse }, partSize: 5 << 20 }).done()
    assert.ok((await bytes(client.getObject({ Bucket, Key: 'large', ...sse }))).equals(large))
    assert.equal((await bytes(client.getObject({ Bucket, Key: 'large', Range: 'bytes=5242870-5242890', ...sse }))).length, 21)
  })
})

describe('keys', () => {
  test('of all kinds are kept, listed, copied, presigned and deleted', async () => {
    const Bucket = await newBucket()
    await Promise.all(oddKeys.map((Key) => client.putObject({ Bucket, Key, Body: Key })))
    const keys = sorted(oddKeys)
    for (const Key of keys) assert.equal(await text(client.getObject({ Bucket, Key })), Key)
    for (const EncodingType of [undefined, 'url']) {
      const listed = []
      for await (const page of s3.paginateListObjectsV2({ client, pageSize: 5 }, { Bucket, EncodingType })) {
        listed.push(...page.Contents.map(({ Key }) => EncodingType ? decodeURIComponent(Key.replaceAll('+', ' ')) : Key))
      }
      assert.deepEqual(listed, keys)
    }
    for (const Key of keys) {
      await client.copyObject({ Bucket, Key: 'copy', CopySource: encodeURIComponent(`${Bucket}/${Key}`) })
      assert.equal(await text(client.getObject({ Bucket, Key: 'copy' })), Key)
      const url = await getSignedUrl(client, new s3.GetObjectCommand({ Bucket, Key }))
      // fetch() follows what browsers do with dots in paths; servers never see them.
      if (!Key.includes('/./') && !Key.includes('/../')) assert.equal(await (await fetch(url)).text(), Key)
    }
    const gone = await client.deleteObjects({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } })
    assert.deepEqual(gone.Deleted.map(({ Key }) => Key), keys)
    assert.equal((await client.listObjectsV2({ Bucket })).KeyCount, 1)
  })

  test('share prefixes', async () => {
    const Bucket = await newBucket()
    for (const Key of ['a/1', 'a/2', 'b c/1', 'd', 'ü/1']) await client.putObject({ Bucket, Key, Body: 'x' })
    const page = await client.listObjectsV2({ Bucket, Delimiter: '/', MaxKeys: 3 })
    assert.deepEqual(page.CommonPrefixes, [{ Prefix: 'a/' }, { Prefix: 'b c/' }])
    const rest = await client.listObjectsV2({ Bucket, Delimiter: '/', ContinuationToken: page.NextContinuationToken })
    assert.deepEqual(rest.CommonPrefixes, [{ Prefix: 'ü/' }])
  })
})

describe('versions', () => {
  test('stack up, hide under markers, and come back', async () => {
    const Bucket = await newBucket()
    await client.putBucketVersioning({ Bucket, VersioningConfiguration: { Status: 'Enabled' } })
    const ids = []
    for (const Body of ['1', '2']) ids.push((await client.putObject({ Bucket, Key: 'k', Body })).VersionId)
    const gone = await client.deleteObject({ Bucket, Key: 'k' })
    assert.equal(gone.DeleteMarker, true)
    await refused(client.getObject({ Bucket, Key: 'k' }), 'NoSuchKey')
    assert.equal(await text(client.getObject({ Bucket, Key: 'k', VersionId: ids[0] })), '1')
    const all = await client.listObjectVersions({ Bucket })
    assert.deepEqual(all.Versions.map(({ VersionId }) => VersionId), [ids[1], ids[0]])
    assert.equal(all.DeleteMarkers.length, 1)
    const copied = await client.copyObject({ Bucket, Key: 'k', CopySource: `${Bucket}/k?versionId=${ids[0]}` })
    assert.equal(copied.CopySourceVersionId, ids[0])
    assert.equal(await text(client.getObject({ Bucket, Key: 'k' })), '1')
    const Objects = [...all.Versions, ...all.DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }))
    await client.deleteObjects({ Bucket, Delete: { Objects } })
    assert.deepEqual((await client.listObjectVersions({ Bucket })).Versions.map(({ VersionId }) => VersionId), [copied.VersionId])
  })

  test('are locked, until their time or for good', async () => {
    const Bucket = await newBucket({ ObjectLockEnabledForBucket: true })
    const RetainUntilDate = new Date(Math.ceil(Date.now() / 1000 + 3600) * 1000)
    const put = await client.putObject({ Bucket, Key: 'k', Body: 'x', ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: RetainUntilDate })
    const where = { Bucket, Key: 'k', VersionId: put.VersionId }
    assert.deepEqual((await client.getObjectRetention(where)).Retention, { Mode: 'GOVERNANCE', RetainUntilDate })
    await refused(client.deleteObject(where), 'AccessDenied')
    await client.putObjectLegalHold({ ...where, LegalHold: { Status: 'ON' } })
    await refused(client.deleteObject({ ...where, BypassGovernanceRetention: true }), 'AccessDenied')
    await client.putObjectLegalHold({ ...where, LegalHold: { Status: 'OFF' } })
    await client.deleteObject({ ...where, BypassGovernanceRetention: true })
    await client.putObjectLockConfiguration({ Bucket, ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled', Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 1 } } } })
    const kept = await client.putObject({ Bucket, Key: 'c', Body: 'x' })
    await refused(client.deleteObject({ Bucket, Key: 'c', VersionId: kept.VersionId, BypassGovernanceRetention: true }), 'AccessDenied')
  })
})

describe('access', () => {
  test('by presigned URLs, for reading and writing', async () => {
    const Bucket = await newBucket()
    const sign = (command, options) => getSignedUrl(client, command, { expiresIn: 60, ...options })
    const put = await sign(new s3.PutObjectCommand({ Bucket, Key: 'a b', ContentType: 'text/told' }), { signableHeaders: new Set(['content-type']) })
    assert.equal((await fetch(put, { method: 'PUT', body: 'by URL', headers: { 'content-type': 'text/other' } })).status, 403)
    assert.equal((await fetch(put, { method: 'PUT', body: 'by URL', headers: { 'content-type': 'text/told' } })).status, 200)
    // The signer moves these into the query, beside a checksum of no body.
    const told = await sign(new s3.PutObjectCommand({ Bucket, Key: 'told', Metadata: { color: 'red' }, StorageClass: 'STANDARD_IA' }))
    assert.match(told, /x-amz-meta-color=red/)
    assert.equal((await fetch(told, { method: 'PUT', body: 'by URL' })).status, 200)
    const head = await client.headObject({ Bucket, Key: 'told' })
    assert.deepEqual([head.Metadata, head.StorageClass], [{ color: 'red' }, 'STANDARD_IA'])
    const get = await sign(new s3.GetObjectCommand({ Bucket, Key: 'a b', ResponseContentDisposition: 'attachment' }))
    const answer = await fetch(get)
    assert.equal(answer.headers.get('content-disposition'), 'attachment')
    assert.equal(await answer.text(), 'by URL')
    const spoiled = await fetch(get.replace('attachment', 'inline'))
    assert.match(await spoiled.text(), /<Code>SignatureDoesNotMatch</)
    const old = await sign(new s3.GetObjectCommand({ Bucket, Key: 'a b' }), { signingDate: new Date(Date.now() - 3600_000) })
    assert.match(await (await fetch(old)).text(), /<Message>Request has expired</)
    assert.equal((await fetch(await sign(new s3.DeleteObjectCommand({ Bucket, Key: 'a b' })), { method: 'DELETE' })).status, 204)
  })

  test('by policy and grants, for another account and for everybody', async () => {
    const Bucket = await newBucket({ ObjectOwnership: 'BucketOwnerPreferred' })
    await client.putObject({ Bucket, Key: 'k', Body: 'seen' })
    const look = () => other.getObject({ Bucket, Key: 'k' })
    await refused(look(), 'AccessDenied')
    const Statement = [{ Effect: 'Allow', Principal: { AWS: `arn:aws:iam::${otherAccount}:root` }, Action: 's3:GetObject', Resource: `arn:aws:s3:::${Bucket}/*` }]
    await client.putBucketPolicy({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) })
    assert.equal(await text(look()), 'seen')
    await client.deleteBucketPolicy({ Bucket })
    await refused(look(), 'AccessDenied')
    const { Owner } = await other.listBuckets({})
    await client.putObjectAcl({ Bucket, Key: 'k', GrantRead: `id="${Owner.ID}"` })
    assert.equal(await text(look()), 'seen')
    const open = `${cairn.objects}/${Bucket}/k`
    assert.equal((await fetch(open)).status, 403)
    await client.deletePublicAccessBlock({ Bucket })
    await client.putObjectAcl({ Bucket, Key: 'k', ACL: 'public-read' })
    assert.equal(await (await fetch(open)).text(), 'seen')
    assert.equal((await fetch(open, { method: 'PUT', body: 'x' })).status, 403)
    await refused(client.listObjectsV2({ Bucket, ExpectedBucketOwner: otherAccount }), 'AccessDenied')
    await refused(connect({ accessKeyId: 'NOBODY', secretAccessKey: 'x' }).listBuckets({}), 'InvalidAccessKeyId')
  })

  test('with buckets as names of hosts', async () => {
    const virtual = await startCairn({ config: { objects: { domains: ['objects.localhost'] } } })
    try {
      const port = new URL(virtual.objects).port
      // Not every machine's resolver knows names below localhost.
      const lookup = (name, options, done) => options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)
      const named = new s3.S3({
        endpoint: `http://objects.localhost:${port}`,
        region: 'us-east-1',
        credentials: virtual.objectsPair,
        requestHandler: { httpAgent: new http.Agent({ lookup }) }
      })
      await named.createBucket({ Bucket: 'by-name' })
      await named.putObject({ Bucket: 'by-name', Key: 'a/b c', Body: 'x' })
      assert.equal(await text(named.getObject({ Bucket: 'by-name', Key: 'a/b c' })), 'x')
      assert.deepEqual((await named.listObjectsV2({ Bucket: 'by-name' })).Contents.map(({ Key }) => Key), ['a/b c'])
      named.destroy()
    } finally {
      await virtual.stop()
    }
  })
})
