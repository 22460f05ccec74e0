# SPDX-License-Identifier: Apache-2.0
# What applications do with aws-sdk-s3; ruby.sh starts the service that CAIRN_OBJECTS names.
require 'aws-sdk-s3'
require 'digest'
require 'net/http'
require 'securerandom'
require 'stringio'

ENDPOINT = ENV.fetch('CAIRN_OBJECTS')
SCRATCH = ENV.fetch('SCRATCH')
OTHER_ACCOUNT = '210987654321'

def connect(**more)
  Aws::S3::Client.new(endpoint: ENDPOINT, region: 'us-east-1', force_path_style: true, **more)
end
CLIENT = connect
OTHER = connect(access_key_id: ENV.fetch('OTHER_ACCESS_KEY_ID'), secret_access_key: ENV.fetch('OTHER_SECRET_ACCESS_KEY'))

$done = 0
def group(name)
  yield
  puts "ok #{$done += 1} - #{name}"
end

def same(got, wanted, what = 'value')
  return if got == wanted
  raise "#{what}: got #{got.inspect[0, 300]}, expected #{wanted.inspect[0, 300]} (#{caller(1, 1)[0]})"
end

def refused(error)
  yield
rescue error
  nil
else
  raise "expected #{error} (#{caller(1, 1)[0]})"
end

def error(name) = Aws::S3::Errors.const_get(name)

def fresh(name, **more)
  CLIENT.create_bucket(bucket: "ruby-#{name}", **more)
  "ruby-#{name}"
end

def put(bucket, key, body = 'x', **more) = CLIENT.put_object(bucket: bucket, key: key, body: body, **more)
def get(bucket, key, client: CLIENT, **more) = client.get_object(bucket: bucket, key: key, **more).body.read.b

# Method, URL, body: by a client that knows nothing of S3.
def ask(kind, url, body = nil)
  uri = URI(url)
  Net::HTTP.start(uri.host, uri.port) do |http|
    request = Net::HTTP.const_get(kind).new(uri.request_uri)
    request.body = body if body
    request['content-type'] = '' if body
    http.request(request)
  end
end

ODD_KEYS = ['a b', 'a+b', 'a%20b', 'a%2Fb', '%', '100%', 'ümlaut', "u\u0308mlaut", '日本語/鍵', 'emoji😀', 'a//b',
            '/lead', 'trail/', 'a/../b', 'a/./b', '...', 'q?x=1', 'h#f', 'a&b=c', "<xml>&\"'", "tab\there",
            "new\nline", '*()!~$,;:@[]{}|^`\\', ' lead', 'trail ', 'a  b', 'k' * 1024, 'é' * 512].freeze

group 'buckets are made, found and removed' do
  bucket = fresh('life')
  CLIENT.wait_until(:bucket_exists, bucket: bucket)
  same CLIENT.list_buckets.buckets.map(&:name).include?(bucket), true
  same CLIENT.get_bucket_location(bucket: bucket).location_constraint, ''
  refused(error(:BucketAlreadyExists)) { OTHER.create_bucket(bucket: bucket) }
  put(bucket, 'k')
  refused(error(:BucketNotEmpty)) { CLIENT.delete_bucket(bucket: bucket) }
  Aws::S3::Bucket.new(bucket, client: CLIENT).delete!
  refused(error(:NotFound)) { CLIENT.head_bucket(bucket: bucket) }
  refused(error(:NoSuchBucket)) { CLIENT.list_objects_v2(bucket: bucket) }
  refused(error(:InvalidBucketName)) { CLIENT.create_bucket(bucket: 'No_Good') }
end

group 'objects of 0 B, 1 B and 20 MB, in one piece, in parts, and as streams' do
  bucket = Aws::S3::Bucket.new(fresh('sizes'), client: CLIENT)
  [0, 1, 20_000_000].each do |size|
    body = SecureRandom.bytes(size)
    up = File.join(SCRATCH, 'up')
    down = File.join(SCRATCH, 'down')
    File.binwrite(up, body)
    object = bucket.object("k#{size}")
    object.upload_file(up, multipart_threshold: 8 << 20)
    same object.content_length, size, 'size'
    same object.etag.include?('-'), size > 8 << 20, 'in parts'
    object.download_file(down)
    same Digest::MD5.file(down), Digest::MD5.file(up), 'what came down'
    same get(bucket.name, "k#{size}") == body, true
    stream = bucket.object("s#{size}")
    stream.upload_stream(tempfile: false) { |pipe| pipe.binmode; pipe << body } if size.positive?
    same get(bucket.name, "s#{size}") == body, true if size.positive?
    copy = bucket.object("c#{size}")
    copy.copy_from(object, multipart_copy: size > 8 << 20)
    same get(bucket.name, "c#{size}") == body, true
  end
