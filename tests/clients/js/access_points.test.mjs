// @aws-sdk/client-s3-control and client-s3, unmodified, with access points: made by the one, used by
// the other by ARN, by alias and as the source of copies.
import assert from 'node:assert/strict'
import http from 'node:http'
import { after, before, describe, test } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import * as control from '@aws-sdk/client-s3-control'
import { startCairn } from './server.mjs'

const domain = 'objects.test'
// Every name leads to this machine, as a name server of the users' network would.
const agent = () => new http.Agent({
  keepAlive: true,
  lookup: (host, options, done) => options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)
})
const sent = [] // hosts and paths of all requests
const AccountId = '123456789012'
const other = '210987654321'
let cairn, client, theirs, admin

const watched = (made) => {
  made.middlewareStack.add((next) => async (args) => {
    sent.push(`${args.request.hostname}${args.request.path}`)
    return next(args)
  }, { step: 'finalizeRequest', priority: 'low', name: 'watch' })
  return made
}
const connect = (Kind, credentials) => watched(new Kind({
  endpoint: `http://${domain}:${new URL(cairn.objects).port}`,
  region: 'us-east-1',
  credentials,
  requestHandler: { httpAgent: agent() }
}))

before(async () => {
  cairn = await startCairn({ config: { objects: { domains: [domain] } } })
  const pair = await cairn.makePair({ account: AccountId })
  client = connect(s3.S3, pair)
  admin = connect(control.S3Control, pair)
  theirs = connect(s3.S3, await cairn.makePair({ account: other }))
  await client.createBucket({ Bucket: 'photos' })
  await client.putObject({ Bucket: 'photos', Key: 'k', Body: 'bytes' })
})
after(async () => {
  for (const each of [client, admin, theirs]) each?.destroy()
  await cairn?.stop()
})

const text = async (answer) => (await answer).Body.transformToString()
const refused = (promise, name) => assert.rejects(promise, (error) => {
  assert.equal(error.name, name, error.stack)
  return true
})
let made = 0
async function newPoint () {
  const Name = `point-${++made}`
  return { Name, ...await admin.createAccessPoint({ AccountId, Name, Bucket: 'photos' }) }
}

