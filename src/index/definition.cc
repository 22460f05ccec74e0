// SPDX-License-Identifier: Apache-2.0
#include "index/definition.h"

#include "base/strings.h"
#include "index/settings/settings.h"

namespace cairn::index {

MappingLimits mapping_limits_of(const Json& settings, std::size_t total_fields_limit) {
  MappingLimits out(total_fields_limit);
  const auto read = [&](std::string_view name, std::size_t& limit) {
    if (const auto text = setting(settings, name))
      if (const auto number = parse_number<std::size_t>(*text)) limit = *number;
  };
  read("mapping.total_fields.limit", out.fields);
  read("mapping.depth.limit", out.depth);
  read("mapping.field_name_length.limit", out.name_length);
  read("mapping.nested_fields.limit", out.nested_fields);
  read("mapping.nested_objects.limit", out.nested_objects);
  return out;
}

namespace {

Result<text::Analyzers> analyzers_of(const Json& settings) {
  CAIRN_CHECK(check_analysis_sizes(settings));
  const Json* found = settings.find_path("index.analysis");
  const Json analysis = found == nullptr ? Json() : *found;
  CAIRN_CHECK(text::Analyzers::check(analysis));
  return text::Analyzers::parse(analysis);
}

}  // namespace

Result<CheckedDefinition> check_kept_definition(const Json& mapping, const Json& settings) {
  CheckedDefinition out{.settings = settings};
  CAIRN_TRY(out.analyzers, analyzers_of(settings));
  CAIRN_TRY(out.mapping, Mapping::parse(mapping, MappingLimits::kept(), out.analyzers));
  return out;
}

Result<CheckedDefinition> check_definition(const Json& mappings, const Json& settings,
                                           std::size_t total_fields_limit) {
  CheckedDefinition out;
  CAIRN_TRY(out.settings, normalise_settings(settings));
  CAIRN_TRY(out.analyzers, analyzers_of(out.settings));
  const MappingLimits limits = mapping_limits_of(out.settings, total_fields_limit);
  CAIRN_TRY(out.mapping, Mapping::parse(mappings, limits, out.analyzers));
  return out;
}

}  // namespace cairn::index
