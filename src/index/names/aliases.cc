// SPDX-License-Identifier: Apache-2.0
#include "index/names/aliases.h"

#include <algorithm>

#include "base/strings.h"
#include "index/errors.h"

namespace cairn::index {
namespace {

Result<std::string> routing_of(const std::string& name, const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_number()) return value.dump();
  return illegal_argument("[" + name + "] of an alias must be a text or a number");
}

Result<bool> flag_of(const std::string& name, const Json& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_string() && (value.as_string() == "true" || value.as_string() == "false"))
    return value.as_string() == "true";
  return illegal_argument("[" + name + "] of an alias must be true or false");
}

Status read_member(const std::string& name, const Json& value, AliasProperties& out) {
  if (name == "filter") {
    if (!value.is_object()) return illegal_argument("[filter] of an alias must be a query");
    if (!value.as_object().empty()) out.filter = value;
  } else if (name == "routing") {
    CAIRN_TRY(const std::string both, routing_of(name, value));
    if (out.index_routing.empty()) out.index_routing = both;
    if (out.search_routing.empty()) out.search_routing = both;
  } else if (name == "index_routing" || name == "index-routing" || name == "indexRouting") {
    CAIRN_TRY(out.index_routing, routing_of(name, value));
    if (out.index_routing.find(',') != std::string::npos)
      return illegal_argument("alias has several index routing values associated with it: [" +
                              out.index_routing + "]");
  } else if (name == "search_routing" || name == "search-routing" || name == "searchRouting") {
    CAIRN_TRY(out.search_routing, routing_of(name, value));
  } else if (name == "is_write_index") {
    CAIRN_TRY(out.is_write_index, flag_of(name, value));
  } else if (name == "is_hidden") {
    CAIRN_TRY(out.is_hidden, flag_of(name, value));
  } else {
    return illegal_argument("unknown field [" + name +
                            "] of an alias; it has filter, routing, index_routing, "
                            "search_routing, is_write_index and is_hidden");
  }
  return ok_status();
}

Status check_alias(const std::string& alias, const AliasTable::Members& members) {
  std::vector<std::string> writes;
  std::vector<std::string> hidden;
  std::vector<std::string> shown;
  for (const auto& [index, member] : members) {
    if (member.properties->is_write_index.value_or(false)) writes.push_back(index);
    (member.properties->is_hidden.value_or(false) ? hidden : shown).push_back(index);
  }
  if (writes.size() > 1)
    return illegal_argument("alias [" + alias + "] has more than one write index [" +
                            join(writes, ",") + "]");
  if (!hidden.empty() && !shown.empty())
    return illegal_argument(
        "alias [" + alias + "] has is_hidden set to true on indices [" + join(hidden, ",") +
        "] but does not have is_hidden set to true on indices [" + join(shown, ",") +
        "]; alias must have the same is_hidden setting on all indices");
  return ok_status();
}

std::optional<std::string> fault_of(std::string_view name) {
  if (name.empty()) return "must not be empty";
  if (name == "." || name == "..") return "must not be '.' or '..'";
  if (name.size() > 255)
    return "alias name is too long, (" + std::to_string(name.size()) + " > 255)";
  for (const char c : name)
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7F ||
        std::string_view("\\/*?\"<>|,#:").find(c) != std::string_view::npos)
      return "must not contain the following characters ['\\','/','*','?','\"','<','>','|',' "
             "',',','#',':']";
  if (name[0] == '_' || name[0] == '-' || name[0] == '+')
    return "must not start with '_', '-', or '+'";
  if (!is_utf8(name)) return "must be UTF-8";
  return std::nullopt;
}

}  // namespace

Json to_json(const AliasProperties& properties) {
  Json out = Json::object();
  if (!properties.filter.is_null()) out.set("filter", properties.filter);
  if (!properties.index_routing.empty()) out.set("index_routing", properties.index_routing);
  if (!properties.search_routing.empty()) out.set("search_routing", properties.search_routing);
  if (properties.is_write_index) out.set("is_write_index", *properties.is_write_index);
  if (properties.is_hidden) out.set("is_hidden", *properties.is_hidden);
  return out;
}

Result<AliasProperties> read_alias_properties(const Json& json) {
  AliasProperties out;
  if (json.is_null()) return out;
  if (!json.is_object()) return illegal_argument("an alias must be an object of its properties");
  for (const auto& [name, value] : json.as_object())
    if (!value.is_null()) CAIRN_CHECK(read_member(name, value, out));
  return out;
}

const AliasTable::Members* AliasTable::find(std::string_view alias) const {
  const auto found = aliases_.find(alias);
  return found == aliases_.end() ? nullptr : &found->second;
}