end

group 'what is said of objects, ranges and conditions' do
  bucket = fresh('facts')
  etag = put(bucket, 'k', '0123456789', content_type: 'text/a', metadata: { 'color' => 'red' },
                                         cache_control: 'no-store', tagging: 'a=1&b=2').etag
  head = CLIENT.head_object(bucket: bucket, key: 'k')
  same [head.content_type, head.metadata, head.cache_control], ['text/a', { 'color' => 'red' }, 'no-store']
  same get(bucket, 'k', range: 'bytes=2-4'), '234'
  refused(error(:InvalidRange)) { get(bucket, 'k', range: 'bytes=10-') }
  refused(error(:NotModified)) { get(bucket, 'k', if_none_match: etag) }
  refused(error(:PreconditionFailed)) { get(bucket, 'k', if_match: '"x"') }
  refused(error(:NoSuchKey)) { get(bucket, 'none') }
  copied = CLIENT.copy_object(bucket: bucket, key: 'to', copy_source: "#{bucket}/k", copy_source_if_match: etag)
  same copied.copy_object_result.etag, etag
  refused(error(:PreconditionFailed)) do
    CLIENT.copy_object(bucket: bucket, key: 'to', copy_source: "#{bucket}/k", copy_source_if_none_match: etag)
  end
  # This version has no parameter for it; a handler of the request sends it.
  writer = connect
  writer.handle_request { |context| context.http_request.headers['if-none-match'] = '*' if context.operation_name == :put_object }
  refused(error(:PreconditionFailed)) { writer.put_object(bucket: bucket, key: 'k', body: 'x') }
  writer.put_object(bucket: bucket, key: 'fresh', body: 'x')
end

group 'checksums, in the head and in parts' do
  bucket = fresh('checksums')
  %w[CRC32 CRC32C SHA1 SHA256].each do |name|
    # CRC32C is there where the extension of Amazon's runtime is installed.
    next if name == 'CRC32C' && !Aws::Plugins::ChecksumAlgorithm::CLIENT_ALGORITHMS.include?(name)
    field = :"checksum_#{name.downcase}"
    made = put(bucket, name, 'hello', checksum_algorithm: name)
    got = CLIENT.get_object(bucket: bucket, key: name, checksum_mode: 'ENABLED')
    same got[field], made[field]
    same got.body.read, 'hello'
  end
  refused(error(:BadDigest)) { put(bucket, 'k', 'x', checksum_crc32: 'AAAAAA==') }
  refused(error(:BadDigest)) { put(bucket, 'k', 'x', content_md5: 'AAAAAAAAAAAAAAAAAAAAAA==') }
  facts = CLIENT.get_object_attributes(bucket: bucket, key: 'SHA1', object_attributes: %w[Checksum ObjectSize ETag])
  same facts.object_size, 5
end

group 'keys of all kinds are kept, listed, copied and deleted' do
  bucket = fresh('keys')
  keys = ODD_KEYS.sort_by(&:b)
  keys.each { |key| put(bucket, key, key) }
  keys.each { |key| same get(bucket, key).force_encoding('UTF-8'), key }
  same CLIENT.list_objects_v2(bucket: bucket, max_keys: 5).flat_map { |page| page.contents.map(&:key) }, keys
  same CLIENT.list_objects(bucket: bucket, max_keys: 5).flat_map { |page| page.contents.map(&:key) }, keys
  same CLIENT.list_object_versions(bucket: bucket, max_keys: 5).flat_map { |page| page.versions.map(&:key) }, keys
  signer = Aws::S3::Presigner.new(client: CLIENT)
  keys.each do |key|
    CLIENT.copy_object(bucket: bucket, key: 'copy', copy_source: "#{bucket}/#{Seahorse::Util.uri_escape(key)}")
    same get(bucket, 'copy').force_encoding('UTF-8'), key
    url = signer.presigned_url(:get_object, bucket: bucket, key: key)
    same ask(:Get, url).body.force_encoding('UTF-8'), key
  end
  gone = CLIENT.delete_objects(bucket: bucket, delete: { objects: keys.map { |key| { key: key } } })
  same gone.deleted.map(&:key), keys
  same CLIENT.list_objects_v2(bucket: bucket).key_count, 1
  %w[a/1 a/2 b d/1].each { |key| put(bucket, key) }
  page = CLIENT.list_objects_v2(bucket: bucket, delimiter: '/')
  same page.common_prefixes.map(&:prefix), %w[a/ d/]
