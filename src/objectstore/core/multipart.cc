// SPDX-License-Identifier: Apache-2.0
#include "objectstore/core/multipart.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "objectstore/body_writer.h"
#include "objectstore/core/core.h"
#include "objectstore/core/upload_records.h"
#include "objectstore/engine_writer.h"
#include "objectstore/hash/body_hash.h"
#include "os/steps.h"
#include "os/threads/blocking.h"
#include "s3/errors.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

Error no_upload(std::string_view upload_id) {
  return s3::error("NoSuchUpload").with_detail("UploadId", std::string(upload_id));
}

Error condition_failed(const char* header) {
  return s3::error("PreconditionFailed").with_detail("Condition", header);
}

// A condition that holds now, although the key was changed since the initiation, holds by luck.
// `emptied`: the key held something meanwhile.
Status check_condition(const s3::WriteCondition& condition, const std::optional<Standing>& standing,
                       std::string_view key, std::uint64_t key_serial, bool emptied) {
  const ObjectRecord* const now = standing ? &standing->record : nullptr;
  if (condition.if_none_match && now != nullptr) return condition_failed("If-None-Match");
  if (condition.if_match && (now == nullptr || now->object.etag != *condition.if_match))
    return condition_failed("If-Match");
  if (!condition.if_match && !condition.if_none_match) return ok_status();
  if ((now != nullptr ? now->serial : 0) == key_serial && !emptied) return ok_status();
  return s3::error("ConditionalRequestConflict")
      .with_detail("Condition", condition.if_match ? "If-Match" : "If-None-Match")
      .with_detail("Key", std::string(key));
}

// The serial of the moment at which the key was last emptied under open uploads; 0: none is known.
Result<std::uint64_t> emptied_at(RocksKv& kv, std::uint64_t bucket_id, std::string_view key) {
  std::string value;
  CAIRN_TRY(const bool found, kv.get(Table::system, emptied_row(bucket_id, key), value));
  return found ? ByteReader(value).u64be().value_or(0) : 0;
}

// Nobody is left to tell once the last upload of the key ends.
Status forget_emptied(RocksKv& kv, std::uint64_t bucket_id, std::string_view key,
                      std::string_view ending, KvBatch& batch) {
  CAIRN_TRY(const std::uint64_t emptied, emptied_at(kv, bucket_id, key));
  if (emptied == 0) return ok_status();
  const std::string uploads = upload_key_prefix(bucket_id, key);
  CAIRN_TRY(const auto cursor, kv.cursor(Table::system, store::after_prefix(uploads)));
  for (cursor->seek(uploads); cursor->valid(); cursor->next())
    if (cursor->key() != ending) return ok_status();
  CAIRN_CHECK(cursor->status());
  batch.remove(Table::system, emptied_row(bucket_id, key));
  return ok_status();
}

// Holds a gate of the bucket and of the upload; waiting for them lends the worker's place.
template <class Lock>
Lock waited(std::shared_mutex& mutex) {
  Lock lock(mutex, std::try_to_lock);
  if (!lock.owns_lock()) {
    const os::Blocking waiting;
    lock.lock();
  }
  return lock;
}
using SharedLock = std::shared_lock<std::shared_mutex>;
using SoleLock = std::unique_lock<std::shared_mutex>;

}  // namespace

struct Uploads::Found {
  BucketPointer bucket;
  std::string row;
  UploadRecord record;
};

Result<Uploads::Found> Uploads::find_upload(const ObjectName& name,
                                            std::string_view upload_id) const {
  Found found;
  CAIRN_TRY(found.bucket, user_bucket(core_, name.bucket));
  const auto serial = upload_serial(upload_id);
  if (!serial) return no_upload(upload_id);
  found.row = upload_row(found.bucket->record.id, name.key, *serial);
  std::string value;
  CAIRN_TRY(const bool there, core_.kv_->get(Table::system, found.row, value));
  if (!there) return no_upload(upload_id);
  CAIRN_TRY(found.record, decode_upload(found.row, value));
  return found;
}

