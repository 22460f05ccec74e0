// SPDX-License-Identifier: Apache-2.0
// Names and expressions to indices, through aliases too.
#include <algorithm>
#include <map>
#include <set>

#include "base/strings.h"
#include "index/errors.h"
#include "index/indices_impl.h"
#include "index/names/named_index.h"

namespace cairn::index {
namespace {

constexpr std::size_t filter_bytes_max = 1u << 20;  // of the aliases of one request

Error not_copied(std::string_view name) {
  return illegal_argument("index [" + std::string(name) +
                          "] is written by the program from what it keeps elsewhere, and is "
                          "not copied; name other indices");
}

/// `what`: "an alias", "a data stream".
Error matches_no_index(std::string_view name, std::string_view what) {
  return illegal_argument("The provided expression [" + std::string(name) + "] matches " +
                          std::string(what) +
                          ", specify the corresponding concrete indices instead.");
}

/// One of the names and patterns of an expression.
struct NamePart {
  std::string_view name;     // as it was given
  std::string_view pattern;  // the same, _all as *
  bool is_pattern = false;
  bool takes_away = false;  // it began with -, behind a pattern
};

std::vector<NamePart> name_parts(std::string_view expression) {
  std::vector<NamePart> out;
  bool patterns = false;
  for (std::string_view name : split(expression.empty() ? "_all" : expression, ',')) {
    name = trim(name);
    if (name.empty()) continue;
    const bool takes_away = name.starts_with('-') && name.size() > 1 && patterns;
    if (takes_away) name.remove_prefix(1);
    const std::string_view pattern = name == "_all" ? "*" : name;
    const bool is_pattern = pattern.find('*') != std::string_view::npos;
    patterns |= is_pattern;
    out.push_back({name, pattern, is_pattern, takes_away});
  }
  return out;
}

/// How an index was reached.
struct Chosen {
  std::shared_ptr<Index> index;
  bool by_name = false;
  std::string by_stream = {};  // the stream that it was reached by; empty: by none
  std::map<std::string, std::shared_ptr<const AliasProperties>> by_alias = {};
};

/// One expression under way.
class Resolving {
 public:
  Resolving(const Indices& indices, std::vector<std::shared_ptr<Index>> every,
            const ResolveOptions& options)
      : indices_(indices),
        every_(std::move(every)),
        aliases_(indices.aliases()),
        streams_(indices.data_streams()),
        options_(options) {}

  Status name(std::string_view part, bool own_only_refused) {
    auto found = indices_.find(part);
    if (found.ok()) {
      if (own_only_refused && !is_own(**found)) return not_copied(part);
      if ((*found)->closed() && !options_.closed)
        return options_.ignore_unavailable ? ok_status()
                                           : Status(index_closed((*found)->name(), (*found)->uuid()));
      chosen_[(*found)->name()].by_name = true;
      chosen_[(*found)->name()].index = std::move(*found);
      return ok_status();
    }
    if (aliases_->find(part) != nullptr) {
      if (options_.aliases) return add_alias(part, true);
      if (!options_.ignore_unavailable) return matches_no_index(part, "an alias");
      return ok_status();
    }
    if (const DataStream* stream = streams_->find(part)) {
      if (options_.aliases) return add_stream(part, *stream, true);
      if (!options_.aliases && !options_.ignore_unavailable)
        return matches_no_index(part, "a data stream");
      return ok_status();
    }
    return options_.ignore_unavailable ? ok_status() : std::move(found).error();
  }

  /// Whether it matched anything.
  bool pattern(std::string_view pattern) {
    bool any = false;
    for (const auto& index : every_) {
      if (!matches(pattern, index->name(), is_hidden(*index, pattern))) continue;
      if (!expands(*index)) continue;
      any = true;
      Chosen& one = chosen_[index->name()];
      one.by_name = true;
      one.index = index;
    }
    if (!options_.aliases) return any;
    for (const auto& [alias, members] : aliases_->all()) {
      const bool shown = alias.starts_with('.') && pattern.starts_with('.');
      if (!matches(pattern, alias, aliases_->is_hidden(alias) && !shown)) continue;
      any = true;
      (void)add_alias(alias, false).ok();
    }
    for (const auto& [name, stream] : streams_->all()) {
      const bool shown = name.starts_with('.') && pattern.starts_with('.');
      if (!matches(pattern, name, (stream.hidden || name.starts_with('.')) && !shown)) continue;
      any = true;
      (void)add_stream(name, stream, false).ok();
    }
    return any;
  }

  /// What is named here, or stands behind an alias that is, goes.
  void take_away(std::string_view pattern) {
    for (const auto& [alias, members] : aliases_->all())
      if (wildcard_match(pattern, alias))
        for (const auto& [index, member] : members) chosen_.erase(index);
    for (const auto& [name, stream] : streams_->all())
      if (wildcard_match(pattern, name))
        for (const BackingIndex& one : stream.indices) chosen_.erase(one.name);
    std::erase_if(chosen_, [&](const auto& one) { return wildcard_match(pattern, one.first); });
  }

