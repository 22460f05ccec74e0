// @aws-sdk/client-s3-control and client-s3, unmodified, with access points: made by the one, used by
// the other by ARN, by alias and as the source of copies.
import assert from 'node:assert/strict'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
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
const outpost = 'op-01ac5d28a6a232904'
const sent = [] // hosts and paths of all requests
const AccountId = '123456789012'
const other = '210987654321'
let cairn, client, theirs, admin, pair, byAlias

const watched = (made) => {
  made.middlewareStack.add((next) => async (args) => {
    sent.push(`${args.request.hostname}${args.request.path}`)
    return next(args)
  }, { step: 'finalizeRequest', priority: 'low', name: 'watch' })
  return made
}
// To outposts the SDK speaks TLS, whatever its endpoint says: what ends that in front of a service
// passes it on in the plain.
const plainAgent = () => {
  const made = new https.Agent({ keepAlive: true })
  made.createConnection = (options, done) => {
    const socket = net.connect(new URL(cairn.objects).port, '127.0.0.1')
    if (done) socket.once('connect', () => done(null, socket))
    return socket
  }
  return made
}
const connect = (Kind, credentials, more) => watched(new Kind({
  endpoint: `http://${domain}:${new URL(cairn.objects).port}`,
  region: 'us-east-1',
  credentials,
  requestHandler: { httpAgent: agent(), httpsAgent: plainAgent() },
  ...more
}))