Result<s3::MultipartUpload> Uploads::create(const ObjectName& name,
                                            const CreateUploadParams& params,
                                            const os::Deadline& deadline) {
  if (name.key.empty() || name.key.size() > s3::key_bytes_max) return s3::error("KeyTooLongError");
  CAIRN_TRY(const BucketPointer bucket, user_bucket(core_, name.bucket));
  CAIRN_CHECK(core_.check_space(0));
  CAIRN_TRY(const std::uint64_t serial, core_.next_serial());
  UploadRecord record{
      .upload = {.upload_id = upload_id(serial),
                 .key = std::string(name.key),
                 .initiated_ms = core_.options().clock->unix_ms(),
                 .owner = params.owner,
                 .attributes = params.attributes,
                 .checksum_algorithm = params.checksum_algorithm,
                 .checksum_type = params.checksum_type,
                 .initiator = params.initiator.id.empty() ? params.owner : params.initiator,
                 .tags = params.tags,
                 .acl = params.acl,
                 .retention = params.retention,
                 .legal_hold = params.legal_hold,
                 .encryption = params.encryption.how},
      .serial = serial};
  CAIRN_TRY(const auto key, data_key_of(core_, params.encryption));
  if (key) record.sealed_key = key->sealed;
  const auto gate = waited<SharedLock>(bucket->gate);
  if (bucket->gone) return no_bucket(*bucket);
  CAIRN_CHECK(deadline.check("begin an upload"));
  CAIRN_TRY(const auto current, core_.find(*bucket, name.key));
  if (current) record.key_serial = current->serial;
  KvBatch batch;
  batch.put(Table::system, upload_row(bucket->record.id, name.key, serial), encode(record));
  CAIRN_CHECK(core_.write(batch));
  return std::move(record.upload);
}

Result<s3::MultipartUpload> Uploads::find(const ObjectName& name,
                                          std::string_view upload_id) const {
  CAIRN_TRY(Found found, find_upload(name, upload_id));
  return std::move(found.record.upload);
}

class Uploads::Writer final : public PartWriter {
 public:
  Writer(Uploads& uploads, Found found, int number, BodyParams params)
      : uploads_(uploads),
        found_(std::move(found)),
        number_(number),
        body_(uploads.core_, std::move(params)),
        hash_([&uploads]() -> Md5Scheduler& { return uploads.core_.hashing(); }) {}

  Status write(std::string_view bytes) override {
    return hash_.update(bytes, [&] { return body_.write(bytes); });
  }
  Status write_async(std::string_view bytes) override {
    hash_.begin(bytes);
    return body_.write(bytes);
  }
  void wait() override { hash_.settle(); }
  std::uint64_t size_bytes() const override { return body_.size_bytes(); }
  const std::string& md5() override { return hash_.finish(); }

  Result<s3::Part> finish(const std::optional<s3::Checksum>& checksum,
                          const os::Deadline& deadline) override {
    Core& core = uploads_.core_;
    s3::Part part{.number = number_, .size_bytes = body_.size_bytes(), .checksum = checksum};
    part.etag = etag_of(md5(), found_.record.upload.encryption);
    CAIRN_TRY(const StoredBody stored, body_.finish());
    bool attempted = false;
    const Status done = commit(part, stored.extents, deadline, attempted);
    if (done.ok()) return part;
    for (const ExtentSpan& extent : stored.extents) {
      if (attempted)
        core.collector().suspect(extent.id);
      else
        static_cast<void>(core.extents().remove(extent.id).ok());  // else the sweep takes it
    }
    return done.error();
  }

 private:
  Status commit(s3::Part& part, const std::vector<ExtentSpan>& extents,
                const os::Deadline& deadline, bool& attempted) {
    Core& core = uploads_.core_;
    const std::uint64_t upload = found_.record.serial;
    const auto bucket_gate = waited<SharedLock>(found_.bucket->gate);
    const auto gate = waited<SharedLock>(uploads_.gate_of(upload));
    const std::string row = part_row(upload, number_);
    const auto lock = core.locks_.lock(row);
    CAIRN_CHECK(deadline.check("keep a part"));
    std::string value;
    CAIRN_TRY(const bool there, core.kv_->get(Table::system, found_.row, value));
    if (!there) return no_upload(found_.record.upload.upload_id);
    part.modified_ms = core.options().clock->unix_ms();
    KvBatch batch;
    std::vector<ExtentSpan> released;
    CAIRN_TRY(const bool replaces, core.kv_->get(Table::system, row, value));
    if (replaces) {
      CAIRN_TRY(PartRecord old, decode_part(row, value));
      for (const ExtentSpan& extent : old.extents)
        batch.remove(Table::references, reference_row(extent.id, upload));
      released = std::move(old.extents);
    }
    batch.put(Table::system, row, encode_part(part, upload, extents));
    for (const ExtentSpan& extent : extents)
      batch.put(Table::references, reference_row(extent.id, upload), {});
    attempted = true;
    CAIRN_CHECK(core.write(batch));
    core.collector().released(released);
    return ok_status();
  }

  Uploads& uploads_;
  Found found_;
  const int number_;
  BodyWriter body_;
  BodyHash hash_;
};

