// SPDX-License-Identifier: Apache-2.0
#include "connectors/told_changes.h"

#include <algorithm>
#include <utility>

#include "base/encode.h"
#include "base/strings.h"

namespace cairn::connectors {
namespace {

constexpr std::string_view told_prefix = "told/";
constexpr std::string_view paths_prefix = "told_paths/";

std::string told_key(const std::string& connector) { return std::string(told_prefix) + connector; }

std::string paths_key(const std::string& connector, std::uint64_t number) {
  return std::string(paths_prefix) + connector + "/" + std::to_string(number);
}

}  // namespace

// A line each: names have any bytes but those that are escaped.
std::string encode_paths(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) (out += percent_encode(path, "/")) += '\n';
  return out;
}

Result<std::vector<std::string>> decode_paths(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    auto path = percent_decode(line, false);
    if (!path)
      return Error{.kind = ErrorKind::corrupt, .message = "a kept list of paths is damaged"};
    out.push_back(*std::move(path));
  }
  return out;
}

Status ToldChanges::load_paths(const std::string& key, const os::Deadline& deadline) {
  const std::string_view rest = std::string_view(key).substr(paths_prefix.size());
  const std::size_t slash = rest.rfind('/');
  const auto number = slash == std::string_view::npos
                          ? std::nullopt
                          : parse_number<std::uint64_t>(rest.substr(slash + 1));
  if (!number) return ok_status();
  CAIRN_TRY(const auto object, store_.get(key, deadline));
  CAIRN_TRY(auto paths, decode_paths(object.bytes));
  Word& word = told_[std::string(rest.substr(0, slash))];
  word.paths.insert(std::make_move_iterator(paths.begin()), std::make_move_iterator(paths.end()));
  word.objects.push_back(key);
  last_object_ = std::max(last_object_, *number);
  return ok_status();
}

Status ToldChanges::load(const os::Deadline& deadline) {
  if (is_loaded_) return ok_status();
  told_.clear();
  CAIRN_CHECK(store::for_each_object(store_, told_prefix, deadline,
                                     [this](const store::ObjectInfo& info) -> Status {
                                       told_[info.key.substr(told_prefix.size())].everything = true;
                                       return ok_status();
                                     }));
  CAIRN_CHECK(store::for_each_object(
      store_, paths_prefix, deadline,
      [&](const store::ObjectInfo& info) { return load_paths(info.key, deadline); }));
  is_loaded_ = true;
  return ok_status();
}

Status ToldChanges::add(const std::string& connector, const std::vector<std::string>& paths,
                        const os::Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  CAIRN_CHECK(load(deadline));
  const auto known = told_.find(connector);
  static const Word nothing;
  const Word& word = known == told_.end() ? nothing : known->second;
  if (word.everything) return ok_status();
  std::vector<std::string> fresh;
  for (const std::string& path : paths)
    if (word.paths.count(path) == 0) fresh.push_back(path);
  if (!paths.empty() && fresh.empty()) return ok_status();
  if (paths.empty() || word.paths.size() + fresh.size() > paths_max ||
      word.objects.size() >= objects_max) {
    CAIRN_CHECK(store_.put(told_key(connector), {}, deadline));
    Word& all = told_[connector];
    all.everything = true;
    all.paths.clear();
    return ok_status();
  }
  const std::string key = paths_key(connector, ++last_object_);
  CAIRN_CHECK(store_.put(key, encode_paths(fresh), deadline));
  Word& more = told_[connector];
  more.objects.push_back(key);
  more.paths.insert(std::make_move_iterator(fresh.begin()), std::make_move_iterator(fresh.end()));
  return ok_status();
}

Result<std::set<std::string>> ToldChanges::all(const os::Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  CAIRN_CHECK(load(deadline));
  std::set<std::string> out;
  for (const auto& [connector, word] : told_) out.insert(connector);
  return out;
}

std::optional<ToldItems> ToldChanges::begin(const std::string& connector) {
  const std::lock_guard lock(mutex_);
  const auto found = told_.find(connector);
  if (found == told_.end()) return std::nullopt;
  Word& word = taken_[connector];
  word = std::move(found->second);
  told_.erase(found);
  ToldItems items{.everything = word.everything};
  if (!word.everything) items.paths.assign(word.paths.begin(), word.paths.end());
  return items;
}

Status ToldChanges::end(const std::string& connector, bool made, const os::Deadline& deadline) {
  const std::lock_guard lock(mutex_);
  const auto found = taken_.find(connector);
  if (found == taken_.end()) return ok_status();
  Word word = std::move(found->second);
  taken_.erase(found);
  if (!made) {
    Word& again = told_[connector];
    again.everything = again.everything || word.everything;
    again.paths.merge(word.paths);
    again.objects.insert(again.objects.end(), word.objects.begin(), word.objects.end());
    return ok_status();
  }
  for (const std::string& key : word.objects) CAIRN_CHECK(store_.remove(key, deadline));
  const auto once_more = told_.find(connector);
  const bool stays = once_more != told_.end() && once_more->second.everything;
  if (word.everything && !stays) CAIRN_CHECK(store_.remove(told_key(connector), deadline));
  return ok_status();
}

}  // namespace cairn::connectors
