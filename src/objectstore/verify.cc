// SPDX-License-Identifier: Apache-2.0
#include "objectstore/verify.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/checksum.h"
#include "objectstore/core/core.h"
#include "objectstore/core/upload_records.h"
#include "objectstore/engine.h"
#include "objectstore/read_only_files.h"
#include "os/log.h"
#include "os/metrics.h"
#include "store/folding.h"

namespace cairn::objectstore {
namespace {

constexpr std::size_t damage_max = 1000;
constexpr std::size_t page_rows = 64;  // a cursor lives for one page only

/// One body to look at, as its row says.
struct Body {
  std::string row;
  Table table = Table::objects;
  std::string value;
};

/// Walks the rows of all bodies: objects, versions, parts of uploads; a page at a time.
class Bodies {
 public:
  explicit Bodies(Core& core) : core_(&core) {}

  /// Nothing at the end.
  Result<std::optional<Body>> next() {
    while (page_.empty()) {
      if (place_ == std::size(places)) return std::optional<Body>();
      CAIRN_CHECK(load());
    }
    Body body = std::move(page_.back());
    page_.pop_back();
    return std::optional(std::move(body));
  }

 private:
  struct Place {
    Table table;
    std::string_view prefix;
  };
  static constexpr Place places[] = {
      {Table::objects, ""}, {Table::versions, ""}, {Table::system, part_rows}};

  Status load() {
    const Place& place = places[place_];
    std::string end(place.prefix);
    if (!end.empty()) end = store::after_prefix(end);
    CAIRN_TRY(const auto cursor, core_->kv().cursor(place.table, std::move(end)));
    cursor->seek(after_.empty() ? place.prefix : after_);
    for (; cursor->valid() && page_.size() < page_rows; cursor->next())
      page_.push_back({.row = std::string(cursor->key()),
                       .table = place.table,
                       .value = std::string(cursor->value())});
    CAIRN_CHECK(cursor->status());
    if (page_.empty()) {
      ++place_;
      after_.clear();
      return ok_status();
    }
    after_ = page_.back().row + '\0';
    std::reverse(page_.begin(), page_.end());
    return ok_status();
  }

  Core* core_;
  std::size_t place_ = 0;
  std::string after_;
  std::vector<Body> page_;  // backwards
};

std::string bucket_of(Core& core, std::uint64_t id) {
  for (const BucketPointer& bucket : core.buckets())
    if (bucket->record.id == id) return bucket->record.bucket.name;
  return "(bucket " + std::to_string(id) + ")";
}

/// Where a row belongs, as people know it.
Damage place_of(Core& core, const Body& body) {
  Damage place;
  if (body.table == Table::system) {
    const std::string_view numbers = std::string_view(body.row).substr(part_rows.size());
    place.upload_id = upload_id(ByteReader(numbers).u64be().value_or(0));
    place.part_number = part_number_of(body.row);
    return place;
  }
  place.bucket = bucket_of(core, ByteReader(body.row).u64be().value_or(0));
  place.key = body.table == Table::objects ? body.row.substr(object_row_key_at)
                                           : version_row_key(body.row).value_or("");
  return place;
}

/// Verifies one body.
class Look {
 public:
  Look(Core& core, std::int64_t fresh_ms, const Pace& pace)
      : core_(core), fresh_ms_(fresh_ms), pace_(pace) {}

  /// What is wrong; nothing where all is well, or where the version went meanwhile.
  Result<std::optional<Damage>> at(const Body& body, VerifyCount& count) {
    std::optional<Error> fault = check(body, count);
    ++count.objects;
    // A disk that cannot read its own sectors says so with an input/output error.
    const bool damaged =
        fault && (fault->kind == ErrorKind::corrupt || fault->kind == ErrorKind::internal);
    if (!damaged) {
      if (fault && fault->kind != ErrorKind::not_found) return std::move(*fault);
      return std::optional<Damage>();
    }
    std::string value;
    CAIRN_TRY(const bool there, core_.kv().get(body.table, body.row, value));
    if (!there || value != body.value) return std::optional<Damage>();
    Damage damage = place_of(core_, body);
    damage.version_id = version_;
    damage.reason = std::move(fault->message);
    ++count.damaged;
    return std::optional(std::move(damage));
  }

