// SPDX-License-Identifier: Apache-2.0
#include "search/show/column_values.h"

#include <algorithm>
#include <unordered_map>

#include "base/strings.h"
#include "index/dates/dates.h"
#include "index/document/document.h"
#include "index/number_format.h"
#include "search/errors.h"

namespace cairn::search {

using index::DateFormat;
using index::Field;
using index::FieldType;
using index::SortValue;

namespace {

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

Json shown_date(std::int64_t ms, const std::string& format) {
  const auto parsed =
      DateFormat::parse(format.empty() ? std::string(index::default_date_format) : format);
  return parsed.ok() ? Json(parsed->write(ms)) : Json(ms);
}

/// A value of the source as `fields` shows it: as the field takes it. Null where it takes none.
Json shown_value(const Field& field, const Json& value, const std::string& format) {
  if (index::is_number(field.type) || field.type == FieldType::boolean) {
    const auto taken = index::document_number(field, value);
    if (!taken.ok()) return {};
    if (field.type == FieldType::boolean) return *taken != 0;
    if (index::is_whole_number(field.type)) return *taken;
    if (field.type == FieldType::scaled_float) return index::key_double(*taken);
    return value.is_string() ? Json(parse_number<double>(trim(value.as_string())).value_or(0))
                             : value;
  }
  if (field.type == FieldType::keyword) {
    const auto term = index::exact_term(field, value);
    const bool kept =
        term.ok() &&
        (!field.ignore_above || letters_in(*term) <= static_cast<std::size_t>(*field.ignore_above));
    return kept ? Json(*term) : Json();
  }
  if (field.type != FieldType::date) return value;
  const auto own = DateFormat::parse(field.format.empty() ? std::string(index::default_date_format)
                                                          : field.format);
  if (!own.ok()) return value;
  const auto ms = own->read(value);
  if (!ms) return value;
  return shown_date(*ms, format.empty() ? field.format : format);
}

Json shown_column(const Field& field, const SortValue& value, const std::string& format) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const bool is_number = index::is_number(field.type) && !format.empty();
  const auto numbers = is_number ? index::NumberFormat::parse(format)
                                 : Result<index::NumberFormat>(illegal_argument(""));
  if (const auto* real = std::get_if<double>(&value))
    return numbers.ok() ? Json(numbers->write(*real)) : Json(*real);
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (whole == nullptr) return {};
  if (field.type == FieldType::boolean) return *whole != 0;
  if (field.type == FieldType::date)
    return shown_date(*whole, format.empty() ? field.format : format);
  return numbers.ok() ? Json(numbers->write(*whole)) : Json(*whole);
}

std::vector<ShownField> shown_fields(const std::vector<FieldRequest>& requests,
                                     const index::Mapping& mapping) {
  std::unordered_map<std::string_view, std::size_t> last;  // an equal one before counts for nothing
  for (std::size_t i = 0; i < requests.size(); ++i) last[requests[i].pattern] = i;
  std::vector<ShownField> out;
  std::unordered_map<const Field*, std::size_t> known;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (last[requests[i].pattern] != i) continue;
    for (const Field* field : mapping.match(requests[i].pattern)) {
      const auto [at, is_new] = known.try_emplace(field, out.size());
      if (is_new) out.push_back({.field = field, .path = field->value_path()});
      out[at->second].format = requests[i].format;
    }
  }
  return out;
}

Status check_script_fields(std::size_t count, std::size_t most) {
  if (count <= most) return ok_status();
  return illegal_argument(
      "Trying to retrieve too many script_fields. Must be less than or equal to: [" +
      std::to_string(most) + "] but was [" + std::to_string(count) +
      "]. This limit can be set by changing the [index.max_script_fields] index level setting.");
}

Status check_formats(const std::vector<FieldRequest>& fields, const index::Mapping& mapping) {
  for (const FieldRequest& wanted : fields) {
    if (wanted.format.empty()) continue;
    for (const Field* field : mapping.match(wanted.pattern)) {
      if (field->type != FieldType::date)
        return illegal_argument("Field [" + field->name + "] of type [" +
                                std::string(index::name_of(field->type)) +
                                "] doesn't support formats.");
      CAIRN_CHECK(DateFormat::parse(wanted.format));
    }
  }
  return ok_status();
}

Status check_column_formats(const std::vector<FieldRequest>& docvalue_fields,
                            const index::Mapping& mapping, std::size_t most) {
  if (docvalue_fields.size() > most)
    return illegal_argument(
        "Trying to retrieve too many docvalue_fields. Must be less than or equal to: [" +
        std::to_string(most) + "] but was [" + std::to_string(docvalue_fields.size()) +
        "]. This limit can be set by changing the [index.max_docvalue_fields_search] index level "
        "setting.");
  for (const FieldRequest& wanted : docvalue_fields) {
    if (wanted.format.empty()) continue;
    for (const Field* field : mapping.match(wanted.pattern)) {
      if (field->type == FieldType::date) {
        CAIRN_CHECK(DateFormat::parse(wanted.format));
      } else if (index::is_number(field->type)) {
        CAIRN_CHECK(index::NumberFormat::parse(wanted.format));
      } else {
        return illegal_argument("Field [" + field->name + "] of type [" +
                                std::string(index::name_of(field->type)) +
                                "] does not support custom formats");
      }
    }
  }
  return ok_status();
}

}  // namespace cairn::search
