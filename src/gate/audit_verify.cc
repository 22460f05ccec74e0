// SPDX-License-Identifier: Apache-2.0
#include "gate/audit_verify.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "os/files/secret_file.h"

namespace cairn::gate {
namespace {

constexpr std::size_t read_bytes = 1 << 20;
constexpr std::string_view current_file = "audit.jsonl";

/// Line by line over the files of one log.
class Verifier {
 public:
  Verifier(std::string_view key, const std::function<void(const AuditFault&)>& on_fault,
           ChainLink noted)
      : key_(key), on_fault_(on_fault), noted_(std::move(noted)) {}

  void begin(std::string file) {
    file_ = std::move(file);
    line_ = 0;
  }
  void take(std::string_view text);
  void end(const ChainHead& head);
  void torn() { count_.torn = true; }
  const AuditCount& count() const { return count_; }

 private:
  void fault(std::string reason) {
    ++count_.faults;
    on_fault_({file_, line_, std::move(reason)});
  }

  const std::string_view key_;
  const std::function<void(const AuditFault&)>& on_fault_;
  const ChainLink noted_;
  std::string file_;
  std::uint64_t line_ = 0;
  std::optional<ChainLink> last_;
  std::uint64_t oldest_ = 0;
  AuditCount count_;
};

void Verifier::take(std::string_view text) {
  ++line_;
  ++count_.lines;
  const auto line = read_chained_line(text);
  if (!line) {
    if (last_)
      fault("it is no line of the chain: it was put in, or edited");
    else
      ++count_.unchained;
    return;
  }
  if (auto reason = chain_fault(last_, *line, key_)) fault(*std::move(reason));
  if (line->link.number == noted_.number && line->link.mac != noted_.mac)
    fault("it is another line than the one whose mac was noted: all from it on may be new");
  if (!last_) oldest_ = line->link.number;
  last_ = line->link;
}

void Verifier::end(const ChainHead& head) {
  if (last_) count_.newest = *last_;
  count_.sure_up_to = std::max(head.newest.number, noted_.number);
  count_.ended = head.is_end && count_.newest == head.newest;
  if (noted_.number > std::max(head.newest.number, count_.newest.number))
    fault(missing_numbers(count_.newest.number + 1, noted_.number) +
          " at the end, the last of which was noted: the log was cut");
  if (noted_.number != 0 && noted_.number < oldest_)
    fault("number " + std::to_string(noted_.number) +
          ", which was noted, is not there: the log begins behind it");
  if (head.newest.number == 0) return;
  if (!last_ || last_->number < head.newest.number)
    fault(missing_numbers(last_ ? last_->number + 1 : head.oldest, head.newest.number) +
          " at the end: the log was cut");
  if (last_ && head.oldest != 0 && oldest_ > head.oldest)
    fault(missing_numbers(head.oldest, oldest_ - 1) + " at the beginning: the log was cut");
}

Status read_lines(os::File& file, Verifier& verifier, const os::Deadline& deadline) {
  std::string piece(read_bytes, '\0');
  std::string rest;
  std::uint64_t offset = 0;
  for (;;) {
    CAIRN_CHECK(deadline.check("verify the audit log"));
    CAIRN_TRY(const std::size_t got, file.read_at(offset, piece.data(), piece.size()));
    if (got == 0) break;
    offset += got;
    std::string_view text(piece.data(), got);
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
      rest.append(text.substr(0, end));
      verifier.take(rest);
      rest.clear();
      text.remove_prefix(end + 1);
    }
    rest.append(text);
  }
  if (!rest.empty()) verifier.torn();
  return ok_status();
}

Result<ChainHead> read_head(const std::string& path) {
  if (path.empty()) return ChainHead{};
  CAIRN_TRY(const auto text, os::read_secret_file(path));
  if (!text) return ChainHead{};
  auto head = ChainHead::decode(*text);
  if (!head.ok()) return with_context(std::move(head).error(), path);
  return head;
}

}  // namespace

std::string missing_numbers(std::uint64_t from, std::uint64_t to) {
  if (from == to) return "number " + std::to_string(from) + " is missing";
  return "numbers " + std::to_string(from) + " to " + std::to_string(to) + " are missing";
}

std::optional<std::string> chain_fault(const std::optional<ChainLink>& last,
                                       const ChainedLine& line, std::string_view key) {
  // Of the oldest line that is kept only the line itself knows what it follows.
  const std::string before = last ? last->mac : line.follows.value_or("");
  const bool next = !last || line.link.number == last->number + 1;
  if (next && follows(line, before, key)) return std::nullopt;
  if (!last && !line.follows) return "the lines before it are missing";
  const std::string itself = line.follows.value_or(before);
  if (last && line.link.number <= last->number)
    return "it has number " + std::to_string(line.link.number) + ", and stands behind number " +
           std::to_string(last->number) + ": lines were swapped or repeated";
  if (!next) return missing_numbers(last->number + 1, line.link.number - 1) + " before it";
  if (last && line.follows && follows(line, itself, key))
    return "it follows another line than the one before it, which was replaced";
  return "it was edited, or written with another key";
}

Result<std::vector<std::string>> audit_files(os::Files& files, const std::string& folder) {
  CAIRN_TRY(auto names, files.list(folder));
  std::erase_if(names, [](const std::string& name) {
    return name != current_file && (!name.starts_with("audit-") || !name.ends_with(".jsonl"));
  });
  // Without the ending: "audit-T" stands before "audit-T-1", and the current one last.
  const auto place = [](const std::string& name) {
    return std::pair(name == current_file, std::string_view(name).substr(0, name.size() - 6));
  };
  std::sort(names.begin(), names.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return names;
}

Result<AuditCount> verify_audit(os::Files& files, const std::string& folder, std::string_view key,
                                const std::string& head,
                                const std::function<void(const AuditFault&)>& on_fault,
                                const os::Deadline& deadline, const ChainLink& noted) {
  // The head first: a line that is written meanwhile is newer than it.
  CAIRN_TRY(const ChainHead known, read_head(head));
  CAIRN_TRY(const auto names, audit_files(files, folder));
  // All are opened before any is read, so that a file that turns meanwhile is read once.
  std::vector<std::unique_ptr<os::File>> opened;
  for (const auto& name : names) {
    CAIRN_TRY(auto file, files.open(folder + "/" + name, os::OpenMode::read));
    opened.push_back(std::move(file));
  }
  Verifier verifier(key, on_fault, noted);
  for (std::size_t i = 0; i < names.size(); ++i) {
    verifier.begin(names[i]);
    CAIRN_CHECK(read_lines(*opened[i], verifier, deadline));
  }
  verifier.end(known);
  return verifier.count();
}

}  // namespace cairn::gate