before(async () => {
  cairn = await startCairn({ config: { objects: { domains: [domain, 'amazonaws.com'], outposts: [{ id: outpost }] } } })
  pair = await cairn.makePair({ account: AccountId })
  client = connect(s3.S3, pair)
  admin = connect(control.S3Control, pair)
  theirs = connect(s3.S3, await cairn.makePair({ account: other }))
  byAlias = watched(new s3.S3({
    region: 'us-east-1',
    credentials: pair,
    requestHandler: { httpsAgent: plainAgent() }
  }))
  await client.createBucket({ Bucket: 'photos' })
  await client.putObject({ Bucket: 'photos', Key: 'k', Body: 'bytes' })
})
after(async () => {
  for (const each of [client, admin, theirs, byAlias]) each?.destroy()
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

  test('of directory buckets are asked by name, in a session of their own', async () => {
    const Bucket = 'maps--use1-az1--x-s3'
    const Name = 'readers--use1-az1--xa-s3'
    const plainly = connect(s3.S3, pair, { disableS3ExpressSessionAuth: true })
    await plainly.createBucket({
      Bucket,
      CreateBucketConfiguration: {
        Location: { Type: 'AvailabilityZone', Name: 'use1-az1' },
        Bucket: { Type: 'Directory', DataRedundancy: 'SingleAvailabilityZone' }
      }
    })
    const scope = { Prefixes: ['a/'], Permissions: ['PutObject', 'GetObject', 'ListBucket'] }
    const made = await admin.createAccessPoint({ AccountId, Name, Bucket, Scope: scope })
    assert.deepEqual([made.Alias, made.AccessPointArn], [Name, `arn:aws:s3express:us-east-1:${AccountId}:accesspoint/${Name}`])
    assert.deepEqual((await admin.getAccessPointScope({ AccountId, Name })).Scope, scope)
    const listed = await admin.listAccessPointsForDirectoryBuckets({ AccountId, DirectoryBucket: Bucket })
    assert.deepEqual(listed.AccessPointList.map((each) => each.Name), [Name])
    assert.ok(!(await admin.listAccessPoints({ AccountId })).AccessPointList?.some((each) => each.Name === Name))
    sent.length = 0
    await client.putObject({ Bucket: Name, Key: 'a/k', Body: 'bytes' })
    assert.equal(await text(client.getObject({ Bucket: Name, Key: 'a/k' })), 'bytes')
    assert.ok(sent.every((each) => each.startsWith(`${Name}.${domain}/`)), sent.join(' '))
    const keys = (await client.listObjectsV2({ Bucket: Name, Prefix: 'a/' })).Contents.map((each) => each.Key)
    assert.deepEqual(keys, ['a/k'])
    await client.copyObject({ Bucket: Name, Key: 'a/copy', CopySource: `${Bucket}/a/k` })
    await refused(client.putObject({ Bucket: Name, Key: 'b/k', Body: 'bytes' }), 'AccessDenied')
    await refused(client.listObjectsV2({ Bucket: Name }), 'AccessDenied')
    await refused(client.deleteObject({ Bucket: Name, Key: 'a/k' }), 'AccessDenied')
    await refused(client.copyObject({ Bucket, Key: 'x', CopySource: `${Name}/a/k` }), 'InvalidRequest')
    await admin.putAccessPointScope({ AccountId, Name, Scope: { Permissions: ['DeleteObject'] } })
    await refused(client.getObject({ Bucket: Name, Key: 'a/k' }), 'AccessDenied')
    await client.deleteObject({ Bucket: Name, Key: 'a/k' })
    await admin.deleteAccessPointScope({ AccountId, Name })
    assert.equal((await admin.getAccessPointScope({ AccountId, Name })).Scope, undefined)
    await client.deleteObject({ Bucket: Name, Key: 'a/copy' })
    await admin.deleteAccessPoint({ AccountId, Name })
    await refused(client.getObject({ Bucket: Name, Key: 'a/k' }), 'NoSuchAccessPoint')
    await plainly.deleteBucket({ Bucket })
    plainly.destroy()
  })

  test('of outposts are the only way to their bucket, by ARN, by host and by alias', async () => {
    const Bucket = `arn:aws:s3-outposts:us-east-1:${AccountId}:outpost/${outpost}/bucket/maps`
    const made = await admin.createBucket({ Bucket: 'maps', OutpostId: outpost })
    assert.equal(made.BucketArn, Bucket)
    assert.equal((await admin.getBucket({ AccountId, Bucket })).Bucket, 'maps')
    const regional = await admin.listRegionalBuckets({ AccountId, OutpostId: outpost })
    assert.deepEqual(regional.RegionalBucketList.map((each) => each.BucketArn), [Bucket])
    const { AccessPointArn, Alias } = await admin.createAccessPoint({ AccountId, Name: 'readers', Bucket })
    assert.equal(AccessPointArn, Bucket.replace('bucket/maps', 'accesspoint/readers'))
    assert.equal((await admin.getAccessPoint({ AccountId, Name: AccessPointArn })).Alias, Alias)
    assert.deepEqual((await admin.listAccessPoints({ AccountId, Bucket })).AccessPointList.map((each) => each.Name), ['readers'])
    sent.length = 0
    const through = AccessPointArn
    await client.putObject({ Bucket: through, Key: 'k', Body: 'bytes' })
    assert.equal(sent[0], `readers-${AccountId}.${outpost}.${domain}/k`)
    const read = await client.getObject({ Bucket: through, Key: 'k' })
    assert.deepEqual([read.StorageClass, await read.Body.transformToString()], ['OUTPOSTS', 'bytes'])
    // By its alias the SDK goes to the vendor's host, with an endpoint as without.
    assert.equal(await text(byAlias.getObject({ Bucket: Alias, Key: 'k' })), 'bytes')
    assert.ok(sent.at(-1).startsWith(`${Alias}.${outpost}.s3-outposts.us-east-1.amazonaws.com/`), sent.at(-1))
    await client.copyObject({ Bucket: through, Key: 'copy', CopySource: encodeURIComponent(`${AccessPointArn}/object/k`) })
    await refused(client.copyObject({ Bucket: 'photos', Key: 'copy', CopySource: `${Alias}/k` }), 'InvalidRequest')
    await refused(client.copyObject({ Bucket: through, Key: 'copy', CopySource: 'photos/k' }), 'InvalidRequest')
    await refused(client.putObject({ Bucket: through, Key: 'x', Body: 'x', StorageClass: 'STANDARD' }), 'InvalidStorageClass')
    await refused(client.putObject({ Bucket: through, Key: 'x', Body: 'x', GrantRead: 'id=x' }), 'NotImplemented')
    await refused(client.getObject({ Bucket: 'maps', Key: 'k' }), 'NoSuchBucket')
    const Policy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { AWS: other }, Action: 's3-outposts:GetObject', Resource: `${AccessPointArn}/object/*` }]
    })
    await refused(theirs.getObject({ Bucket: through, Key: 'k' }), 'AccessDenied')
    await admin.putAccessPointPolicy({ AccountId, Name: AccessPointArn, Policy })
    assert.equal(await text(theirs.getObject({ Bucket: through, Key: 'k' })), 'bytes')
    await client.deleteObjects({ Bucket: through, Delete: { Objects: [{ Key: 'k' }, { Key: 'copy' }] } })
    await refused(admin.deleteBucket({ AccountId, Bucket }), 'BucketHasAccessPointsAttached')
    await admin.deleteAccessPoint({ AccountId, Name: AccessPointArn })
    await admin.deleteBucket({ AccountId, Bucket })
  })

  test('are refused by name where they cannot be what is asked', async () => {
    await refused(admin.createAccessPoint({ AccountId, Name: 'vpc', Bucket: 'photos', VpcConfiguration: { VpcId: 'vpc-1' } }), 'NotImplemented')
    await refused(admin.createAccessPoint({ AccountId, Name: 'nowhere', Bucket: 'nowhere' }), 'NoSuchBucket')
    await refused(admin.getAccessPoint({ AccountId: other, Name: 'x-y-z' }), 'AccessDenied')
  })
})