end

group 'parts of an upload' do
  bucket = fresh('parts')
  id = CLIENT.create_multipart_upload(bucket: bucket, key: 'k').upload_id
  where = { bucket: bucket, key: 'k', upload_id: id }
  first = SecureRandom.bytes(5 << 20)
  parts = [first, 'end'].each_with_index.map do |body, i|
    { part_number: i + 1, etag: CLIENT.upload_part(**where, part_number: i + 1, body: body).etag }
  end
  same CLIENT.list_parts(**where).parts.map(&:size), [5 << 20, 3]
  same CLIENT.list_multipart_uploads(bucket: bucket).uploads.map(&:key), ['k']
  finish = ->(list) { CLIENT.complete_multipart_upload(**where, multipart_upload: { parts: list }) }
  refused(error(:InvalidPartOrder)) { finish.(parts.reverse) }
  refused(error(:InvalidPart)) { finish.([{ part_number: 1, etag: '"x"' }]) }
  same finish.(parts).etag.end_with?('-2"'), true
  refused(error(:NoSuchUpload)) { finish.(parts) }
  same get(bucket, 'k') == first + 'end', true
  other = CLIENT.create_multipart_upload(bucket: bucket, key: 'k').upload_id
  CLIENT.abort_multipart_upload(bucket: bucket, key: 'k', upload_id: other)
  refused(error(:NoSuchUpload)) { CLIENT.list_parts(bucket: bucket, key: 'k', upload_id: other) }
end

group 'versions, tags and locks' do
  bucket = fresh('versions', object_lock_enabled_for_bucket: true)
  ids = %w[1 2].map { |body| put(bucket, 'k', body).version_id }
  same CLIENT.delete_object(bucket: bucket, key: 'k').delete_marker, true
  refused(error(:NoSuchKey)) { get(bucket, 'k') }
  same get(bucket, 'k', version_id: ids[0]), '1'
  listed = CLIENT.list_object_versions(bucket: bucket)
  same [listed.versions.map(&:version_id), listed.delete_markers.size], [ids.reverse, 1]
  back = CLIENT.copy_object(bucket: bucket, key: 'k', copy_source: "#{bucket}/k?versionId=#{ids[0]}")
  same back.copy_source_version_id, ids[0]
  tags = [{ key: 'a', value: 'x y' }, { key: 'ü', value: '+' }]
  CLIENT.put_object_tagging(bucket: bucket, key: 'k', tagging: { tag_set: tags })
  same CLIENT.get_object_tagging(bucket: bucket, key: 'k').tag_set.map(&:to_h), tags
  CLIENT.put_object_retention(bucket: bucket, key: 'k', version_id: ids[1],
                              retention: { mode: 'GOVERNANCE', retain_until_date: Time.now + 3600 })
  refused(error(:AccessDenied)) { CLIENT.delete_object(bucket: bucket, key: 'k', version_id: ids[1]) }
  CLIENT.delete_object(bucket: bucket, key: 'k', version_id: ids[1], bypass_governance_retention: true)
  CLIENT.put_object_legal_hold(bucket: bucket, key: 'k', version_id: ids[0], legal_hold: { status: 'ON' })
  refused(error(:AccessDenied)) { CLIENT.delete_object(bucket: bucket, key: 'k', version_id: ids[0]) }
  CLIENT.put_object_legal_hold(bucket: bucket, key: 'k', version_id: ids[0], legal_hold: { status: 'OFF' })
  Aws::S3::Bucket.new(bucket, client: CLIENT).object_versions.batch_delete!
  CLIENT.delete_bucket(bucket: bucket)
end

group 'presigned URLs, for reading and writing' do
  bucket = fresh('presigned')
  signer = Aws::S3::Presigner.new(client: CLIENT)
  url = signer.presigned_url(:put_object, bucket: bucket, key: 'a b+ü', expires_in: 60)
  same ask(:Put, url, 'by URL').code, '200'
  url = signer.presigned_url(:get_object, bucket: bucket, key: 'a b+ü', response_content_type: 'text/told')
  answer = ask(:Get, url)
  same [answer['content-type'], answer.body], ['text/told', 'by URL']
  same ask(:Get, url.sub('told', 'else')).code, '403'
  same ask(:Put, url, 'x').code, '403'
  same ask(:Delete, signer.presigned_url(:delete_object, bucket: bucket, key: 'a b+ü')).code, '204'
end