namespace {

Error other_key() {
  return s3::error("InvalidRequest",
                   "The provided encryption parameters did not match the ones used originally.");
}

/// The key of an encrypted upload; nothing for a plain one.
Result<std::optional<DataKey>> upload_key(const Core& core, const UploadRecord& record,
                                          const std::optional<std::string>& customer_key) {
  const s3::Encryption& how = record.upload.encryption;
  const bool customer = how.method == s3::EncryptionMethod::customer;
  if (customer && !customer_key)
    return s3::error("InvalidRequest",
                     "The multipart upload initiate requested encryption. Subsequent part requests "
                     "must include the appropriate encryption parameters.");
  if (!customer && customer_key) return other_key();
  if (how.method == s3::EncryptionMethod::none) return std::optional<DataKey>();
  auto key = open_data_key(core.options().key_ring, how, record.sealed_key, customer_key);
  if (!key.ok() && key.error().code == "AccessDenied" && customer) return other_key();
  CAIRN_CHECK(key);
  return std::optional(DataKey{.key = std::move(*key), .sealed = record.sealed_key});
}

}  // namespace

Result<std::unique_ptr<PartWriter>> Uploads::begin_part(const ObjectName& name,
                                                        std::string_view upload_id, int number,
                                                        const BeginPartParams& params,
                                                        const os::Deadline& deadline) {
  CAIRN_TRY(Found found, find_upload(name, upload_id));
  CAIRN_CHECK(deadline.check("keep a part"));
  CAIRN_CHECK(core_.check_space(params.expected_bytes.value_or(0)));
  CAIRN_TRY(auto key, upload_key(core_, found.record, params.customer_key));
  return std::unique_ptr<PartWriter>(std::make_unique<Writer>(
      *this, std::move(found), number,
      BodyParams{
          .expected_bytes = params.expected_bytes, .key = std::move(key), .never_in_row = true}));
}

Result<PartsPage> Uploads::list_parts(const ObjectName& name, std::string_view upload_id,
                                      int number_marker, std::size_t limit) const {
  CAIRN_TRY(const Found found, find_upload(name, upload_id));
  const std::uint64_t upload = found.record.serial;
  CAIRN_TRY(const auto cursor,
            core_.kv_->cursor(Table::system, store::after_prefix(part_prefix(upload))));
  PartsPage page;
  for (cursor->seek(part_row(upload, number_marker + 1)); cursor->valid(); cursor->next()) {
    if (page.parts.size() == limit) {
      page.truncated = true;
      break;
    }
    CAIRN_TRY(PartRecord record, decode_part(cursor->key(), cursor->value()));
    page.parts.push_back(std::move(record.part));
  }
  CAIRN_CHECK(cursor->status());
  return page;
}

Status Uploads::take_away_parts(Core& core, std::uint64_t upload, KvBatch& batch,
                                std::vector<ExtentSpan>& released) {
  const std::string prefix = part_prefix(upload);
  CAIRN_TRY(const auto cursor, core.kv_->cursor(Table::system, store::after_prefix(prefix)));
  for (cursor->seek(prefix); cursor->valid(); cursor->next()) {
    CAIRN_TRY(const PartRecord part, decode_part(cursor->key(), cursor->value()));
    batch.remove(Table::system, std::string(cursor->key()));
    for (const ExtentSpan& extent : part.extents) {
      batch.remove(Table::references, reference_row(extent.id, upload));
      released.push_back(extent);
    }
  }
  return cursor->status();
}

Result<bool> Uploads::any(Core& core, std::uint64_t bucket_id) {
  const std::string prefix = upload_prefix(bucket_id, {});
  CAIRN_TRY(const auto cursor, core.kv_->cursor(Table::system, store::after_prefix(prefix)));
  cursor->seek(prefix);
  CAIRN_CHECK(cursor->status());
  return cursor->valid();
}

Status Uploads::take_away_all(Core& core, std::uint64_t bucket_id, KvBatch& batch,
                              std::vector<ExtentSpan>& released) {
  const std::string prefix = upload_prefix(bucket_id, {});
  CAIRN_TRY(const auto cursor, core.kv_->cursor(Table::system, store::after_prefix(prefix)));
  for (cursor->seek(prefix); cursor->valid(); cursor->next()) {
    CAIRN_TRY(const UploadRecord record, decode_upload(cursor->key(), cursor->value()));
    batch.remove(Table::system, std::string(cursor->key()));
    CAIRN_CHECK(take_away_parts(core, record.serial, batch, released));
  }
  CAIRN_CHECK(cursor->status());
  const std::string emptied = emptied_row(bucket_id, {});
  CAIRN_TRY(const auto rows, core.kv_->cursor(Table::system, store::after_prefix(emptied)));
  for (rows->seek(emptied); rows->valid(); rows->next())
    batch.remove(Table::system, std::string(rows->key()));
  return rows->status();
}

