// SPDX-License-Identifier: Apache-2.0
// Each pattern is a list of names; a walk carries the set of places in patterns that may still fit.
#include "api/forms/filter_path.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/strings.h"

namespace cairn::api {
namespace {

using Path = std::vector<std::string>;
/// A pattern and how many of its names are behind us.
struct Place {
  const Path* path;
  std::size_t at;
  friend bool operator==(const Place&, const Place&) = default;
};
using Places = std::vector<Place>;

void add(Places& places, Place place) {
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

/// Where the patterns stand after one more name. `done` where one of them is at its end.
Places step(const Places& places, std::string_view name, bool& done) {
  Places out;
  for (const auto& place : places) {
    // ** stands for no name too: what follows it may fit here.
    std::size_t at = place.at;
    while (at < place.path->size() && (*place.path)[at] == "**") {
      add(out, {place.path, at});
      done = done || at + 1 == place.path->size();
      ++at;
    }
    if (at < place.path->size() && wildcard_match((*place.path)[at], name)) {
      done = done || at + 1 == place.path->size();
      add(out, {place.path, at + 1});
    }
  }
  return out;
}

bool is_container(const Json& value) { return value.is_object() || value.is_array(); }

std::optional<Json> included(const Json& value, const Places& places) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const auto& element : value.as_array())
      if (auto kept = included(element, places)) out.push(std::move(*kept));
    if (out.as_array().empty()) return std::nullopt;
    return out;
  }
  if (!value.is_object()) return std::nullopt;
  Json out = Json::object();
  for (const auto& [name, member] : value.as_object()) {
    bool done = false;
    const Places next = step(places, name, done);
    if (done)
      out.set(name, member);
    else if (!next.empty() && is_container(member))
      if (auto kept = included(member, next)) out.set(name, std::move(*kept));
  }
  if (out.as_object().empty()) return std::nullopt;
  return out;
}

Json without(const Json& value, const Places& places) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const auto& element : value.as_array()) {
      Json kept = without(element, places);
      const bool emptied =
          element.is_object() && !element.as_object().empty() && kept.as_object().empty();
      if (!emptied) out.push(std::move(kept));
    }
    return out;
  }
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [name, member] : value.as_object()) {
    bool done = false;
    const Places next = step(places, name, done);
    if (done) continue;
    Json kept = next.empty() ? member : without(member, next);
    const bool emptied =
        member.is_object() && !member.as_object().empty() && kept.as_object().empty();
    if (!emptied) out.set(name, std::move(kept));
  }
  return out;
}

Places starts(const std::vector<Path>& paths) {
  Places out;
  for (const auto& path : paths) out.push_back({&path, 0});
  return out;
}

}  // namespace

FilterPath::FilterPath(std::string_view list) {
  if (list.empty()) return;  // as nearly every request has it
  for (auto text : split(list, ',')) {
    text = trim(text);
    const bool exclude = !text.empty() && text.front() == '-';
    if (exclude) text.remove_prefix(1);
    Path path;
    for (const auto name : split(text, '.'))
      if (!name.empty()) path.emplace_back(name);
    if (!path.empty()) (exclude ? exclude_ : include_).push_back(std::move(path));
  }
}

Json FilterPath::apply(const Json& value) const {
  if (!is_container(value)) return value;
  Json out = value;
  if (!include_.empty()) {
    auto kept = included(out, starts(include_));
    out = kept ? std::move(*kept) : value.is_object() ? Json::object() : Json::array();
  }
  if (!exclude_.empty()) out = without(out, starts(exclude_));
  return out;
}

}  // namespace cairn::api
