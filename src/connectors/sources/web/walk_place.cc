// SPDX-License-Identifier: Apache-2.0
#include "connectors/sources/web/walk_place.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "format/json.h"

namespace cairn::connectors {
namespace {

constexpr std::size_t cells_of_entry = 8;

/// What is said of an entry, a bit each, the first the lowest.
constexpr bool PageEntry::*marks_of_entry[] = {&PageEntry::is_item,    &PageEntry::is_canonical,
                                               &PageEntry::is_visited, &PageEntry::is_read,
                                               &PageEntry::is_given,   &PageEntry::is_left_out};
constexpr std::uint64_t bits_end = std::uint64_t{1} << std::size(marks_of_entry);

std::uint64_t bits_of(const PageEntry& entry) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < std::size(marks_of_entry); ++i)
    if (entry.*marks_of_entry[i]) bits |= std::uint64_t{1} << i;
  return bits;
}

void set_bits(PageEntry& entry, std::uint64_t bits) {
  for (std::size_t i = 0; i < std::size(marks_of_entry); ++i)
    entry.*marks_of_entry[i] = (bits >> i & 1) != 0;
}

bool take_entry(const Json& row, PageFrontier& frontier) {
  if (!row.is_array() || row.as_array().size() != cells_of_entry) return false;
  const auto& cells = row.as_array();
  constexpr std::uint64_t links_max = std::numeric_limits<std::uint32_t>::max();
  for (const std::size_t text : {0, 4, 5, 6, 7})
    if (!cells[text].is_string()) return false;
  for (const std::size_t number : {1, 2, 3})
    if (!cells[number].is_count() || cells[number].as_unsigned() > links_max) return false;
  if (cells[3].as_unsigned() >= bits_end) return false;
  PageEntry* entry =
      frontier.admit(cells[0].as_string(), static_cast<std::uint32_t>(cells[1].as_unsigned()),
                     static_cast<std::uint32_t>(cells[2].as_unsigned()));
  if (entry == nullptr) return false;
  set_bits(*entry, cells[3].as_unsigned());
  entry->version = cells[4].as_string();
  entry->marks = {.etag = cells[5].as_string(), .modified = cells[6].as_string()};
  entry->note = cells[7].as_string();
  return true;
}

std::optional<std::size_t> place_count(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  if (value == nullptr || !value->is_count()) return std::nullopt;
  return static_cast<std::size_t>(value->as_unsigned());
}

/// Null where it is none.
const Json::Array* place_list(const Json& json, std::string_view name) {
  const Json* value = json.find(name);
  return value == nullptr || !value->is_array() ? nullptr : &value->as_array();
}

}  // namespace

std::string place_text(const WalkPlace& place, const PageFrontier& frontier) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("begun").boolean(place.has_begun);
  json.key("sitemaps").begin_array();
  for (const auto& url : place.sitemaps) json.string(url);
  json.end_array();
  json.key("sitemaps_done").unsigned_integer(place.sitemaps_done);
  json.key("answered").unsigned_integer(place.answered);
  json.key("dropped").unsigned_integer(frontier.dropped());
  json.key("first_failure").string(place.first_failure);
  json.key("failures").begin_array();
  for (const auto& [url, reason] : place.failures)
    json.begin_array().string(url).string(reason).end_array();
  json.end_array();
  json.key("entries").begin_array();
  for (const PageEntry& entry : frontier.entries()) {
    json.begin_array().string(entry.url).unsigned_integer(entry.depth);
    json.unsigned_integer(entry.hops).unsigned_integer(bits_of(entry)).string(entry.version);
    json.string(entry.marks.etag).string(entry.marks.modified).string(entry.note).end_array();
  }
  json.end_array().end_object();
  return text;
}

bool read_place(std::string_view text, WalkPlace& place, PageFrontier& frontier) {
  const auto json = parse_json(text);
  if (!json.ok() || !json->is_object()) return false;
  const auto done = place_count(*json, "sitemaps_done"), answered = place_count(*json, "answered"),
             dropped = place_count(*json, "dropped");
  const auto *sitemaps = place_list(*json, "sitemaps"), *failures = place_list(*json, "failures"),
             *entries = place_list(*json, "entries");
  if (!done || !answered || !dropped || !sitemaps || !failures || !entries) return false;
  WalkPlace read{.has_begun = json->bool_or("begun"),
                 .sitemaps_done = *done,
                 .answered = *answered,
                 .first_failure = json->string_or("first_failure")};
  for (const Json& url : *sitemaps) {
    if (!url.is_string()) return false;
    read.sitemaps.push_back(url.as_string());
  }
  if (*done > read.sitemaps.size()) return false;
  for (const Json& row : *failures) {
    if (!row.is_array() || row.as_array().size() != 2) return false;
    const auto& cells = row.as_array();
    if (!cells[0].is_string() || !cells[1].is_string()) return false;
    read.failures.push_back({cells[0].as_string(), cells[1].as_string()});
  }
  for (const Json& row : *entries)
    if (!take_entry(row, frontier)) return false;
  frontier.set_dropped(*dropped);
  place = std::move(read);
  return true;
}

}  // namespace cairn::connectors
