// SPDX-License-Identifier: Apache-2.0
#include "objectstore/metadata/metadata_state.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/checksum.h"
#include "base/strings.h"
#include "os/log.h"

namespace cairn::objectstore {
namespace {

constexpr std::string_view title = "cairn metadata state 1";
constexpr std::size_t state_bytes_max = 64 << 20;

std::string hex_of(std::uint32_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out(8, '0');
  for (std::size_t i = 8; i-- > 0; number >>= 4) out[i] = digits[number & 15];
  return out;
}

std::optional<std::uint32_t> number_of_hex(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (digits.size() != 8 || fault != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return number;
}

/// The words of a line, which one space parts.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t space = line.find(' ');
    words.push_back(line.substr(0, space));
    if (space == std::string_view::npos) return words;
    line.remove_prefix(space + 1);
  }
}

bool read_growing(const std::vector<std::string_view>& words, MetadataState& state) {
  if (words.size() != 4) return false;
  const auto bytes = parse_number<std::uint64_t>(words[2]);
  if (!bytes || (words[3] != "open" && words[3] != "closed")) return false;
  state.growing[std::string(words[1])] = {.least_bytes = *bytes, .closed = words[3] == "closed"};
  return true;
}

bool read_fixed(const std::vector<std::string_view>& words, MetadataState& state) {
  if (words.size() < 3) return false;
  const auto bytes = parse_number<std::uint64_t>(words[2]);
  if (!bytes) return false;
  FileSum sum{.size_bytes = *bytes};
  for (std::size_t i = 3; i < words.size(); ++i) {
    const auto block = number_of_hex(words[i]);
    if (!block) return false;
    sum.blocks.push_back(*block);
  }
  if (sum.blocks.size() != (*bytes + FileSum::block_bytes - 1) / FileSum::block_bytes) return false;
  state.fixed[std::string(words[1])] = std::move(sum);
  return true;
}

bool read_table(const std::vector<std::string_view>& words, MetadataState& state) {
  const auto bytes = words.size() == 3 ? parse_number<std::uint64_t>(words[2]) : std::nullopt;
  if (bytes) state.tables[std::string(words[1])] = *bytes;
  return bytes.has_value();
}

bool read_line(std::string_view line, MetadataState& state) {
  const auto words = words_of(line);
  if (line == "database") return state.has_database = true;
  if (line == "clean") return state.clean = true;
  if (line == "cut_short") return state.cut_short = true;
  if (words[0] == "log") return read_growing(words, state);
  if (words[0] == "file") return read_fixed(words, state);
  if (words[0] == "table") return read_table(words, state);
  if (words[0] != "starts" || words.size() != 2) return false;
  const auto starts = parse_number<std::uint64_t>(words[1]);
  if (starts) state.starts = *starts;
  return starts.has_value();
}

}  // namespace

FileSum sum_of(std::string_view bytes) {
  FileSum sum{.size_bytes = bytes.size()};
  for (std::size_t at = 0; at < bytes.size(); at += FileSum::block_bytes)
    sum.blocks.push_back(crc32c(bytes.substr(at, FileSum::block_bytes)));
  return sum;
}

std::string encode(const MetadataState& state) {
  std::string out(title);
  out += "\nstarts " + std::to_string(state.starts) + "\n";
  if (state.has_database) out += "database\n";
  if (state.clean) out += "clean\n";
  if (state.cut_short) out += "cut_short\n";
  for (const auto& [name, file] : state.growing)
    out += "log " + name + " " + std::to_string(file.least_bytes) +
           (file.closed ? " closed\n" : " open\n");
  for (const auto& [name, sum] : state.fixed) {
    out += "file " + name + " " + std::to_string(sum.size_bytes);
    for (const std::uint32_t block : sum.blocks) out += " " + hex_of(block);
    out += "\n";
  }
  for (const auto& [name, bytes] : state.tables)
    out += "table " + name + " " + std::to_string(bytes) + "\n";
  return out + "end " + hex_of(crc32c(out)) + "\n";
}

Result<MetadataState> decode_metadata_state(std::string_view text) {
  const auto broken = [](std::string why) {
    return Error{.kind = ErrorKind::corrupt, .message = std::move(why)};
  };
  constexpr std::size_t end_bytes = 13;  // "end ", eight digits, and the end of the line
  if (text.size() < end_bytes || !text.starts_with(std::string(title) + "\n"))
    return broken("it does not begin with [" + std::string(title) + "]");
  const std::string_view body = text.substr(0, text.size() - end_bytes);
  if (text.substr(body.size()) != "end " + hex_of(crc32c(body)) + "\n")
    return broken("its checksum does not verify");
  MetadataState state;
  std::string_view lines = body.substr(title.size() + 1);
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (!read_line(lines.substr(0, end), state))
      return broken("it has a line that means nothing: [" + std::string(lines.substr(0, end)) +
                    "]");
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return state;
}

std::string metadata_state_path(const std::string& metadata) { return metadata + ".state"; }

Result<MetadataState> read_metadata_state(os::Files& files, const std::string& metadata) {
  const std::string path = metadata_state_path(metadata);
  CAIRN_TRY(const std::string text, os::read_file(files, path, state_bytes_max));
  auto state = decode_metadata_state(text);
  if (state.ok()) return state;
  return Error{.kind = ErrorKind::corrupt,
               .message = "[" + path + "], which says what must lie in the metadata, is damaged: " +
                          state.error().message +
                          "; restore it, or see \"the state file\" in docs/operating/damage.md"};
}

MetadataState MetadataStateFile::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void MetadataStateFile::load(MetadataState state) {
  const std::lock_guard lock(mutex_);
  state_ = std::move(state);
}

Status MetadataStateFile::save() { return os::replace_file(files_, path_, encode(state_)); }

Status MetadataStateFile::change(const std::function<void(MetadataState&)>& change) {
  const std::lock_guard lock(mutex_);
  change(state_);
  return save();
}

Status MetadataStateFile::log_begins(const std::string& name, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  state_.growing[name] = {.least_bytes = bytes};
  return save();
}

Status MetadataStateFile::log_ends(const std::string& name, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = state_.growing.find(name);
  if (found == state_.growing.end()) return ok_status();
  found->second = {.least_bytes = bytes, .closed = true};
  return save();
}

Status MetadataStateFile::forget(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const bool known = state_.growing.erase(name) + state_.fixed.erase(name) > 0;
  return known ? save() : ok_status();
}

void MetadataStateFile::manifest_synced(const std::string& name, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto& file = state_.growing[name];
  if (bytes <= file.least_bytes) return;
  file.least_bytes = bytes;
  // Without the note a fault behind it is taken for a write that was cut: less is told, no more lost.
  if (const Status saved = save(); !saved.ok())
    os::log(os::LogLevel::warn, "objectstore", "metadata_state_not_saved",
            {{"reason", saved.error().message}});
}

}  // namespace cairn::objectstore