std::vector<std::pair<std::string, AliasMember>> AliasTable::of_index(
    std::string_view index) const {
  std::vector<std::pair<std::string, AliasMember>> out;
  const auto names = by_index_.find(index);
  if (names == by_index_.end()) return out;
  for (const std::string& alias : names->second)
    out.emplace_back(alias, aliases_.find(alias)->second.find(index)->second);
  return out;
}

bool AliasTable::is_hidden(std::string_view alias) const {
  const Members* members = find(alias);
  return members != nullptr && !members->empty() &&
         members->begin()->second.properties->is_hidden.value_or(false);
}

void AliasTable::add(const std::string& alias, const std::string& index, AliasMember member) {
  const bool is_new = aliases_[alias].insert_or_assign(index, std::move(member)).second;
  if (!is_new) return;
  auto& names = by_index_[index];
  names.insert(std::lower_bound(names.begin(), names.end(), alias), alias);
}

bool AliasTable::remove(std::string_view alias, std::string_view index) {
  const auto found = aliases_.find(alias);
  if (found == aliases_.end()) return false;
  const auto member = found->second.find(index);
  if (member == found->second.end()) return false;
  if (const auto names = by_index_.find(index); names != by_index_.end()) {
    std::erase(names->second, alias);
    if (names->second.empty()) by_index_.erase(names);
  }
  found->second.erase(member);
  if (found->second.empty()) aliases_.erase(found);
  return true;
}

void AliasTable::remove_index(std::string_view index) {
  const auto names = by_index_.find(index);
  if (names == by_index_.end()) return;
  const std::vector<std::string> aliases = names->second;
  const std::string own(index);  // `index` may be of an entry that goes
  for (const std::string& alias : aliases) remove(alias, own);
}

Status AliasTable::check(const AliasLimits& limits) const {
  std::size_t pairs = 0;
  std::size_t bytes = 0;
  for (const auto& [alias, members] : aliases_) {
    CAIRN_CHECK(check_alias(alias, members));
    pairs += members.size();
    for (const auto& [index, member] : members) {
      const std::size_t filter =
          member.properties->filter.is_null() ? 0 : member.properties->filter.dump().size();
      if (filter > limits.filter_bytes)
        return illegal_argument("[filter] of alias [" + alias + "] takes [" +
                                std::to_string(filter) + "] bytes, at most [" +
                                std::to_string(limits.filter_bytes) + "] are kept");
      bytes += filter + alias.size() + index.size() + member.properties->index_routing.size() +
               member.properties->search_routing.size() + 64;
    }
  }
  if (pairs > limits.most)
    return illegal_argument("there would be [" + std::to_string(pairs) +
                            "] aliases of indices, at most [" + std::to_string(limits.most) +
                            "] are kept; remove some");
  if (bytes > limits.total_bytes)
    return illegal_argument("all aliases would take [" + std::to_string(bytes) +
                            "] bytes, at most [" + std::to_string(limits.total_bytes) +
                            "] are kept; remove some, or make their filters smaller");
  return ok_status();
}

Json AliasTable::to_json() const {
  Json::Object out;
  out.reserve(aliases_.size());
  for (const auto& [alias, members] : aliases_) {
    Json::Object each;
    each.reserve(members.size());
    for (const auto& [index, member] : members) {
      Json one = Json::object({{"uuid", member.uuid}});
      one.set("properties", index::to_json(*member.properties));
      each.emplace_back(index, std::move(one));
    }
    out.emplace_back(alias, Json(std::move(each)));
  }
  return Json(std::move(out));
}

Result<AliasTable> AliasTable::from_json(const Json& json) {
  if (!json.is_object()) return illegal_argument("the aliases are no object");
  AliasTable out;
  for (const auto& [alias, members] : json.as_object()) {
    if (!members.is_object()) return illegal_argument("alias [" + alias + "] is no object");
    for (const auto& [index, one] : members.as_object()) {
      const Json* given = one.find("properties");
      CAIRN_TRY(auto properties, read_alias_properties(given == nullptr ? Json() : *given));
      out.add(alias, index,
              {.uuid = one.string_or("uuid"),
               .properties = std::make_shared<const AliasProperties>(std::move(properties))});
    }
  }
  return out;
}

Error invalid_alias_name(std::string_view name, std::string_view why) {
  return {.kind = ErrorKind::invalid_argument,
          .code = "invalid_alias_name_exception",
          .message = "Invalid alias name [" + std::string(name) + "]: " + std::string(why)};
}

Status check_alias_name(std::string_view name) {
  if (const auto fault = fault_of(name)) return invalid_alias_name(name, *fault);
  return ok_status();
}

}  // namespace cairn::index
