// SPDX-License-Identifier: Apache-2.0
#include "api/routes/names/template_dry_runs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "index/settings/settings.h"

namespace cairn::api {
namespace {

using index::TemplateTable;

/// What an index of a template begins with.
Json beginning_of(const TemplateTable& table, const index::IndexTemplate& one) {
  const index::IndexDefinition definition = table.compose(one);
  Json aliases = Json::object();
  for (const auto& [name, properties] : definition.aliases)
    aliases.set(name, index::to_json(properties));
  return Json::object({{"settings", index::flat_settings(definition.settings)},
                       {"mappings", definition.mappings},
                       {"aliases", std::move(aliases)},
                       {"streams", one.data_stream.has_value()}});
}

bool same_reach(const index::IndexTemplate& a, const index::IndexTemplate& b) {
  return a.patterns == b.patterns && a.priority == b.priority;
}

/// Templates that came, went, or are or reach something else.
struct TemplateDifference {
  std::set<std::string> otherwise = {};  // what begins with them begins otherwise
  std::set<std::string> all = {};        // with those that reach other names
};

TemplateDifference difference_of(const TemplateTable& before, const TemplateTable& after) {
  TemplateDifference out;
  const auto note = [&out](const std::string& name) {
    out.otherwise.insert(name);
    out.all.insert(name);
  };
  for (const auto& [name, one] : before.templates()) {
    const auto now = after.templates().find(name);
    if (now == after.templates().end() ||
        beginning_of(before, one) != beginning_of(after, now->second))
      note(name);
    else if (!same_reach(one, now->second))
      out.all.insert(name);
  }
  for (const auto& [name, one] : after.templates())
    if (!before.templates().contains(name)) note(name);
  return out;
}

class NextBeginnings {
 public:
  NextBeginnings(const TemplateTable& before, const TemplateTable& after)
      : before_(before), after_(after), differ_(difference_of(before, after)) {}

  const TemplateDifference& difference() const { return differ_; }

  /// {"name", "template", "template_after"}; nothing where the name begins as before.
  std::optional<Json> change_of(const std::string& name, bool hidden) const {
    const bool concerned =
        std::any_of(differ_.all.begin(), differ_.all.end(), [&](const std::string& one) {
          return before_.matches(one, name) || after_.matches(one, name);
        });
    if (!concerned) return std::nullopt;
    const auto* const was = before_.match(name, hidden);
    const auto* const is = after_.match(name, hidden);
    if (was == nullptr && is == nullptr) return std::nullopt;
    const bool same = was != nullptr && is != nullptr && was->first == is->first &&
                      !differ_.otherwise.contains(is->first);
    if (same) return std::nullopt;
    return Json::object({{"name", name},
                         {"template", was == nullptr ? Json() : Json(was->first)},
                         {"template_after", is == nullptr ? Json() : Json(is->first)}});
  }

 private:
  const TemplateTable& before_;
  const TemplateTable& after_;
  const TemplateDifference differ_;
};

}  // namespace

Result<Json> template_change_of(const Call& call, const index::Indices& indices,
                                const TemplateTable& before, const TemplateTable& after) {
  const NextBeginnings next(before, after);
  const auto streams = indices.data_streams();
  Json of_streams = Json::array(), of_indices = Json::array();
  std::int64_t others = 0;
  const auto may_see = [&](const std::string& name) {
    return call.caller().may_index("view_index_metadata", name);
  };
  const auto add = [&](std::optional<Json> change, Json& list) {
    if (!change) return;
    if (may_see(change->string_or("name")))
      list.push(*std::move(change));
    else
      ++others;
  };
  for (const auto& [name, stream] : streams->all()) {
    CAIRN_CHECK(call.deadline().check("looking at the data streams of templates"));
    add(next.change_of(name, false), of_streams);
  }
  CAIRN_TRY(const auto all,
            indices.resolve(
                "_all",
                {.expand_hidden = true, .own_only = true, .closed = true, .expand_closed = true}));
  for (const auto& one : all) {
    CAIRN_CHECK(call.deadline().check("looking at the indices of templates"));
    if (streams->stream_of(one->name()) != nullptr) continue;
    const bool hidden = index::setting(one->settings(), "hidden") == "true";
    add(next.change_of(one->name(), hidden), of_indices);
  }
  Json templates = Json::array();
  for (const std::string& name : next.difference().all) templates.push(name);
  return Json::object({{"index_templates", std::move(templates)},
                       {"data_streams", std::move(of_streams)},
                       {"indices", std::move(of_indices)},
                       {"other_indices", others}});
}

}  // namespace cairn::api