describe('access grants', () => {
  test('give credentials for a part of a bucket, until the grant ends', async () => {
    await client.createBucket({ Bucket: 'granted' })
    for (const Key of ['a/1', 'b/1']) await client.putObject({ Bucket: 'granted', Key, Body: Key })
    const IAMRoleArn = `arn:aws:iam::${AccountId}:root`
    const instance = await admin.createAccessGrantsInstance({ AccountId })
    assert.equal(instance.AccessGrantsInstanceId, 'default')
    assert.equal((await admin.getAccessGrantsInstance({ AccountId })).AccessGrantsInstanceArn, instance.AccessGrantsInstanceArn)
    const location = await admin.createAccessGrantsLocation({ AccountId, LocationScope: 's3://granted/*', IAMRoleArn })
    const listed = await admin.listAccessGrantsLocations({ AccountId })
    assert.deepEqual(listed.AccessGrantsLocationsList.map((each) => each.LocationScope), ['s3://granted/*'])
    const grant = await admin.createAccessGrant({
      AccountId,
      AccessGrantsLocationId: location.AccessGrantsLocationId,
      AccessGrantsLocationConfiguration: { S3SubPrefix: 'a/*' },
      Grantee: { GranteeType: 'IAM', GranteeIdentifier: IAMRoleArn },
      Permission: 'READ'
    })
    assert.equal(grant.GrantScope, 's3://granted/a/*')
    const shown = await admin.getAccessGrant({ AccountId, AccessGrantId: grant.AccessGrantId })
    assert.deepEqual([shown.Permission, shown.Grantee.GranteeIdentifier], ['READ', IAMRoleArn])
    const { Credentials, MatchedGrantTarget } = await admin.getDataAccess({ AccountId, Target: 's3://granted/a/*', Permission: 'READ' })
    assert.equal(MatchedGrantTarget, 's3://granted/a/*')
    assert.ok(Credentials.Expiration > new Date())
    const holder = connect(s3.S3, {
      accessKeyId: Credentials.AccessKeyId,
      secretAccessKey: Credentials.SecretAccessKey,
      sessionToken: Credentials.SessionToken
    })
    assert.equal(await text(holder.getObject({ Bucket: 'granted', Key: 'a/1' })), 'a/1')
    const keys = (await holder.listObjectsV2({ Bucket: 'granted', Prefix: 'a/' })).Contents.map((each) => each.Key)
    assert.deepEqual(keys, ['a/1'])
    await refused(holder.getObject({ Bucket: 'granted', Key: 'b/1' }), 'AccessDenied')
    await refused(holder.putObject({ Bucket: 'granted', Key: 'a/2', Body: 'x' }), 'AccessDenied')
    await refused(holder.listObjectsV2({ Bucket: 'granted' }), 'AccessDenied')
    await refused(admin.getDataAccess({ AccountId, Target: 's3://granted/b/*', Permission: 'READ' }), 'AccessDenied')
    await admin.deleteAccessGrant({ AccountId, AccessGrantId: grant.AccessGrantId })
    await refused(holder.getObject({ Bucket: 'granted', Key: 'a/1' }), 'InvalidToken')
    await admin.deleteAccessGrantsLocation({ AccountId, AccessGrantsLocationId: location.AccessGrantsLocationId })
    await admin.deleteAccessGrantsInstance({ AccountId })
    holder.destroy()
  })
})
