// SPDX-License-Identifier: Apache-2.0
#include "gate/trail/audit_lines.h"

#include <algorithm>
#include <utility>

#include "format/time.h"

namespace cairn::gate {
namespace {

constexpr std::size_t piece_bytes = 256 << 10;
constexpr std::size_t line_bytes_max = 1 << 20;
constexpr std::string_view time_member = "{\"@timestamp\":\"";

}  // namespace

std::optional<std::uint64_t> number_of(std::string_view line) {
  const auto chained = read_chained_line(line);
  return chained ? std::optional(chained->link.number) : std::nullopt;
}

std::optional<std::int64_t> time_of(std::string_view line) {
  if (!line.starts_with(time_member)) return std::nullopt;
  const std::string_view rest = line.substr(time_member.size());
  return parse_iso8601(rest.substr(0, rest.find('"')));
}

AuditLines::AuditLines(os::Files& files, AuditSnapshot snapshot, const os::Deadline& deadline)
    : files_(files), snapshot_(std::move(snapshot)), deadline_(deadline) {}

AuditPlace AuditLines::end() const { return {count() - 1, snapshot_.current_bytes}; }

std::string AuditLines::name_of(std::size_t file) const {
  return file + 1 < count() ? snapshot_.old_files[file] : "audit.jsonl";
}

/// How many bytes of it there are to read.
Result<std::uint64_t> AuditLines::open(std::size_t file) {
  if (opened_ == file) return size_;
  CAIRN_CHECK(deadline_.check("read the audit log"));
  piece_.clear();
  file_ = nullptr;
  size_ = 0;
  opened_ = SIZE_MAX;
  if (file + 1 == count()) {
    file_ = snapshot_.current;
    size_ = snapshot_.current_bytes;
  } else {
    auto opened =
        files_.open(snapshot_.folder + "/" + snapshot_.old_files[file], os::OpenMode::read);
    if (!opened.ok() && opened.error().kind != ErrorKind::not_found)
      return std::move(opened).error();
    if (opened.ok()) {
      file_ = std::move(*opened);
      CAIRN_TRY(size_, file_->size());
    }
  }
  opened_ = file;
  return size_;
}

Status AuditLines::load(std::uint64_t from, std::size_t count) {
  CAIRN_CHECK(deadline_.check("read the audit log"));
  piece_.resize(count);
  piece_at_ = from;
  CAIRN_TRY(const std::size_t got, file_->read_at(from, piece_.data(), count));
  piece_.resize(got);
  if (got < count)
    return Error{ErrorKind::corrupt, {}, "the audit log became shorter while it was read"};
  return ok_status();
}

/// The line that begins there, with its end where it has one.
Result<std::string_view> AuditLines::forward(std::uint64_t from, std::uint64_t size) {
  std::size_t wanted = piece_bytes;
  for (;;) {
    const bool held = from >= piece_at_ && from < piece_at_ + piece_.size();
    const std::string_view text = held ? std::string_view(piece_).substr(from - piece_at_) : "";
    const std::size_t end = text.find('\n');
    if (end != std::string_view::npos) return text.substr(0, end + 1);
    if (held && (text.size() >= line_bytes_max || from + text.size() >= size))
      return text.substr(0, line_bytes_max);
    if (held && text.size() >= wanted) wanted = std::min(2 * wanted, line_bytes_max);
    CAIRN_CHECK(load(from, static_cast<std::size_t>(std::min<std::uint64_t>(wanted, size - from))));
  }
}

/// The line that ends there, with its end where it has one.
Result<std::string_view> AuditLines::backward(std::uint64_t until) {
  std::size_t wanted = piece_bytes;
  for (;;) {
    const bool held = until > piece_at_ && until <= piece_at_ + piece_.size();
    const std::string_view text =
        held ? std::string_view(piece_).substr(0, until - piece_at_) : std::string_view();
    // The last byte is the line's own end.
    const std::size_t before =
        text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
    if (before != std::string_view::npos) return text.substr(before + 1);
    if (held && piece_at_ == 0 && text.size() <= line_bytes_max) return text;
    if (held && text.size() >= line_bytes_max) return text.substr(text.size() - line_bytes_max);
    if (held && text.size() >= std::min<std::uint64_t>(wanted, until))
      wanted = std::min(2 * wanted, line_bytes_max);
    const std::uint64_t from = until - std::min<std::uint64_t>(wanted, until);
    CAIRN_CHECK(load(from, static_cast<std::size_t>(until - from)));
  }
}

Result<std::optional<std::string_view>> AuditLines::next(AuditPlace& at) {
  for (;; at = {at.file + 1, 0}) {
    if (at.file >= count()) return std::optional<std::string_view>();
    CAIRN_TRY(const std::uint64_t size, open(at.file));
    if (at.offset < size) {
      CAIRN_TRY(std::string_view line, forward(at.offset, size));
      at.offset += line.size();
      if (line.ends_with('\n')) line.remove_suffix(1);
      return std::optional(line);
    }
    if (at.file + 1 == count()) return std::optional<std::string_view>();
  }
}

Result<std::optional<std::string_view>> AuditLines::previous(AuditPlace& at) {
  for (;;) {
    CAIRN_TRY(const std::uint64_t size, open(at.file));
    at.offset = std::min(at.offset, size);
    if (at.offset > 0) {
      CAIRN_TRY(std::string_view line, backward(at.offset));
      at.offset -= line.size();
      if (line.ends_with('\n')) line.remove_suffix(1);
      return std::optional(line);
    }
    if (at.file == 0) return std::optional<std::string_view>();
    at = {at.file - 1, UINT64_MAX};
  }
}

/// Where the first line that begins at or behind `offset` does.
Result<std::uint64_t> AuditLines::line_begin(std::uint64_t offset, std::uint64_t size) {
  if (offset == 0) return offset;
  // From the byte before: where that is an end, a line begins here.
  CAIRN_TRY(const std::string_view rest, forward(offset - 1, size));
  return offset - 1 + rest.size();
}

Result<AuditPlace> AuditLines::first_not(
    const std::function<bool(std::string_view line)>& is_before) {
  // The last file whose first line is before; the place is in it, or at the start of the next one.
  std::size_t low = 0, high = count();
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    AuditPlace at{middle, 0};
    CAIRN_TRY(const auto line, next(at));
    if (line && is_before(*line))
      low = middle;
    else
      high = middle;
  }
  CAIRN_TRY(const std::uint64_t size, open(low));
  std::uint64_t from = 0, until = size;  // of beginnings of lines
  while (until - from > piece_bytes) {
    CAIRN_TRY(const std::uint64_t begin, line_begin(from + (until - from) / 2, until));
    if (begin >= until) break;  // one line is all that is left
    CAIRN_TRY(const std::string_view line, forward(begin, size));
    if (is_before(line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0))))
      from = begin;
    else
      until = begin;
  }
  for (AuditPlace at{low, from};;) {
    const AuditPlace before = at;
    CAIRN_TRY(const auto line, next(at));
    if (!line) return end();
    if (!is_before(*line)) return before;
  }
}

}  // namespace cairn::gate