Status Uploads::abort(const ObjectName& name, std::string_view upload_id,
                      const os::Deadline& deadline, std::optional<std::int64_t> if_initiated_ms) {
  const auto known = find_upload(name, upload_id);
  if (!known.ok() && known.error().code == "NoSuchUpload" && if_initiated_ms) return ok_status();
  CAIRN_CHECK(known);
  const Found& found = *known;
  if (if_initiated_ms && *if_initiated_ms / 1000 != found.record.upload.initiated_ms / 1000)
    return condition_failed("x-amz-if-match-initiated-time");
  const auto bucket_gate = waited<SharedLock>(found.bucket->gate);
  const auto gate = waited<SoleLock>(gate_of(found.record.serial));
  CAIRN_CHECK(deadline.check("abort an upload"));
  const auto still = find_upload(name, upload_id);  // nobody was faster
  if (!still.ok() && still.error().code == "NoSuchUpload" && if_initiated_ms) return ok_status();
  CAIRN_CHECK(still);
  KvBatch batch;
  std::vector<ExtentSpan> released;
  batch.remove(Table::system, found.row);
  CAIRN_CHECK(forget_emptied(*core_.kv_, found.bucket->record.id, name.key, found.row, batch));
  CAIRN_CHECK(take_away_parts(core_, found.record.serial, batch, released));
  CAIRN_CHECK(core_.write(batch));
  core_.collector().released(released);
  return ok_status();
}

namespace {

Status check_customer_key(const Core& core, const UploadRecord& record,
                          const std::optional<std::string>& customer_key) {
  const bool customer = record.upload.encryption.method == s3::EncryptionMethod::customer;
  if (!customer && !customer_key) return ok_status();
  CAIRN_CHECK(upload_key(core, record, customer_key));
  return ok_status();
}

// The stored parts of the numbers that were asked for, and what the others hold.
struct Chosen {
  std::vector<s3::Part> parts;
  std::vector<ExtentSpan> extents;
  std::vector<ExtentSpan> left_over;
};

Chosen choose(const std::vector<int>& numbers, std::map<int, PartRecord>& stored) {
  Chosen chosen;
  chosen.parts.reserve(numbers.size());
  for (const int number : numbers) {
    const auto found = stored.find(number);
    if (found == stored.end()) {
      chosen.parts.push_back({.number = number});
      continue;
    }
    chosen.parts.push_back(std::move(found->second.part));
    chosen.extents.insert(chosen.extents.end(), found->second.extents.begin(),
                          found->second.extents.end());
    stored.erase(found);
  }
  for (const auto& [number, record] : stored)
    chosen.left_over.insert(chosen.left_over.end(), record.extents.begin(), record.extents.end());
  return chosen;
}

}  // namespace

