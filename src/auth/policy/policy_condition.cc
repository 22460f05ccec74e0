// SPDX-License-Identifier: Apache-2.0
#include "auth/policy/policy_condition.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/strings.h"
#include "format/time.h"

namespace cairn::auth {
namespace {

struct OperatorRow {
  std::string_view name;
  PolicyOperator how;
};

constexpr OperatorRow operator_rows[] = {
    {"StringEquals", {.comparison = Comparison::text}},
    {"StringNotEquals", {.comparison = Comparison::text, .negated = true}},
    {"StringEqualsIgnoreCase", {.comparison = Comparison::text, .fold_case = true}},
    {"StringNotEqualsIgnoreCase",
     {.comparison = Comparison::text, .negated = true, .fold_case = true}},
    {"StringLike", {.comparison = Comparison::text_like}},
    {"StringNotLike", {.comparison = Comparison::text_like, .negated = true}},
    {"NumericEquals", {.comparison = Comparison::number}},
    {"NumericNotEquals", {.comparison = Comparison::number, .negated = true}},
    {"NumericLessThan", {.comparison = Comparison::number, .order = Order::less}},
    {"NumericLessThanEquals", {.comparison = Comparison::number, .order = Order::less_or_equal}},
    {"NumericGreaterThan", {.comparison = Comparison::number, .order = Order::greater}},
    {"NumericGreaterThanEquals",
     {.comparison = Comparison::number, .order = Order::greater_or_equal}},
    {"DateEquals", {.comparison = Comparison::date}},
    {"DateNotEquals", {.comparison = Comparison::date, .negated = true}},
    {"DateLessThan", {.comparison = Comparison::date, .order = Order::less}},
    {"DateLessThanEquals", {.comparison = Comparison::date, .order = Order::less_or_equal}},
    {"DateGreaterThan", {.comparison = Comparison::date, .order = Order::greater}},
    {"DateGreaterThanEquals", {.comparison = Comparison::date, .order = Order::greater_or_equal}},
    {"Bool", {.comparison = Comparison::boolean}},
    {"BinaryEquals", {.comparison = Comparison::binary}},
    {"IpAddress", {.comparison = Comparison::address}},
    {"NotIpAddress", {.comparison = Comparison::address, .negated = true}},
    {"ArnEquals", {.comparison = Comparison::arn}},
    {"ArnNotEquals", {.comparison = Comparison::arn, .negated = true}},
    {"ArnLike", {.comparison = Comparison::arn}},
    {"ArnNotLike", {.comparison = Comparison::arn, .negated = true}},
    {"Null", {.comparison = Comparison::null}},
};

constexpr std::string_view if_exists = "IfExists";
constexpr std::string_view any_value = "ForAnyValue:";
constexpr std::string_view all_values = "ForAllValues:";
constexpr std::size_t arn_pieces = 6;
constexpr int widest_ipv4_bits = 96 + 8;  // of addresses that are still a known few
constexpr int widest_ipv6_bits = 32;

Error bad_value(std::string message) {
  return {.kind = ErrorKind::invalid_argument, .message = std::move(message)};
}

std::optional<double> condition_number(std::string_view text) {
  const auto number = parse_number<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return number;
}

/// A date, or seconds since 1970: a number that is not the four digits of a year.
std::optional<std::int64_t> time_of(std::string_view text) {
  if (text.size() != 4)
    if (const auto seconds = parse_number<std::int64_t>(text)) {
      if (*seconds > INT64_MAX / 1000 || *seconds < INT64_MIN / 1000) return std::nullopt;
      return *seconds * 1000;
    }
  return parse_iso8601(text);
}

std::optional<bool> truth_of(std::string_view text) {
  if (equals_ignore_case(text, "true")) return true;
  if (equals_ignore_case(text, "false")) return false;
  return std::nullopt;
}

/// At most six pieces between colons; those inside ${...} do not count.
std::vector<std::string_view> split_arn(std::string_view text, bool variables) {
  std::vector<std::string_view> out;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size() && out.size() + 1 < arn_pieces; ++at) {
    if (variables && text.substr(at).starts_with("${")) {
      const auto end = text.find('}', at);
      if (end != std::string_view::npos) at = end;
    } else if (text[at] == ':') {
      out.push_back(text.substr(start, at - start));
      start = at + 1;
    }
  }
  out.push_back(text.substr(start));
  return out;
}

bool same_beginning(const AddressBytes& a, const AddressBytes& b, int bits) {
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (std::memcmp(a.data(), b.data(), whole) != 0) return false;
  const int rest = bits % 8;
  if (rest == 0) return true;
  const auto mask = static_cast<unsigned char>(0xFF << (8 - rest));
  return ((a[whole] ^ b[whole]) & mask) == 0;
}

bool is_ipv4(const AddressBytes& bytes) {
  constexpr unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return std::memcmp(bytes.data(), mapped, sizeof mapped) == 0;
}

/// 10/8, 172.16/12, 192.168/16: nobody comes from there but neighbours.
bool is_private(const AddressBytes& bytes) {
  if (!is_ipv4(bytes)) return false;
  return bytes[12] == 10 || (bytes[12] == 172 && (bytes[13] & 0xF0) == 16) ||
         (bytes[12] == 192 && bytes[13] == 168);
}

std::optional<std::string> condition_text(const Json& value) {
  if (value.is_string()) return value.as_string();
  if (value.is_bool()) return value.as_bool() ? "true" : "false";
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

}  // namespace

std::optional<AddressBytes> parse_policy_address(std::string_view text) {
  const std::string terminated(text);
  AddressBytes out{};
  if (inet_pton(AF_INET6, terminated.c_str(), out.data()) == 1) return out;
  out = {};
  out[10] = out[11] = 0xFF;
  if (inet_pton(AF_INET, terminated.c_str(), out.data() + 12) == 1) return out;
  return std::nullopt;
}

std::optional<PolicyOperator> find_policy_operator(std::string_view name) {
  Quantifier quantifier = Quantifier::plain;
  if (name.starts_with(any_value))
    quantifier = Quantifier::any, name.remove_prefix(any_value.size());
  else if (name.starts_with(all_values))
    quantifier = Quantifier::all, name.remove_prefix(all_values.size());
  const bool optional = name.ends_with(if_exists);
  if (optional) name.remove_suffix(if_exists.size());
  for (const OperatorRow& row : operator_rows) {
    if (row.name != name) continue;
    PolicyOperator how = row.how;
    if (how.comparison == Comparison::null && (optional || quantifier != Quantifier::plain))
      return std::nullopt;
    how.if_exists = optional;
    how.quantifier = quantifier;
    return how;
  }
  return std::nullopt;
}

Result<PolicyCondition> PolicyCondition::compile(const PolicyOperator& how,
                                                 std::string_view key_name, PolicyKey key,
                                                 const Json& value, bool variables) {
  PolicyCondition out;
  out.how_ = how;
  out.key_ = std::move(key);
  const Json::Array one = value.is_array() ? Json::Array{} : Json::Array{value};
  const Json::Array& values = value.is_array() ? value.as_array() : one;
  if (values.empty()) return bad_value("Invalid policy syntax.");
  for (const Json& each : values) {
    const auto text = condition_text(each);
    if (!text) return bad_value("Invalid policy syntax.");
    // An address is an address under any operator, so that a slip is not found out too late.
    if (out.key_.fact == Fact::source_ip && how.comparison != Comparison::address &&
        how.comparison != Comparison::null &&
        !parse_policy_address(std::string_view(*text).substr(0, text->find('/'))))
      return bad_value("Invalid IP address in Conditions");
    CAIRN_CHECK(out.add(*text, variables));
  }
  out.narrows_ = key_narrows(key_name) && !how.negated && !how.if_exists &&
                 how.quantifier != Quantifier::all && out.all_fixed();
  return out;
}

Status PolicyCondition::add(const std::string& value, bool variables) {
  switch (how_.comparison) {
    case Comparison::text:
    case Comparison::text_like:
      texts_.push_back(
          PolicyPattern::compile(value, {.wildcards = how_.comparison == Comparison::text_like,
                                         .variables = variables,
                                         .fold_case = how_.fold_case}));
      return ok_status();
    case Comparison::binary:
      texts_.push_back(PolicyPattern::compile(value, {.wildcards = false, .variables = false}));
      return ok_status();
    case Comparison::number: {
      const auto number = condition_number(value);
      if (!number) return bad_value("Invalid number in Conditions: " + value);
      numbers_.push_back(*number);
      return ok_status();
    }
    case Comparison::date: {
      const auto time = time_of(value);
      if (!time) return bad_value("Invalid date in Conditions: " + value);
      times_.push_back(*time);
      return ok_status();
    }
    case Comparison::boolean:
    case Comparison::null: {
      const auto truth = truth_of(value);
      if (!truth) return bad_value("Invalid boolean in Conditions: " + value);
      (*truth ? wants_true_ : wants_false_) = true;
      return ok_status();
    }
    case Comparison::address: {
      const auto slash = value.find('/');
      const auto base = parse_policy_address(std::string_view(value).substr(0, slash));
      if (!base) return bad_value("Invalid IP address in Conditions");
      const bool v4 = value.find(':') == std::string::npos;
      int bits = v4 ? 32 : 128;
      if (slash != std::string::npos) {
        const auto given = parse_number<int>(std::string_view(value).substr(slash + 1));
        if (!given || *given < 0 || *given > bits)
          return bad_value("Invalid IP address in Conditions");
        bits = *given;
      }
      ranges_.push_back({*base, v4 ? bits + 96 : bits});
      return ok_status();
    }
    case Comparison::arn: {
      Arn arn;
      for (const auto piece : split_arn(value, variables))
        arn.pieces.push_back(PolicyPattern::compile(piece, {.variables = variables}));
      arns_.push_back(std::move(arn));
      return ok_status();
    }
  }
  return ok_status();
}

bool PolicyCondition::all_fixed() const {
  switch (how_.comparison) {
    case Comparison::text:
    case Comparison::text_like:
    case Comparison::binary:
      return std::none_of(texts_.begin(), texts_.end(), [](const auto& t) { return t.is_open(); });
    case Comparison::arn:
      return std::all_of(arns_.begin(), arns_.end(), [](const Arn& arn) {
        return std::none_of(arn.pieces.begin(), arn.pieces.end(),
                            [](const auto& piece) { return piece.is_open(); });
      });
    case Comparison::address:
      return std::all_of(ranges_.begin(), ranges_.end(), [](const Range& range) {
        if (is_private(range.base) && range.bits >= widest_ipv4_bits) return true;
        return range.bits >= (is_ipv4(range.base) ? widest_ipv4_bits : widest_ipv6_bits);
      });
    default:
      return false;
  }
}

bool PolicyCondition::in_order(double value, double limit) const {
  switch (how_.order) {
    case Order::equal:
      return value == limit;
    case Order::less:
      return value < limit;
    case Order::less_or_equal:
      return value <= limit;
    case Order::greater:
      return value > limit;
    case Order::greater_or_equal:
      return value >= limit;
  }
  return false;
}

bool PolicyCondition::fits_arn(std::string_view value, const PolicyFacts& facts) const {
  const auto pieces = split_arn(value, false);
  return std::any_of(arns_.begin(), arns_.end(), [&](const Arn& arn) {
    if (arn.pieces.size() == 1) return arn.pieces[0].matches(value, facts);
    if (arn.pieces.size() != pieces.size()) return false;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      if (!arn.pieces[i].matches(pieces[i], facts)) return false;
    return true;
  });
}

bool PolicyCondition::fits_address(std::string_view value) const {
  const auto address = parse_policy_address(value);
  return address && std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
           return same_beginning(*address, range.base, range.bits);
         });
}