  Result<std::vector<NamedIndex>> take() {
    std::size_t bytes = 0;
    std::set<const Json*> counted;  // one query of a role narrows many
    std::vector<NamedIndex> out;
    for (auto& [name, one] : chosen_) {
      std::vector<std::string> names;
      if (one.by_name) {
        names.push_back(name);
      } else {
        if (!one.by_stream.empty()) names.push_back(one.by_stream);
        for (const auto& [alias, properties] : one.by_alias) names.push_back(alias);
      }
      bool hides = false;
      auto filter = filter_of(one, names, hides);
      if (filter != nullptr && counted.insert(filter.get()).second) bytes += filter->dump().size();
      if (bytes > filter_bytes_max)
        return illegal_argument("what narrows the indices that are named, filters of aliases and "
                                "queries of roles, takes more than [" +
                                std::to_string(filter_bytes_max) + "] bytes; name fewer");
      out.emplace_back(std::move(one.index), std::move(names), std::move(filter), hides);
    }
    return out;
  }

 private:
  bool is_own(const Index& index) const {
    return std::any_of(every_.begin(), every_.end(),
                       [&](const auto& own) { return own->name() == index.name(); });
  }

  static bool is_hidden(const Index& index, std::string_view pattern) {
    return index.name().starts_with('.') ? !pattern.starts_with('.')
                                         : index.setting_text("hidden") == "true";
  }

  bool matches(std::string_view pattern, const std::string& name, bool hidden) const {
    if (hidden && !options_.expand_hidden) return false;
    return wildcard_match(pattern, name) && (!options_.admits || options_.admits(name));
  }

  bool expands(const Index& index) const {
    return index.closed() ? options_.closed && options_.expand_closed : options_.expand_open;
  }

  /// Whether an index behind a name counts; an error for a closed one that was named.
  Result<bool> reaches(const Index& index, bool named) const {
    if (!index.closed() || options_.closed) return named || expands(index);
    if (!named || options_.ignore_unavailable) return false;
    return index_closed(index.name(), index.uuid());
  }

  Status add_alias(std::string_view alias, bool named) {
    for (const auto& [index, member] : *aliases_->find(alias)) {
      auto found = indices_.find(index);
      if (!found.ok() || (*found)->uuid() != member.uuid) continue;
      CAIRN_TRY(const bool counts, reaches(**found, named));
      if (!counts) continue;
      Chosen& one = chosen_[index];
      one.index = std::move(*found);
      one.by_alias.emplace(alias, member.properties);
    }
    return ok_status();
  }

  Status add_stream(std::string_view name, const DataStream& stream, bool named) {
    for (const BackingIndex& backing : stream.indices) {
      auto found = indices_.find(backing.name);
      if (!found.ok() || (*found)->uuid() != backing.uuid) continue;
      CAIRN_TRY(const bool counts, reaches(**found, named));
      if (!counts) continue;
      Chosen& one = chosen_[backing.name];
      one.index = std::move(*found);
      one.by_stream = name;
    }
    return ok_status();
  }

  /// What any of the names finds; null: all. `hides` is set where it takes more than filters of
  /// aliases to say so.
  std::shared_ptr<const Json> filter_of(const Chosen& one, const std::vector<std::string>& names,
                                        bool& hides) const {
    std::vector<std::shared_ptr<const Json>> filters;
    for (const std::string& name : names) {
      const auto alias = one.by_alias.find(name);
      const bool by_alias = !one.by_name && name != one.by_stream && alias != one.by_alias.end();
      auto filter = by_alias && !alias->second->filter.is_null()
                        ? std::make_shared<const Json>(alias->second->filter)
                        : nullptr;
      if (auto narrower = options_.narrows ? options_.narrows(name) : nullptr) {
        hides = true;
        filter = filter == nullptr ? std::move(narrower) : both_of(*filter, *narrower);
      }
      filters.push_back(std::move(filter));
    }
    if (std::find(filters.begin(), filters.end(), nullptr) != filters.end()) {
      hides = false;
      return nullptr;
    }
    if (filters.size() == 1) return filters.front();
    Json should = Json::array();
    for (const auto& filter : filters) should.push(*filter);
    return std::make_shared<const Json>(
        Json::object({{"bool", Json::object({{"should", std::move(should)}})}}));
  }

  static std::shared_ptr<const Json> both_of(const Json& one, const Json& other) {
    Json both = Json::array();
    both.push(one);
    both.push(other);
    return std::make_shared<const Json>(
        Json::object({{"bool", Json::object({{"filter", std::move(both)}})}}));
  }

