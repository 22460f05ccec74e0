// SPDX-License-Identifier: Apache-2.0
#include "connectors/isolation/extractor.h"

#include <condition_variable>
#include <mutex>

#include "connectors/isolation/child.h"
#include "connectors/isolation/pdf.h"
#include "os/threads/blocking.h"

namespace cairn::connectors {
namespace {

/// Adds the texts of what only another program can read, to the file or the row that it lies in. A
/// file that is nothing else has its title.
Status add_enclosed(ExtractedFile& file, const ExtractorOptions& options,
                    const os::Deadline& deadline) {
  const bool is_all =
      file.body.empty() && file.title.empty() && file.rows.empty() && file.enclosed.size() == 1;
  std::size_t text_bytes = file.body.size();
  for (const ExtractedRow& row : file.rows) text_bytes += row.body.size();
  for (const EnclosedFile& one : file.enclosed) {
    auto text = pdf_text(one.bytes, options, deadline);
    if (!text.ok()) {
      if (is_all) return std::move(text).error();
      CAIRN_CHECK(deadline.check("reading a file"));
      continue;  // an attachment; the message is text all the same
    }
    std::string& body = one.row == 0 ? file.body : file.rows[one.row - 1].body;
    text_bytes -= body.size();
    if (is_all)
      file.title = std::move(text->title);
    else
      (body += "\n\n") += text->title + "\n";
    body += text->body;
    text_bytes += body.size();
    if (text_bytes > options.text_bytes_max)
      return Error{.kind = ErrorKind::too_large,
                   .message = "it holds more text than is taken of one file"};
  }
  file.enclosed.clear();
  return ok_status();
}

class ChildExtractor final : public Extractor {
 public:
  explicit ChildExtractor(ExtractorOptions options) : options_(std::move(options)) {}

  Result<ExtractedFile> extract(std::string_view name, std::string_view bytes,
                                const ExtractWishes& wishes,
                                const os::Deadline& deadline) override {
    if (const NamedKind named = kind_by_name(name);
        named.kind == FileKind::pdf && !bytes.starts_with("\x1f\x8b"))
      return pdf_text(bytes, options_, deadline);
    CAIRN_TRY(auto child, take(deadline));
    auto file = child->extract(name, bytes, wishes, options_, deadline);
    if (!file.ok() && child->had_gone()) {  // for want of work, while this was sent
      auto another = ExtractChild::start(options_);
      if (another.ok()) {
        *child = *std::move(another);
        file = child->extract(name, bytes, wishes, options_, deadline);
      }
    }
    give_back(std::move(child));
    if (file.ok() && !file->enclosed.empty()) CAIRN_CHECK(add_enclosed(*file, options_, deadline));
    return file;
  }

 private:
  using Child = std::unique_ptr<ExtractChild>;

  Result<Child> take(const os::Deadline& deadline) {
    std::unique_lock lock(mutex_);
    const os::Blocking blocking;
    if (!os::wait(freed_, lock, deadline, [&] { return busy_ < options_.children; }))
      return deadline.check("waiting for a reader of files").error();
    ++busy_;
    while (!idle_.empty()) {
      Child child = std::move(idle_.back());
      idle_.pop_back();
      if (child->is_there()) return child;
    }
    lock.unlock();
    auto child = ExtractChild::start(options_);
    if (child.ok()) return std::make_unique<ExtractChild>(*std::move(child));
    give_back(nullptr);
    return std::move(child).error();
  }

  void give_back(Child child) {
    if (child != nullptr && child->is_spent()) child.reset();
    const std::lock_guard lock(mutex_);
    --busy_;
    if (child != nullptr) idle_.push_back(std::move(child));
    freed_.notify_one();
  }

  const ExtractorOptions options_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::size_t busy_ = 0;     // guarded by mutex_
  std::vector<Child> idle_;  // guarded by mutex_
};

}  // namespace

std::unique_ptr<Extractor> child_extractor(ExtractorOptions options) {
  return std::make_unique<ChildExtractor>(std::move(options));
}

}  // namespace cairn::connectors