// One batch takes the upload away and puts the object in its place. The references of the parts
// stay as they are, since the version takes over the serial under which they were made.
Result<s3::Object> Uploads::complete(const ObjectName& name, std::string_view upload_id,
                                     const CompleteParams& params, const os::Deadline& deadline) {
  CAIRN_TRY(const Found first, find_upload(name, upload_id));
  const std::uint64_t upload = first.record.serial;
  const auto bucket_gate = waited<SharedLock>(first.bucket->gate);
  const auto gate = waited<SoleLock>(gate_of(upload));
  const std::string object = object_row(first.bucket->record.id, name.key);
  const auto lock = core_.locks_.lock(object);
  CAIRN_CHECK(deadline.check("complete an upload"));
  CAIRN_TRY(const Found found, find_upload(name, upload_id));  // nobody was faster
  if (params.customer_key || params.needs_customer_key)
    CAIRN_CHECK(check_customer_key(core_, found.record, params.customer_key));

  std::map<int, PartRecord> stored;
  Core::Change change;
  change.batch.remove(Table::system, found.row);
  const std::string prefix = part_prefix(upload);
  CAIRN_TRY(auto cursor, core_.kv_->cursor(Table::system, store::after_prefix(prefix)));
  for (cursor->seek(prefix); cursor->valid(); cursor->next()) {
    CAIRN_TRY(PartRecord part, decode_part(cursor->key(), cursor->value()));
    change.batch.remove(Table::system, std::string(cursor->key()));
    stored.insert_or_assign(part.part.number, std::move(part));
  }
  CAIRN_CHECK(cursor->status());
  cursor.reset();
  Chosen chosen = choose(params.numbers, stored);
  CAIRN_TRY(Completed completed, params.judge(chosen.parts));

  CAIRN_TRY(const auto old, core_.find_row(object));
  const std::uint64_t bucket_id = found.bucket->record.id;
  CAIRN_TRY(const std::uint64_t emptied, emptied_at(*core_.kv_, bucket_id, name.key));
  CAIRN_CHECK(
      check_condition(params.condition, old, name.key, found.record.key_serial, emptied > upload));
  CAIRN_CHECK(forget_emptied(*core_.kv_, bucket_id, name.key, found.row, change.batch));
  const s3::MultipartUpload& begun = found.record.upload;
  ObjectRecord record{.object = {.key = std::string(name.key),
                                 .etag = std::move(completed.etag),
                                 .modified_ms = core_.options().clock->unix_ms(),
                                 .checksum = std::move(completed.checksum),
                                 .owner = begun.owner,
                                 .attributes = begun.attributes,
                                 .parts = std::move(chosen.parts),
                                 .tags = begun.tags,
                                 .acl = begun.acl,
                                 .retention = begun.retention,
                                 .legal_hold = begun.legal_hold,
                                 .encryption = begun.encryption},
                      .serial = upload,
                      .extents = std::move(chosen.extents),
                      .sealed_key = found.record.sealed_key};
  for (const s3::Part& part : record.object.parts) record.object.size_bytes += part.size_bytes;
  CAIRN_TRY(record.order, core_.next_serial());
  for (const ExtentSpan& extent : chosen.left_over) {
    change.batch.remove(Table::references, reference_row(extent.id, upload));
    change.released.push_back(extent);
  }
  CAIRN_CHECK(core_.put_on_top(*found.bucket, old ? &*old : nullptr, record, change));
  CAIRN_CHECK(core_.note_change(*found.bucket->state(), ChangeKind::create, record.object, false,
                                params.origin, change));
  CAIRN_CHECK(core_.apply(change));
  return std::move(record.object);
}

Result<UploadsPage> Uploads::list(std::string_view bucket_name, const ListUploadsParams& params,
                                  const os::Deadline& deadline) const {
  CAIRN_TRY(const BucketPointer bucket, user_bucket(core_, bucket_name));
  const std::uint64_t id = bucket->record.id;
  UploadsPage page;
  if (params.limit == 0) return page;
  const std::string first = upload_prefix(id, params.prefix);
  CAIRN_TRY(const auto cursor, core_.kv_->cursor(Table::system, store::after_prefix(first)));
  const auto folded = [&](std::string_view key) {
    if (params.delimiter.empty()) return std::string_view();
    const std::size_t at = key.find(params.delimiter, params.prefix.size());
    if (at == std::string_view::npos) return std::string_view();
    return key.substr(0, at + params.delimiter.size());
  };
  std::string start = first;
  if (!params.key_marker.empty()) {
    const auto serial = upload_serial(params.upload_id_marker);
    const std::string fold(folded(params.key_marker));
    std::string after = !fold.empty() ? store::after_prefix(upload_prefix(id, fold))
                        : serial ? upload_row(id, params.key_marker, *serial) + '\0'
                                 : store::after_prefix(upload_key_prefix(id, params.key_marker));
    start = std::max(start, after);
  }
  cursor->seek(start);
  os::Steps steps(deadline, "list uploads");
  while (cursor->valid()) {
    CAIRN_CHECK(deadline.check("list uploads"));
    CAIRN_CHECK(steps.take(store::steps_of_a_row));
    if (page.uploads.size() + page.common_prefixes.size() == params.limit) {
      page.truncated = true;
      break;
    }
    CAIRN_TRY(UploadRecord record, decode_upload(cursor->key(), cursor->value()));
    const std::string fold(folded(record.upload.key));
    if (!fold.empty()) {
      page.common_prefixes.push_back(fold);
      page.next_key_marker = fold;
      page.next_upload_id_marker.clear();
      cursor->seek(store::after_prefix(upload_prefix(id, fold)));
      continue;
    }
    page.next_key_marker = record.upload.key;
    page.next_upload_id_marker = record.upload.upload_id;
    page.uploads.push_back(std::move(record.upload));
    cursor->next();
  }
  CAIRN_CHECK(cursor->status());
  if (!page.truncated) page.next_key_marker.clear(), page.next_upload_id_marker.clear();
  return page;
}

}  // namespace cairn::objectstore