  const Indices& indices_;
  const std::vector<std::shared_ptr<Index>> every_;
  const std::shared_ptr<const AliasTable> aliases_;
  const std::shared_ptr<const StreamTable> streams_;
  const ResolveOptions& options_;
  std::map<std::string, Chosen> chosen_ = {};
};

}  // namespace

Result<std::vector<NamedIndex>> Indices::resolve_names(std::string_view expression,
                                                       const ResolveOptions& options) const {
  Resolving resolving(*this, options.own_only ? impl_->all() : all(), options);
  for (const NamePart& part : name_parts(expression)) {
    if (part.takes_away)
      resolving.take_away(part.pattern);
    else if (!part.is_pattern)
      CAIRN_CHECK(resolving.name(part.name, options.own_only));
    else if (!resolving.pattern(part.pattern) && !options.allow_no_indices)
      return no_such_index(part.name);
  }
  return resolving.take();
}

Result<std::vector<std::shared_ptr<Index>>> Indices::resolve(std::string_view expression,
                                                             const ResolveOptions& options) const {
  CAIRN_TRY(const auto named, resolve_names(expression, options));
  std::vector<std::shared_ptr<Index>> out;
  for (const NamedIndex& one : named) out.push_back(one.index());
  return out;
}

namespace {

/// Of `names`, each with whether it is hidden, those that an expression names.
std::vector<std::string> named_of(const std::vector<std::pair<std::string_view, bool>>& names,
                                  std::string_view expression, const ResolveOptions& options) {
  std::set<std::string> chosen;
  for (const NamePart& part : name_parts(expression)) {
    for (const auto& [name, is_hidden] : names) {
      if (!wildcard_match(part.pattern, name)) continue;
      if (part.takes_away) {
        chosen.erase(std::string(name));
        continue;
      }
      const bool dotted = name.starts_with('.') && part.pattern.starts_with('.');
      const bool hidden = is_hidden && !dotted && !options.expand_hidden;
      if (part.is_pattern && (hidden || (options.admits && !options.admits(name)))) continue;
      chosen.emplace(name);
    }
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace

std::vector<std::string> Indices::resolve_aliases(std::string_view expression,
                                                  const ResolveOptions& options) const {
  const auto table = aliases();
  std::vector<std::pair<std::string_view, bool>> names;
  for (const auto& [alias, members] : table->all())
    names.emplace_back(alias, table->is_hidden(alias));
  return named_of(names, expression, options);
}

std::vector<std::string> Indices::resolve_data_streams(std::string_view expression,
                                                       const ResolveOptions& options) const {
  const auto table = data_streams();
  std::vector<std::pair<std::string_view, bool>> names;
  for (const auto& [name, stream] : table->all())
    names.emplace_back(name, stream.hidden || name.starts_with('.'));
  return named_of(names, expression, options);
}

bool Indices::is_alias(std::string_view name) const {
  const auto table = aliases();
  return table->find(name) != nullptr;
}

bool Indices::knows(std::string_view name) const {
  return find(name).ok() || is_alias(name) || data_streams()->find(name) != nullptr;
}

Result<std::shared_ptr<Index>> Indices::find_one(std::string_view name) const {
  const auto table = aliases();
  const AliasTable::Members* members = table->find(name);
  if (members == nullptr) return find(name);
  if (members->size() == 1) return find(members->begin()->first);
  std::vector<std::string> names;
  for (const auto& [index, member] : *members) names.push_back(index);
  return illegal_argument("alias [" + std::string(name) +
                          "] has more than one index associated with it [" + join(names, ", ") +
                          "], can't execute a single index op");
}

// The names say that it is there. Where the store was away when it came, it is not read yet.
Result<std::shared_ptr<Index>> Indices::find_behind(std::string_view name,
                                                    std::string_view index) const {
  auto found = find(index);
  if (found.ok() || found.error().kind != ErrorKind::not_found) return found;
  return Error{.kind = ErrorKind::unavailable,
               .message = "index [" + std::string(index) + "], which [" + std::string(name) +
                          "] writes to, is being opened; try again"};
}

Result<Indices::WritePlace> Indices::find_write(std::string_view name,
                                                std::string_view routing) const {
  WritePlace out{.index = nullptr, .routing = std::string(routing)};
  const auto table = aliases();
  const AliasTable::Members* members = table->find(name);
  if (members == nullptr) {
    const auto streams = data_streams();
    const DataStream* stream = streams->find(name);
    out.is_stream = stream != nullptr;
    if (stream == nullptr) {
      CAIRN_TRY(out.index, find(name));
    } else {
      CAIRN_TRY(out.index, find_behind(name, stream->write_index()));
    }
    if (stream != nullptr && !routing.empty() && !stream->allow_custom_routing)
      return illegal_argument("index request targeting data stream [" + std::string(name) +
                              "] specifies a custom routing but the [allow_custom_routing] setting "
                              "was not enabled in the data stream's template.");
    return out;
  }
  const auto writes = std::find_if(members->begin(), members->end(), [&](const auto& one) {
    return one.second.properties->is_write_index.value_or(members->size() == 1);
  });
  if (writes == members->end())
    return illegal_argument("no write index is defined for alias [" + std::string(name) +
                            "]. The write index may be explicitly disabled using "
                            "is_write_index=false or the alias points to multiple indices without "
                            "one being designated as a write index");
  CAIRN_TRY(out.index, find_behind(name, writes->first));
  const std::string& own = writes->second.properties->index_routing;
  if (!own.empty() && !routing.empty() && own != routing)
    return illegal_argument("Alias [" + std::string(name) +
                            "] has index routing associated with it [" + own +
                            "], and was provided with routing value [" + std::string(routing) +
                            "], rejecting operation");
  if (!own.empty()) out.routing = own;
  return out;
}

}  // namespace cairn::index