describe('access points', () => {
  test('are made, shown, listed in pages and deleted', async () => {
    sent.length = 0
    const { Name, AccessPointArn, Alias } = await newPoint()
    assert.equal(sent[0], `${AccountId}.${domain}/v20180820/accesspoint/${Name}`)
    assert.equal(AccessPointArn, `arn:aws:s3:us-east-1:${AccountId}:accesspoint/${Name}`)
    const shown = await admin.getAccessPoint({ AccountId, Name })
    assert.deepEqual([shown.Name, shown.Bucket, shown.NetworkOrigin, shown.Alias, shown.BucketAccountId],
      [Name, 'photos', 'Internet', Alias, AccountId])
    assert.ok(shown.CreationDate instanceof Date)
    assert.ok(shown.PublicAccessBlockConfiguration.RestrictPublicBuckets)
    await newPoint()
    const listed = []
    for await (const page of control.paginateListAccessPoints({ client: admin, pageSize: 1 }, { AccountId, Bucket: 'photos' })) {
      listed.push(...page.AccessPointList)
    }
    assert.ok(listed.length >= 2)
    assert.ok(listed.some((point) => point.AccessPointArn === AccessPointArn && point.Alias === Alias))
    await refused(admin.createAccessPoint({ AccountId, Name, Bucket: 'photos' }), 'AccessPointAlreadyOwnedByYou')
    await admin.deleteAccessPoint({ AccountId, Name })
    await refused(admin.getAccessPoint({ AccountId, Name }), 'NoSuchAccessPoint')
    await refused(client.getObject({ Bucket: AccessPointArn, Key: 'k' }), 'NoSuchBucket')
  })

  test('stand for their bucket by ARN and by alias', async () => {
    const { Name, AccessPointArn, Alias } = await newPoint()
    sent.length = 0
    for (const Bucket of [AccessPointArn, Alias]) {
      await client.putObject({ Bucket, Key: 'through', Body: Bucket })
      assert.equal(await text(client.getObject({ Bucket: 'photos', Key: 'through' })), Bucket)
      const keys = (await client.listObjectsV2({ Bucket })).Contents.map((each) => each.Key)
      assert.ok(keys.includes('through'))
      await client.copyObject({ Bucket, Key: 'copy', CopySource: `${Alias}/k` })
      await client.copyObject({ Bucket: 'photos', Key: 'copy', CopySource: encodeURIComponent(`${AccessPointArn}/object/k`) })
      await client.deleteObjects({ Bucket, Delete: { Objects: [{ Key: 'through' }, { Key: 'copy' }] } })
      await refused(client.putBucketVersioning({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }), 'MethodNotAllowed')
    }
    assert.ok(sent[0].startsWith(`${Name}-${AccountId}.${domain}/through`), sent[0])
    assert.ok(sent.some((each) => each.startsWith(`${Alias}.${domain}/through`)))
    assert.equal((await client.headBucket({ Bucket: Alias })).AccessPointAlias, true)
  })

  test('take uploads in parts', async () => {
    const { AccessPointArn: Bucket } = await newPoint()
    const { UploadId } = await client.createMultipartUpload({ Bucket, Key: 'parts' })
    const { ETag } = await client.uploadPart({ Bucket, Key: 'parts', UploadId, PartNumber: 1, Body: 'part' })
    assert.equal((await client.listParts({ Bucket, Key: 'parts', UploadId })).Parts.length, 1)
    const done = await client.completeMultipartUpload({ Bucket, Key: 'parts', UploadId, MultipartUpload: { Parts: [{ ETag, PartNumber: 1 }] } })
    assert.equal(done.Bucket, 'photos')
    await client.deleteObject({ Bucket, Key: 'parts' })
  })

  test('let others in where their policy and the bucket do', async () => {
    const { Name, AccessPointArn } = await newPoint()
    const get = () => theirs.getObject({ Bucket: AccessPointArn, Key: 'k' })
    await refused(get(), 'AccessDenied')
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { AWS: other }, Action: 's3:GetObject', Resource: `${AccessPointArn}/object/*` }]
    })
    await refused(admin.getAccessPointPolicy({ AccountId, Name }), 'NoSuchAccessPointPolicy')
    await admin.putAccessPointPolicy({ AccountId, Name, Policy })
    assert.equal((await admin.getAccessPointPolicy({ AccountId, Name })).Policy, Policy)
    assert.equal((await admin.getAccessPointPolicyStatus({ AccountId, Name })).PolicyStatus.IsPublic, false)
    await refused(get(), 'AccessDenied')
    await client.putBucketPolicy({
      Bucket: 'photos',
      Policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [{
          Effect: 'Allow',
          Principal: '*',
          Action: '*',
          Resource: ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*'],
          Condition: { StringEquals: { 's3:DataAccessPointAccount': AccountId } }
        }]
      })
    })
    assert.equal(await text(get()), 'bytes')
    await refused(theirs.getObject({ Bucket: 'photos', Key: 'k' }), 'AccessDenied')
    await admin.deleteAccessPointPolicy({ AccountId, Name })
    await refused(get(), 'AccessDenied')
  })

  test('are refused by name where they cannot be what is asked', async () => {
    await refused(admin.createAccessPoint({ AccountId, Name: 'vpc', Bucket: 'photos', VpcConfiguration: { VpcId: 'vpc-1' } }), 'NotImplemented')
    await refused(admin.createAccessPoint({ AccountId, Name: 'nowhere', Bucket: 'nowhere' }), 'NoSuchBucket')
    await refused(admin.getAccessPoint({ AccountId: other, Name: 'x-y-z' }), 'AccessDenied')
  })
})
