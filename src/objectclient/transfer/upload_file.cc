// SPDX-License-Identifier: Apache-2.0
// Files: in parts, by one process or by several after each other.
#include <algorithm>
#include <utility>

#include "objectclient/transfer/upload_resume.h"
#include "objectclient/transfer/upload_steps.h"
#include "os/files/files.h"

namespace cairn::objectclient {
namespace {

Error changed_file(const std::string& path) {
  return {ErrorKind::conflict, "MultipartUploadError", path + " changed while it was sent"};
}

/// One upload of one file, with what an earlier process has left of it.
class FileUpload {
 public:
  FileUpload(Client client, const s3::PutObjectInput& params, std::string path,
             const UploadOptions& options)
      : client_(std::move(client)),
        params_(params),
        path_(std::move(path)),
        body_(Body::file(path_)),
        options_(options) {}

  Status run(UploadResult& result) {
    auto there = os::system_files().info(path_);
    if (!there.ok()) return std::move(there).error();
    if (there->size_bytes < options_.multipart_threshold_bytes)
      return upload_whole(client_, params_, body_, options_, result, info);
    for (int restart = 0;; ++restart) {
      CAIRN_TRY(seen_, os::system_files().info(path_));
      const Status done = options_.resume_path.empty() ? send({}, nullptr, result) : resume(result);
      const bool conflict = !done.ok() && done.error().code == "ConditionalRequestConflict";
      if (!conflict || restart >= options_.restarts || !may_begin_again(client_, params_, options_))
        return done;
    }
  }

  CallInfo info;

 private:
  UploadState state_now() const {
    return {.upload_id = {},
            .parameters = upload_parameters_digest(client_, params_),
            .source = path_,
            .size = seen_.size_bytes,
            .modified_ns = seen_.modified_ns,
            .part_bytes = bytes_of_each_part(seen_.size_bytes, options_.part_bytes)};
  }

  /// Goes on where the last process stopped, or begins.
  Status resume(UploadResult& result) {
    CAIRN_TRY(const UploadStateFile file, UploadStateFile::open(options_.resume_path));
    CAIRN_TRY(const std::optional<UploadState> left, file.read());
    std::optional<OpenUpload> earlier;
    if (left) {
      UploadState same = state_now();
      same.upload_id = left->upload_id;
      if (same == *left) {
        CAIRN_TRY(FoundUpload found, find_upload(client_, params_, body_, *left, options_));
        earlier = std::move(found.open);
        if (found.finished) {
          result = *std::move(found.finished);
          file.remove();
          return ok_status();
        }
      } else {
        abort_upload(client_, params_.bucket, params_.key, left->upload_id);
      }
    }
    return send(std::move(earlier), &file, result);
  }

  Status send(std::optional<OpenUpload> earlier, const UploadStateFile* file,
              UploadResult& result) {
    const UploadState state = state_now();
    const SentParts sent = earlier ? earlier->parts : SentParts();
    SharedProgress progress(options_.progress, state.size);
    for (const auto& [number, part] : sent)
      progress.add(
          std::min(state.part_bytes,
                   state.size - (static_cast<std::uint64_t>(number) - 1) * state.part_bytes));
    UploadCourse course{.earlier = std::move(earlier)};
    course.keep = file != nullptr;
    course.before_completion = [&]() -> Status {
      CAIRN_TRY(const auto now, os::system_files().info(path_));
      const bool same = now.size_bytes == state.size && now.modified_ns == state.modified_ns;
      return same ? ok_status() : Status(changed_file(path_));
    };
    if (file != nullptr)
      course.begun = [&](const std::string& upload_id) {
        UploadState begun = state;
        begun.upload_id = upload_id;
        return file->write(begun);
      };
    PartedUpload parted(client_, params_, options_, progress, std::move(course));
    const Status done =
        parted.run(parts_of_body(body_, state.size, state.part_bytes, sent), result);
    info = parted.info;
    if (done.ok()) result.parts_reused = static_cast<std::int64_t>(sent.size());
    if (file != nullptr && !parted.kept_open) file->remove();
    return done;
  }

  const Client client_;
  const s3::PutObjectInput& params_;
  const std::string path_;
  const Body body_;
  const UploadOptions& options_;
  os::FileInfo seen_;
};

}  // namespace

Response<UploadResult> upload_file(const Client& client, const s3::PutObjectInput& params,
                                   const std::string& path, const UploadOptions& options) {
  UploadResult result;
  FileUpload file(client.without_exceptions(), params, path, options);
  const Status done = file.run(result);
  return upload_response(client, done, std::move(result), std::move(file.info));
}

}  // namespace cairn::objectclient