 private:
  std::optional<Error> check(const Body& body, VerifyCount& count) {
    version_ = std::string(s3::null_version);
    auto record = decode_object(body.value, "");
    if (!record.ok()) return std::move(record).error();
    version_ = record->object.version_id;
    std::vector<std::string> rows(record->in_row() ? 1 : record->manifest.pieces);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (auto fault = read_row(piece_row(record->serial, i), rows[i], count)) return fault;
    if (record->in_row())
      return crc32c(rows.front()) == record->body_crc ? std::nullopt
                                                      : corrupt("its row does not verify");
    if (record->has_manifest)
      if (const Status read = decode_manifest(rows, *record); !read.ok()) return read.error();
    for (const ExtentSpan& extent : record->extents)
      if (auto fault = check_extent(extent, record->serial, count)) return fault;
    return std::nullopt;
  }

  std::optional<Error> read_row(const std::string& row, std::string& bytes, VerifyCount& count) {
    const auto there = core_.kv().get(Table::bodies, row, bytes);
    if (!there.ok()) return there.error();
    if (!*there) return corrupt("its row in the table of bodies is missing");
    count.bytes += bytes.size();
    if (const Status paced = pace_ ? pace_(bytes.size()) : ok_status(); !paced.ok())
      return paced.error();
    return std::nullopt;
  }

  std::optional<Error> check_extent(const ExtentSpan& extent, std::uint64_t serial,
                                    VerifyCount& count) {
    std::string none;
    const auto referenced =
        core_.kv().get(Table::references, reference_row(extent.id, serial), none);
    if (!referenced.ok()) return referenced.error();
    if (!*referenced)
      return corrupt("the reference to extent " + std::to_string(extent.id) + " is missing");
    Extents& extents = core_.extents();
    if (fresh_ms_ > 0 && extents.verified().is_fresh(extent.id, fresh_ms_)) return std::nullopt;
    count.bytes += extent.size_bytes;
    if (const Status done = extents.verify(extent, pace_); !done.ok()) return done.error();
    return std::nullopt;
  }

  static std::optional<Error> corrupt(std::string what) {
    return Error{.kind = ErrorKind::corrupt, .message = std::move(what)};
  }

  Core& core_;
  const std::int64_t fresh_ms_;
  const Pace& pace_;
  std::string version_;
};

bool same_place(const Damage& a, const Damage& b) {
  return a.bucket == b.bucket && a.key == b.key && a.version_id == b.version_id &&
         a.upload_id == b.upload_id && a.part_number == b.part_number;
}

void tell(const Damage& damage) {
  os::log(os::LogLevel::error, "objectstore", "damaged_object",
          {{"bucket", damage.bucket},
           {"key", damage.key},
           {"version", damage.version_id},
           {"upload", damage.upload_id},
           {"reason", damage.reason}});
}

}  // namespace

struct Scrubber::State {
  explicit State(Core& c) : core(c), bodies(c) {}
  Core& core;
  Bodies bodies;
  mutable std::mutex mutex;  // what follows
  std::vector<Damage> before;
  std::vector<Damage> now;
  VerifyCount count;

