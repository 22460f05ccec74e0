// SPDX-License-Identifier: Apache-2.0
// What a script sees of documents. The host implements it, so that this room knows no index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "format/json.h"

namespace cairn::script {

/// What the values of a field are to a script.
enum class FieldKind : std::uint8_t { whole, real, boolean, date, text, vector, none };

struct FieldFacts {
  FieldKind kind = FieldKind::none;
  std::string fault = {};      // of `none`: why a script cannot read it
  bool byte_elements = false;  // of `vector`
  bool bit_elements = false;   // the same: a byte has eight of them; byte_elements too
  bool unit_length = false;    // the same: kept so, whatever length they had
  std::size_t elements = 0;    // of `vector`: numbers of a value; bytes where it has bits
};

/// Why the numbers of a vector are not to be had, where they are kept with another length.
inline std::string unit_length_fault(std::string_view field) {
  return "the vectors of [" + std::string(field) +
         "] are kept with the length 1, as their similarity is [cosine]: use [cosineSimilarity], or "
         "map the field with another similarity";
}

/// The fields of a mapping. Immutable.
class Fields {
 public:
  virtual ~Fields() = default;
  /// Nothing where the mapping has no such field.
  virtual std::optional<FieldFacts> find(std::string_view name) const = 0;
  /// The milliseconds of a date that is written in a script. Errors: invalid_argument.
  virtual Result<std::int64_t> date(std::string_view text) const = 0;
};

/// The document that a program runs on. Fields have the numbers of Program::fields. One thread.
/// What goes wrong in reading is said to the steps of the run (os::Steps::fail).
class Document {
 public:
  virtual ~Document() = default;
  virtual std::size_t count(std::size_t field) = 0;
  /// The least value; false where there is none. `first_whole`: whole, boolean (0 and 1), date
  /// (milliseconds).
  virtual bool first_whole(std::size_t field, std::int64_t& out) = 0;
  virtual bool first_real(std::size_t field, double& out) = 0;
  /// Value `i` of count(), in ascending order.
  virtual std::int64_t whole(std::size_t field, std::size_t i) = 0;
  virtual double real(std::size_t field, std::size_t i) = 0;
  virtual std::string text(std::size_t field, std::size_t i) = 0;
  /// Empty where there is none. Lives until the next call.
  virtual std::span<const float> vector(std::size_t field) = 0;
  /// The source; null where it cannot be read, which the steps say. Lives until the next document.
  virtual const Json* source() { return nullptr; }
  /// A number in [0, 1) by a seed and the value of a field; without a field by the document.
  virtual double chance(std::int64_t seed, std::optional<std::size_t> field) = 0;
};

}  // namespace cairn::script
