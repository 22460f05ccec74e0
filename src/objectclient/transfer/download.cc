// SPDX-License-Identifier: Apache-2.0
// Downloads in ranges of one and the same object, written where they belong.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/strings.h"
#include "objectclient/faults.h"
#include "objectclient/service_errors.h"
#include "objectclient/call/sink.h"
#include "objectclient/transfer.h"
#include "objectclient/transfer/transfer_parts.h"
#include "os/blocking.h"
#include "os/random.h"

namespace cairn::objectclient {
namespace {

/// A file that has its name once it is finished.
class NewFile {
 public:
  explicit NewFile(std::string path)
      : path_(std::move(path)),
        part_(path_ + "." + std::to_string(os::system_random().number()) + ".part"),
        descriptor_(::open(part_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {}
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

/// One object on its way into one file.
class RangedDownload {
 public:
  RangedDownload(Client client, const s3::GetObjectInput& params, const DownloadOptions& options,
                 const NewFile& file)
      : client_(std::move(client)), params_(params), options_(options), file_(file) {}

  /// The first range tells how long the object is.
  Status run(s3::GetObjectOutput& output) {
    CAIRN_CHECK(get(0, options_.part_bytes, output));
    const auto slash = output.content_range.value_or("").rfind('/');
    const auto total = slash == std::string::npos
                           ? std::optional<std::uint64_t>()
                           : parse_number<std::uint64_t>(output.content_range->substr(slash + 1));
    if (!total) return ok_status();  // all of it came
    output.content_length = static_cast<std::int64_t>(*total);
    output.content_range.reset();
    total_ = *total;
    SharedProgress progress(options_.progress, total_);
    progress.add(std::min(options_.part_bytes, total_));
    std::atomic<std::uint64_t> next = options_.part_bytes;
    const std::string etag = output.etag.value_or("");
    return run_on_threads(options_.threads, [&]() -> Result<bool> {
      const std::uint64_t begin = next.fetch_add(options_.part_bytes);
      if (begin >= total_) return false;
      const std::uint64_t length = std::min(options_.part_bytes, total_ - begin);
      s3::GetObjectOutput rest;
      CAIRN_CHECK(get(begin, length, rest, etag));
      progress.add(length);
      return true;
    });
  }

  CallInfo info() {
    MutexLock lock(mutex_);
    return info_;
  }

 private:
  Status get(std::uint64_t begin, std::uint64_t length, s3::GetObjectOutput& output,
             const std::string& etag = {}) {
    s3::GetObjectInput input = params_;
    input.range = "bytes=" + std::to_string(begin) + "-" + std::to_string(begin + length - 1);
    if (!etag.empty()) input.if_match = etag;
    std::uint64_t at = begin;
    const auto got = client_.get_object(input, Target::function([&](std::string_view bytes) {
                                          const std::uint64_t here = at;
                                          at += bytes.size();
                                          return file_.write_at(here, bytes);
                                        }),
                                        {.deadline = options_.deadline});
    {
      MutexLock lock(mutex_);
      info_ = got.call();
    }
    if (got.ok()) {
      output = got.data();
      return ok_status();
    }
    // Nothing can be a range of an object of no bytes.
    if (begin == 0 && got.call().status == 416) {
      const auto empty = client_.get_object(params_, {}, {.deadline = options_.deadline});
      if (empty.ok()) output = empty.data();
      return empty.ok() ? ok_status() : Status(empty.error());
    }
    return got.error();
  }

  const Client client_;
  const s3::GetObjectInput& params_;
  const DownloadOptions& options_;
  const NewFile& file_;
  std::uint64_t total_ = 0;
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