  void show() const {
    static os::Gauge& damaged =
        os::metrics().gauge("cairn_objectstore_damaged_objects",
                            "Objects that the scrubber found damaged in its last two rounds");
    damaged.set(static_cast<std::int64_t>(all().size()));
  }
  std::vector<Damage> all() const {
    std::vector<Damage> found = now;
    for (const Damage& damage : before)
      if (std::none_of(now.begin(), now.end(),
                       [&](const Damage& other) { return same_place(damage, other); }))
        found.push_back(damage);
    if (found.size() > damage_max) found.resize(damage_max);
    return found;
  }
  void add(Damage damage) {
    const std::lock_guard lock(mutex);
    const auto known = [&](const Damage& other) { return same_place(damage, other); };
    if (std::none_of(before.begin(), before.end(), known)) tell(damage);
    std::erase_if(before, known);
    if (now.size() < damage_max) now.push_back(std::move(damage));
    show();
  }
  void end_round() {
    const std::lock_guard lock(mutex);
    before = std::exchange(now, {});
    count = {};
    bodies = Bodies(core);
    show();
  }
};

Scrubber::Scrubber(Engine& engine) : state_(std::make_unique<State>(engine.core())) {}
Scrubber::~Scrubber() = default;

Result<bool> Scrubber::step(std::uint64_t bytes, std::int64_t fresh_ms,
                            const os::Deadline& deadline, const Pace& pace) {
  static os::Counter& verified = os::metrics().counter(
      "cairn_objectstore_scrubbed_bytes_total", "Bytes of bodies that the scrubber verified");
  VerifyCount count = this->count();
  const std::uint64_t begin = count.bytes;
  while (count.bytes - begin < bytes) {
    CAIRN_CHECK(deadline.check("scrub"));
    CAIRN_TRY(const auto body, state_->bodies.next());
    if (!body) {
      state_->end_round();
      return true;
    }
    const std::uint64_t before = count.bytes;
    CAIRN_TRY(auto damage, Look(state_->core, fresh_ms, pace).at(*body, count));
    verified.add(count.bytes - before);
    if (damage) state_->add(std::move(*damage));
    const std::lock_guard lock(state_->mutex);
    state_->count = count;
  }
  return false;
}

std::vector<Damage> Scrubber::damage() const {
  const std::lock_guard lock(state_->mutex);
  return state_->all();
}

VerifyCount Scrubber::count() const {
  const std::lock_guard lock(state_->mutex);
  return state_->count;
}

namespace {

/// One look at a whole folder.
class FolderLook {
 public:
  FolderLook(const EngineOptions& options, const std::function<void(const Damage&)>& on_damage)
      : files_(*options.files), options_(options), on_damage_(on_damage) {
    options_.files = &files_;
  }

  Result<VerifyCount> run(const os::Deadline& deadline) {
    auto folder = DataFolder::look(files_, options_.data_dir);
    if (!folder.ok() && folder.error().kind == ErrorKind::corrupt) {
      tell(options_.data_dir, folder.error().message);
      return count_;
    }
    CAIRN_TRY(DataFolder there, std::move(folder));
    const std::string metadata = there.metadata();
    CAIRN_TRY(const bool has_database, look_at_metadata(metadata));
    if (!has_database) return count_;
    auto core = Core::open_to_look(options_, std::move(there));
    if (!core.ok()) {
      tell(metadata, core.error().message);
      return count_;
    }
    CAIRN_CHECK((*core)->kv().verify_tables([this](const FileFault& fault) { tell(fault); }));
    const Status walked = look_at_bodies(**core, deadline);
    if (!walked.ok() && walked.error().kind != ErrorKind::corrupt) return walked.error();
    if (!walked.ok()) tell(metadata, walked.error().message);
    return count_;
  }

 private:
  void tell(const FileFault& fault) {
    ++count_.damaged;
    Damage damage;
    damage.reason = fault.reason;
    damage.file = fault.file;
    damage.offset = fault.offset;
    on_damage_(damage);
  }
  void tell(const std::string& file, const std::string& reason) {
    tell(FileFault{.file = file, .reason = reason});
  }

  /// False where there is no database to look at.
  Result<bool> look_at_metadata(const std::string& metadata) {
    auto read = read_metadata_state(files_, metadata);
    if (!read.ok() && read.error().kind == ErrorKind::corrupt)
      tell(metadata_state_path(metadata), read.error().message);
    else if (!read.ok() && read.error().kind != ErrorKind::not_found)
      return read.error();
    const auto state = read.ok() ? std::optional(std::move(*read)) : std::nullopt;
    CAIRN_TRY(const MetadataFindings found, check_metadata(files_, metadata, state));
    for (const FileFault& fault : found.faults) tell(fault);
    return !state || state->has_database;
  }

  Status look_at_bodies(Core& core, const os::Deadline& deadline) {
    Bodies bodies(core);
    const Pace at_once;
    Look look(core, 0, at_once);
    for (;;) {
      CAIRN_CHECK(deadline.check("verify the data folder"));
      CAIRN_TRY(const auto body, bodies.next());
      if (!body) return ok_status();
      CAIRN_TRY(const auto damage, look.at(*body, count_));
      if (damage) on_damage_(*damage);
    }
  }

  ReadOnlyFiles files_;
  EngineOptions options_;
  const std::function<void(const Damage&)>& on_damage_;
  VerifyCount count_;
};

}  // namespace

Result<VerifyCount> verify_folder(const EngineOptions& options,
                                  const std::function<void(const Damage&)>& on_damage,
                                  const os::Deadline& deadline) {
  return FolderLook(options, on_damage).run(deadline);
}

}  // namespace cairn::objectstore