group 'presigned forms' do
  bucket = fresh('forms')
  form = Aws::S3::Bucket.new(bucket, client: CLIENT).presigned_post(
    key: 'in/${filename}', content_type: 'text/plain', metadata: { 'color' => 'red' },
    content_length_range: 1..10, success_action_status: '201', allow_any: ['x-amz-meta-page']
  )
  post = lambda do |file, more = {}|
    uri = URI(form.url)
    request = Net::HTTP::Post.new(uri)
    fields = form.fields.merge(more).to_a + [['file', file, { filename: 'a b.txt', content_type: 'text/plain' }]]
    request.set_form(fields, 'multipart/form-data')
    Net::HTTP.start(uri.hostname, uri.port) { |http| http.request(request) }
  end
  answer = post.call('by a form', 'x-amz-meta-page' => '7')
  same answer.code, '201'
  object = CLIENT.get_object(bucket: bucket, key: 'in/a b.txt')
  same [object.body.read, object.content_type], ['by a form', 'text/plain']
  same object.metadata, { 'color' => 'red', 'page' => '7' }
  same post.call('too long for it', 'x-amz-meta-page' => '7').code, '400'
  same post.call('x').code, '403' # a field of the policy is not there
end

group 'settings of buckets' do
  bucket = fresh('settings')
  rule = { id: 'tmp', status: 'Enabled', filter: { prefix: 'tmp/' }, expiration: { days: 3 } }
  CLIENT.put_bucket_lifecycle_configuration(bucket: bucket, lifecycle_configuration: { rules: [rule] })
  same CLIENT.get_bucket_lifecycle_configuration(bucket: bucket).rules.map(&:id), ['tmp']
  cors = { allowed_methods: ['GET'], allowed_origins: ['*'], max_age_seconds: 5 }
  CLIENT.put_bucket_cors(bucket: bucket, cors_configuration: { cors_rules: [cors] })
  same CLIENT.get_bucket_cors(bucket: bucket).cors_rules[0].allowed_methods, ['GET']
  CLIENT.put_bucket_tagging(bucket: bucket, tagging: { tag_set: [{ key: 'a', value: 'b' }] })
  same CLIENT.get_bucket_tagging(bucket: bucket).tag_set.size, 1
  CLIENT.put_bucket_encryption(bucket: bucket, server_side_encryption_configuration: {
                                 rules: [{ apply_server_side_encryption_by_default: { sse_algorithm: 'AES256' } }] })
  same put(bucket, 'k').server_side_encryption, 'AES256'
  same get(bucket, 'k'), 'x'
  refused(error(:NoSuchBucketPolicy)) { CLIENT.get_bucket_policy(bucket: bucket) }
end

group 'another account, and everybody' do
  bucket = fresh('access', object_ownership: 'ObjectWriter')
  put(bucket, 'k', 'seen')
  refused(error(:AccessDenied)) { get(bucket, 'k', client: OTHER) }
  policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Principal: { AWS: "arn:aws:iam::#{OTHER_ACCOUNT}:root" },
                                                  Action: 's3:GetObject', Resource: "arn:aws:s3:::#{bucket}/*" }] }
  CLIENT.put_bucket_policy(bucket: bucket, policy: policy.to_json)
  same get(bucket, 'k', client: OTHER), 'seen'
  refused(error(:AccessDenied)) { OTHER.put_object(bucket: bucket, key: 'k', body: '') }
  same CLIENT.get_bucket_policy(bucket: bucket).policy.read, policy.to_json
  CLIENT.delete_bucket_policy(bucket: bucket)
  CLIENT.delete_public_access_block(bucket: bucket)
  same ask(:Get, "#{ENDPOINT}/#{bucket}/k").code, '403'
  CLIENT.put_object_acl(bucket: bucket, key: 'k', acl: 'public-read')
  same ask(:Get, "#{ENDPOINT}/#{bucket}/k").body, 'seen'
  same CLIENT.get_object_acl(bucket: bucket, key: 'k').grants.map(&:permission).sort, %w[FULL_CONTROL READ]
  refused(error(:SignatureDoesNotMatch)) { connect(secret_access_key: 'wrong', access_key_id: ENV['AWS_ACCESS_KEY_ID']).list_buckets }
end

group 'a customer\'s key without TLS is refused by the client itself' do
  bucket = fresh('sse-c')
  refused(ArgumentError) { put(bucket, 'k', sse_customer_algorithm: 'AES256', sse_customer_key: 'k' * 32) }
end

puts "aws-sdk-s3 for Ruby: #{$done} groups passed (#{Aws::S3::GEM_VERSION})"
