// @aws-sdk/client-s3, unmodified, with the metadata configuration of a bucket: journal and inventory.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as s3 from '@aws-sdk/client-s3'
import { startCairn } from './server.mjs'

let cairn, client

before(async () => {
  cairn = await startCairn()
  client = new s3.S3({
    endpoint: cairn.objects, region: 'us-east-1', credentials: cairn.objectsPair, forcePathStyle: true
  })
})
after(() => cairn.stop())

const journal = { RecordExpiration: { Expiration: 'ENABLED', Days: 30 } }
const resultOf = async (Bucket) =>
  (await client.getBucketMetadataConfiguration({ Bucket })).GetBucketMetadataConfigurationResult.MetadataConfigurationResult

describe('metadata configuration', () => {
  test('is made, shown, changed and removed', async () => {
    const Bucket = 'books'
    await client.createBucket({ Bucket })
    for (let i = 0; i < 20; i++) await client.putObject({ Bucket, Key: `old${i}`, Body: 'x' })
    await assert.rejects(client.getBucketMetadataConfiguration({ Bucket }), { name: 'MetadataConfigurationNotFound' })
    await client.createBucketMetadataConfiguration({
      Bucket,
      MetadataConfiguration: {
        JournalTableConfiguration: journal,
        InventoryTableConfiguration: { ConfigurationState: 'ENABLED' }
      }
    })
    let result = await resultOf(Bucket)
    assert.equal(result.DestinationResult.TableBucketType, 'aws')
    assert.equal(result.DestinationResult.TableNamespace, 'b_books')
    assert.equal(result.JournalTableConfigurationResult.TableStatus, 'ACTIVE')
    assert.equal(result.JournalTableConfigurationResult.RecordExpiration.Days, 30)
    assert.match(result.JournalTableConfigurationResult.TableArn, /table\/b_books\/journal$/)
    for (let i = 0; result.InventoryTableConfigurationResult.TableStatus !== 'ACTIVE'; i++) {
      assert.ok(i < 600 && ['CREATING', 'BACKFILLING'].includes(result.InventoryTableConfigurationResult.TableStatus))
      await new Promise((resolve) => setTimeout(resolve, 100))
      result = await resultOf(Bucket)
    }
    await client.updateBucketMetadataJournalTableConfiguration({
      Bucket, JournalTableConfiguration: { RecordExpiration: { Expiration: 'DISABLED' } }
    })
    await client.updateBucketMetadataInventoryTableConfiguration({
      Bucket, InventoryTableConfiguration: { ConfigurationState: 'DISABLED' }
    })
    result = await resultOf(Bucket)
    assert.equal(result.JournalTableConfigurationResult.RecordExpiration.Expiration, 'DISABLED')
    assert.equal(result.JournalTableConfigurationResult.RecordExpiration.Days, undefined)
    assert.equal(result.InventoryTableConfigurationResult.ConfigurationState, 'DISABLED')
    await client.deleteBucketMetadataConfiguration({ Bucket })
    await assert.rejects(client.getBucketMetadataConfiguration({ Bucket }), { name: 'MetadataConfigurationNotFound' })
  })

  test('what cannot be is refused, with each checksum algorithm', async () => {
    const Bucket = 'refused'
    await client.createBucket({ Bucket })
    const create = (JournalTableConfiguration, more) =>
      client.createBucketMetadataConfiguration({ Bucket, MetadataConfiguration: { JournalTableConfiguration }, ...more })
    const expiration = (Expiration, Days) => ({ RecordExpiration: { Expiration, Days } })
    await assert.rejects(create(expiration('ENABLED')), { name: 'InvalidArgument' })
    await assert.rejects(create(expiration('ENABLED', 6)), { name: 'InvalidArgument' })
    await assert.rejects(create(expiration('DISABLED', 7)), { name: 'InvalidArgument' })
    const encrypted = (SseAlgorithm, KmsKeyArn) =>
      ({ ...expiration('DISABLED'), EncryptionConfiguration: { SseAlgorithm, KmsKeyArn } })
    await assert.rejects(create(encrypted('AES256', 'arn:aws:kms:us-east-1:1:key/k')), { name: 'InvalidArgument' })
    await assert.rejects(create(encrypted('aws:kms')), { name: 'InvalidArgument' })
    for (const ChecksumAlgorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256']) {
      await create(encrypted('AES256'), { ChecksumAlgorithm })
      await client.deleteBucketMetadataConfiguration({ Bucket })
    }
    await create(expiration('DISABLED'))
    await assert.rejects(create(expiration('DISABLED')), { name: 'InvalidBucketState' })
    await assert.rejects(create(expiration('DISABLED'), { ExpectedBucketOwner: '999999999999' }),
      (error) => error.$metadata.httpStatusCode === 403)
  })
})
