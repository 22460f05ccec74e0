// SPDX-License-Identifier: Apache-2.0
// Downloads in ranges of one and the same object, written where they belong.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/encode.h"
#include "objectclient/call/byte_range.h"
#include "objectclient/call/sink.h"
#include "objectclient/faults.h"
#include "objectclient/service_errors.h"
#include "objectclient/transfer.h"
#include "objectclient/transfer/transfer_parts.h"
#include "os/random.h"
#include "os/threads/blocking.h"
#include "s3/checksum.h"

namespace cairn::objectclient {
namespace {

constexpr std::size_t read_piece_bytes = 1 << 20;

/// A file that has its name once it is finished.
class NewFile {
 public:
  explicit NewFile(std::string path)
      : path_(std::move(path)),
        part_(path_ + "." + std::to_string(os::system_random().number()) + ".part"),
        descriptor_(::open(part_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {}
  ~NewFile() {
    if (descriptor_ < 0) return;
    ::close(descriptor_);
    ::unlink(part_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  Status check() const { return descriptor_ < 0 ? Status(file_error(part_, errno)) : ok_status(); }

  Status write_at(std::uint64_t offset, std::string_view bytes) const {
    const os::Blocking blocking;
    // The file system lets one in at a time, and those who wait for it there keep a core busy.
    const MutexLock lock(turn_);
    while (!bytes.empty()) {
      const ssize_t count =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return file_error(part_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return ok_status();
  }

  /// Leaves nothing behind the first bytes.
  Status cut(std::uint64_t length) const {
    const os::Blocking blocking;
    if (::ftruncate(descriptor_, static_cast<off_t>(length)) == 0) return ok_status();
    return file_error(part_, errno);
  }

  /// The raw checksum of the first bytes, as the file has them.
  Result<std::string> checksum(s3::ChecksumAlgorithm algorithm, std::uint64_t length,
                               const os::Deadline& deadline) const {
    const os::Blocking blocking;
    s3::Checksummer summer(algorithm);
    const auto piece = std::make_unique_for_overwrite<char[]>(read_piece_bytes);
    for (std::uint64_t at = 0; at < length;) {
      CAIRN_CHECK(deadline.check("comparing a checksum"));
      const auto want =
          static_cast<std::size_t>(std::min<std::uint64_t>(read_piece_bytes, length - at));
      const ssize_t count = ::pread(descriptor_, piece.get(), want, static_cast<off_t>(at));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return file_error(part_, count < 0 ? errno : EIO);
      summer.update({piece.get(), static_cast<std::size_t>(count)});
      at += static_cast<std::uint64_t>(count);
    }
    return summer.finish();
  }

  Status finish() {
    const os::Blocking blocking;
    if (::close(std::exchange(descriptor_, -1)) == 0 && ::rename(part_.c_str(), path_.c_str()) == 0)
      return ok_status();
    const int number = errno;
    ::unlink(part_.c_str());
    return file_error(path_, number);
  }

 private:
  const std::string path_;
  const std::string part_;
  int descriptor_;
  mutable Mutex turn_;
};

/// The checksum of all of an object, where a service tells one.
struct WholeChecksum {
  s3::ChecksumAlgorithm algorithm;
  std::string value;  // base64
};

std::optional<WholeChecksum> whole_checksum(const s3::GetObjectOutput& head) {
  using s3::ChecksumAlgorithm;
  if (head.checksum_type.value_or("") == s3::name_of(s3::ChecksumType::composite))
    return std::nullopt;
  const std::pair<ChecksumAlgorithm, const std::optional<std::string>*> told[] = {
      {ChecksumAlgorithm::crc64nvme, &head.checksum_crc64nvme},
      {ChecksumAlgorithm::crc32c, &head.checksum_crc32c},
      {ChecksumAlgorithm::crc32, &head.checksum_crc32},
      {ChecksumAlgorithm::sha1, &head.checksum_sha1},
      {ChecksumAlgorithm::sha256, &head.checksum_sha256}};
  for (const auto& [algorithm, value] : told)
    if (*value && s3::is_checksum_value(algorithm, **value))
      return WholeChecksum{algorithm, **value};
  return std::nullopt;
}

bool is_crc(s3::ChecksumAlgorithm algorithm) {
  return algorithm != s3::ChecksumAlgorithm::sha1 && algorithm != s3::ChecksumAlgorithm::sha256;
}

/// One object on its way into one file.
class RangedDownload {
 public:
  RangedDownload(Client client, const s3::GetObjectInput& params, const DownloadOptions& options,
                 const NewFile& file)
      : client_(std::move(client)), params_(params), options_(options), file_(file) {}

  /// The first range tells how long the object is.
  Status run(s3::GetObjectOutput& output) {
    CAIRN_CHECK(get(0, options_.part_bytes, output, {}));
    if (info().status != 206) return ok_status();  // all of it came
    const std::string said = output.content_range.value_or("no Content-Range");
    const auto first = parse_content_range(said);
    if (!first || !first->total)
      return unexpected_reply("the reply does not say how long the object is: " + said);
    const std::string etag = output.etag.value_or("");
    // Without an ETag nothing tells whether ranges are of one and the same object.
    if (!first->is_whole() && etag.empty()) return get_whole(output);
    total_ = *first->total;
    output.content_length = static_cast<std::int64_t>(total_);
    output.content_range.reset();
    SharedProgress progress(options_.progress, total_);
    progress.add(first->length());
    if (first->is_whole()) return ok_status();
    CAIRN_CHECK(find_checksum(etag));
    std::atomic<std::uint64_t> next = options_.part_bytes;
    CAIRN_CHECK(run_on_threads(options_.threads, [&]() -> Result<bool> {
      const std::uint64_t begin = next.fetch_add(options_.part_bytes);
      if (begin >= total_) return false;
      const std::uint64_t length = std::min(options_.part_bytes, total_ - begin);
      s3::GetObjectOutput rest;
      CAIRN_CHECK(get(begin, length, rest, etag));
      CAIRN_CHECK(check_same_object(rest, etag));
      progress.add(length);
      return true;
    }));
    return check_checksum();
  }

  CallInfo info() {
    MutexLock lock(mutex_);
    return info_;
  }

 private:
  Status get(std::uint64_t begin, std::uint64_t length, s3::GetObjectOutput& output,
             const std::string& etag) {
    s3::GetObjectInput input = params_;
    input.range = "bytes=" + std::to_string(begin) + "-" + std::to_string(begin + length - 1);
    if (!etag.empty()) input.if_match = etag;
    std::optional<s3::Checksummer> summer;
    if (checksum_ && is_crc(checksum_->algorithm)) summer.emplace(checksum_->algorithm);
    std::uint64_t at = begin;
    const auto take = [&](std::string_view bytes) -> Status {
      const std::uint64_t here = at;
      at += bytes.size();
      // A service that does not know ranges gives all of it to the first one, and to no other.
      if (begin > 0 && at > begin + length)
        return unexpected_reply("more bytes came than the range has that was asked for");
      if (summer) summer->update(bytes);
      return file_.write_at(here, bytes);
    };
    const auto got =
        client_.get_object(input, Target::function(take), {.deadline = options_.deadline});
    {
      MutexLock lock(mutex_);
      info_ = got.call();
    }
    if (got.ok()) {
      output = got.data();
      if (summer) sums_[begin / options_.part_bytes] = summer->finish();
      return ok_status();
    }
    // Nothing can be a range of an object of no bytes.
    if (begin == 0 && got.call().status == 416) return get_whole(output);
    return got.error();
  }

  /// All of it in one reply, which the call itself compares with its length and checksum.
  Status get_whole(s3::GetObjectOutput& output) {
    std::uint64_t at = 0;
    const auto got =
        client_.get_object(params_, Target::function([&](std::string_view bytes) {
                             const std::uint64_t here = at;
                             at += bytes.size();
                             return file_.write_at(here, bytes);
                           }),
                           {.deadline = options_.deadline, .progress = options_.progress});
    MutexLock lock(mutex_);
    info_ = got.call();
    if (!got.ok()) return got.error();
    output = got.data();
    return file_.cut(at);
  }

  Status check_same_object(const s3::GetObjectOutput& part, const std::string& etag) const {
    const auto range = parse_content_range(part.content_range.value_or(""));
    if (!range) return unexpected_reply("a range of the object was asked for, and all of it came");
    if (part.etag.value_or("") != etag)
      return unexpected_reply("the object has changed while it was read: its ETag was " + etag +
                              " and is " + part.etag.value_or("not there"));
    if (range->total != total_)
      return unexpected_reply("the object has changed while it was read: it had " +
                              std::to_string(total_) + " bytes, and a reply says " +
                              *part.content_range);
    return ok_status();
  }

  /// Replies with ranges do not have the checksum of the whole; HEAD does.
  Status find_checksum(const std::string& etag) {
    const bool wanted = params_.checksum_mode.value_or("") == "ENABLED" ||
                        *client_.options().response_checksum_validation == "when_supported";
    if (!wanted) return ok_status();
    s3::GetObjectInput input = params_;
    input.checksum_mode = "ENABLED";
    const auto head = client_.head_object(input, {.deadline = options_.deadline});
    // A service that answers GET and no HEAD has no checksum to compare with.
    if (!head.ok()) return options_.deadline.check("downloading " + params_.key);
    if (head->etag.value_or("") != etag)
      return unexpected_reply("the object has changed while it was read: its ETag was " + etag +
                              " and is " + head->etag.value_or("not there"));
    checksum_ = whole_checksum(*head);
    if (!checksum_ || !is_crc(checksum_->algorithm)) return ok_status();
    sums_.resize((total_ + options_.part_bytes - 1) / options_.part_bytes);
    CAIRN_TRY(sums_[0],
              file_.checksum(checksum_->algorithm, options_.part_bytes, options_.deadline));
    return ok_status();
  }

  Status check_checksum() {
    if (!checksum_) return ok_status();
    const s3::ChecksumAlgorithm algorithm = checksum_->algorithm;
    std::string sum;
    if (is_crc(algorithm)) {
      sum = sums_[0];
      for (std::uint64_t i = 1; i < sums_.size(); ++i)
        sum =
            s3::combine_checksums(algorithm, sum, sums_[i],
                                  std::min(options_.part_bytes, total_ - i * options_.part_bytes));
    } else {
      CAIRN_TRY(sum, file_.checksum(algorithm, total_, options_.deadline));
    }
    if (to_base64(sum) != checksum_->value)
      return Error{ErrorKind::corrupt, "ChecksumError",
                   "Checksum validation failed on " + std::string(s3::header_of(algorithm)) +
                       " computed: " + to_base64(sum) + ", expected: " + checksum_->value};
    MutexLock lock(mutex_);
    info_.checksum_validated = s3::name_of(algorithm);
    return ok_status();
  }

  const Client client_;
  const s3::GetObjectInput& params_;
  const DownloadOptions& options_;
  const NewFile& file_;
  std::uint64_t total_ = 0;
  std::optional<WholeChecksum> checksum_;
  std::vector<std::string> sums_;  // raw, of each range; each is written by the one who gets it
  Mutex mutex_;
  CallInfo info_ CAIRN_GUARDED_BY(mutex_);
};

}  // namespace

Response<s3::GetObjectOutput> download(const Client& client, const s3::GetObjectInput& params,
                                       const std::string& path, const DownloadOptions& options) {
  s3::GetObjectOutput output;
  CallInfo info;
  const Client calm = client.without_exceptions();
  const auto run = [&]() -> Status {
    if (params.range || params.part_number || takes_bytes_as_they_come(path)) {
      // A part of an object is not worth more ranges, and what is no file takes no ranges.
      auto got = calm.get_object(params, Target::file(path),
                                 {.deadline = options.deadline, .progress = options.progress});
      info = got.call();
      if (!got.ok()) return got.error();
      output = got.data();
      return ok_status();
    }
    NewFile file(path);
    CAIRN_CHECK(file.check());
    RangedDownload ranged(calm, params, options, file);
    const Status done = ranged.run(output);
    info = ranged.info();
    return done.ok() ? file.finish() : done;
  };
  const Status done = run();
  if (done.ok()) return {std::move(output), std::move(info)};
  if (client.raises()) throw_error(done.error(), info);
  return {done.error(), std::move(info)};
}

}  // namespace cairn::objectclient