bool PolicyCondition::fits(std::string_view value, const PolicyFacts& facts) const {
  switch (how_.comparison) {
    case Comparison::text:
    case Comparison::text_like:
    case Comparison::binary:
      return std::any_of(texts_.begin(), texts_.end(),
                         [&](const auto& text) { return text.matches(value, facts); });
    case Comparison::number: {
      const auto number = condition_number(value);
      return number && std::any_of(numbers_.begin(), numbers_.end(),
                                   [&](double limit) { return in_order(*number, limit); });
    }
    case Comparison::date: {
      const auto time = time_of(value);
      return time && std::any_of(times_.begin(), times_.end(), [&](std::int64_t limit) {
               return in_order(static_cast<double>(*time), static_cast<double>(limit));
             });
    }
    case Comparison::boolean: {
      const auto truth = truth_of(value);
      return truth && (*truth ? wants_true_ : wants_false_);
    }
    case Comparison::address:
      return fits_address(value);
    case Comparison::arn:
      return fits_arn(value, facts);
    case Comparison::null:
      return false;
  }
  return false;
}

bool PolicyCondition::holds(const PolicyFacts& facts) const {
  std::vector<std::string> values;
  const bool there = facts.find(key_, values) && !values.empty();
  if (how_.comparison == Comparison::null) return there ? wants_false_ : wants_true_;
  if (!there) {
    if (how_.if_exists || how_.quantifier == Quantifier::all) return true;
    return how_.quantifier == Quantifier::plain && how_.negated;
  }
  const auto fit = [&](const std::string& value) { return fits(value, facts); };
  const auto wanted = [&](const std::string& value) { return fit(value) != how_.negated; };
  switch (how_.quantifier) {
    case Quantifier::any:
      return std::any_of(values.begin(), values.end(), wanted);
    case Quantifier::all:
      return std::all_of(values.begin(), values.end(), wanted);
    case Quantifier::plain:
      return std::any_of(values.begin(), values.end(), fit) != how_.negated;
  }
  return false;
}

}  // namespace cairn::auth
