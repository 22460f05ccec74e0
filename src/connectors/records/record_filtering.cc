// SPDX-License-Identifier: Apache-2.0
// Rules of what a connector brings: those that hold, and the draft that is worked on.
#include "connectors/errors.h"
#include "connectors/records/record_members.h"
#include "connectors/records/records.h"
#include "connectors/records/sync_rules.h"
#include "format/time.h"

namespace cairn::connectors {
namespace {

/// A list of what a filtering has of rules that hold, and of those that are worked on.
Status check_filtering(const Json& filtering) {
  if (!filtering.is_array() || filtering.as_array().empty())
    return bad_argument("[filtering] must be a list with an entry");
  for (const Json& entry : filtering.as_array())
    for (const auto* name : {"active", "draft"}) {
      const Json* part = entry.find(name);
      const Json* rules = part == nullptr ? nullptr : part->find("rules");
      const Json* snippet = part == nullptr ? nullptr : part->find("advanced_snippet");
      const Json* validation = part == nullptr ? nullptr : part->find("validation");
      if (rules == nullptr || snippet == nullptr || !snippet->is_object() ||
          validation == nullptr || !validation->is_object())
        return bad_argument("[filtering." + std::string(name) +
                            "] needs [rules], [advanced_snippet] and [validation]");
      CAIRN_CHECK(check_rules(*rules));
      CAIRN_CHECK(check_validation(*validation));
    }
  return ok_status();
}

/// Of the first entry, which is that of the domain DEFAULT.
Result<Json*> filtering_part(Json& connector, std::string_view name) {
  Json* filtering = connector.find("filtering");
  Json* part = filtering != nullptr && filtering->is_array() && !filtering->as_array().empty()
                   ? filtering->as_array()[0].find(name)
                   : nullptr;
  if (part == nullptr) return refused("The connector has no filtering to change.");
  return part;
}

Json dated_snippet(const Json& snippet, const Json& draft, const std::string& now) {
  const Json* before = draft.find_path("advanced_snippet.created_at");
  Json out = snippet;
  if (out.find("created_at") == nullptr)
    out.set("created_at", before != nullptr ? *before : Json(now));
  if (out.find("updated_at") == nullptr) out.set("updated_at", now);
  return out;
}

}  // namespace

Result<bool> Records::set_filtering(const std::string& id, const Json& filtering,
                                    const os::Deadline& deadline) {
  CAIRN_CHECK(check_filtering(filtering));
  return update(
      id, [&](Json& doc) -> Result<bool> { return set_if_other(doc, "filtering", filtering); },
      deadline);
}

Result<bool> Records::edit_filtering(const std::string& id, const Json* rules,
                                     const Json* advanced_snippet, const os::Deadline& deadline) {
  if (rules == nullptr && advanced_snippet == nullptr)
    return invalid("one of [filtering], [rules] and [advanced_snippet] must be given");
  if (rules != nullptr) CAIRN_CHECK(check_rules(*rules));
  const std::string now = format_iso8601(clock_.unix_ms());
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        CAIRN_TRY(Json* const draft, filtering_part(doc, "draft"));
        if (rules != nullptr) draft->set("rules", ordered_rules(*rules, now));
        if (advanced_snippet != nullptr)
          draft->set("advanced_snippet", dated_snippet(*advanced_snippet, *draft, now));
        draft->set("validation",
                   types_.count(doc.string_or("service_type")) > 0
                       ? validation_of(*draft)
                       : Json::object({{"errors", Json::array()}, {"state", "edited"}}));
        return true;
      },
      deadline);
}

Result<bool> Records::set_filtering_validation(const std::string& id, const Json& validation,
                                               const os::Deadline& deadline) {
  CAIRN_CHECK(check_validation(validation));
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        CAIRN_TRY(Json* const draft, filtering_part(doc, "draft"));
        return set_if_other(*draft, "validation", validation);
      },
      deadline);
}

Result<bool> Records::activate_filtering(const std::string& id, const os::Deadline& deadline) {
  return update(
      id,
      [&](Json& doc) -> Result<bool> {
        CAIRN_TRY(const Json* const draft, filtering_part(doc, "draft"));
        const Json* state = draft->find_path("validation.state");
        const std::string now_is =
            state != nullptr && state->is_string() ? state->as_string() : "edited";
        if (now_is != "valid")
          return refused(
              "Filtering draft needs to be validated by the connector service before activation. "
              "Current filtering draft validation state [" +
              now_is + "] is not equal to [valid].");
        const Json copy = *draft;
        return set_if_other(doc.find("filtering")->as_array()[0], "active", copy);
      },
      deadline);
}

}  // namespace cairn::connectors
