// SPDX-License-Identifier: Apache-2.0
// Reading with every number of the head checked before use, and writing.
#include "inference/model/safetensors.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/assert.h"
#include "format/json.h"

namespace cairn::inference {
namespace {

constexpr std::size_t largest_head = 100'000'000;
constexpr std::size_t most_dimensions = 8;

struct TypeRow {
  NumberType type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeRow, 12> types{{
    {NumberType::f64, "F64", 8},
    {NumberType::f32, "F32", 4},
    {NumberType::f16, "F16", 2},
    {NumberType::bf16, "BF16", 2},
    {NumberType::f8_e4m3, "F8_E4M3", 1},
    {NumberType::f8_e5m2, "F8_E5M2", 1},
    {NumberType::i64, "I64", 8},
    {NumberType::i32, "I32", 4},
    {NumberType::i16, "I16", 2},
    {NumberType::i8, "I8", 1},
    {NumberType::u8, "U8", 1},
    {NumberType::boolean, "BOOL", 1},
}};

struct BlockRow {
  NumberType type;
  std::string_view name;
  NumberLayout layout;
};

constexpr std::array<BlockRow, 4> blocks{{
    {NumberType::q8_0, "Q8_0", {32, 34}},
    {NumberType::q4_0, "Q4_0", {32, 18}},
    {NumberType::q4_k, "Q4_K", {256, 144}},
    {NumberType::q6_k, "Q6_K", {256, 210}},
}};

Error invalid(std::string message) {
  return Error{.kind = ErrorKind::invalid_argument,
               .message = "safetensors: " + std::move(message)};
}

std::uint64_t read_u64(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::optional<std::uint64_t> natural(const Json& json) {
  if (json.type() == Json::Type::integer && json.as_int() >= 0) {
    return static_cast<std::uint64_t>(json.as_int());
  }
  return std::nullopt;
}

std::optional<TypeRow> type_of(std::string_view name) {
  for (const TypeRow& row : types) {
    if (row.name == name) return row;
  }
  return std::nullopt;
}

/// Bytes of an array of this shape; nothing where that is no 64-bit number.
std::optional<std::uint64_t> size_of(const std::vector<std::uint64_t>& shape, std::size_t bytes) {
  std::uint64_t size = bytes;
  for (const std::uint64_t n : shape) {
    if (n != 0 && size > std::numeric_limits<std::uint64_t>::max() / n) return std::nullopt;
    size *= n;
  }
  return size;
}

/// A tensor as the head has it: its place within the data.
struct Entry {
  Tensor tensor;  // without its bytes
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Result<Entry> parse_entry(const std::string& name, const Json& json, std::uint64_t data_bytes) {
  const auto fault = [&name](const std::string& what) {
    return invalid("tensor [" + name + "] " + what);
  };
  const auto type = type_of(json.string_or("dtype"));
  if (!type) return fault("has an unknown dtype [" + json.string_or("dtype") + "]");
  const Json* shape = json.find("shape");
  const Json* offsets = json.find("data_offsets");
  if (shape == nullptr || !shape->is_array() || shape->as_array().size() > most_dimensions) {
    return fault("needs a shape of at most 8 numbers");
  }
  if (offsets == nullptr || !offsets->is_array() || offsets->as_array().size() != 2) {
    return fault("needs two data_offsets");
  }
  Entry out{.tensor = {.name = name, .type = type->type, .shape = {}, .bytes = {}}};
  for (const Json& n : shape->as_array()) {
    const auto number = natural(n);
    if (!number) return fault("has a shape that is not made of natural numbers");
    out.tensor.shape.push_back(*number);
  }
  const auto begin = natural(offsets->as_array()[0]);
  const auto end = natural(offsets->as_array()[1]);
  if (!begin || !end || *begin > *end || *end > data_bytes) {
    return fault("has data_offsets outside the file");
  }
  if (size_of(out.tensor.shape, type->bytes) != *end - *begin) {
    return fault("has a shape that does not fit its bytes");
  }
  out.begin = *begin;
  out.end = *end;
  return out;
}

/// The entries of a head in the order of their bytes, which fill the data.
Result<std::vector<Entry>> parse_head(std::string_view head, std::uint64_t data_bytes) {
  if (!head.starts_with('{')) return invalid("the head must begin with {");
  CAIRN_TRY(const Json json, parse_json(head));
  std::vector<Entry> out;
  for (const auto& [name, value] : json.as_object()) {
    if (name == "__metadata__") continue;
    CAIRN_TRY(Entry entry, parse_entry(name, value, data_bytes));
    out.push_back(std::move(entry));
  }
  std::stable_sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t expected = 0;
  for (const Entry& entry : out) {
    if (entry.begin != expected) {
      return invalid("tensor [" + entry.tensor.name + "] leaves a hole or lies over another");
    }
    expected = entry.end;
  }
  if (expected != data_bytes) return invalid("bytes follow the last tensor");
  return out;
}

}  // namespace

std::string_view name_of(NumberType type) {
  for (const TypeRow& row : types) {
    if (row.type == type) return row.name;
  }
  for (const BlockRow& row : blocks) {
    if (row.type == type) return row.name;
  }
  return "unknown";
}

NumberLayout layout_of(NumberType type) {
  for (const BlockRow& row : blocks) {
    if (row.type == type) return row.layout;
  }
  return {1, bytes_of(type)};
}

std::size_t bytes_of(NumberType type) {
  for (const TypeRow& row : types) {
    if (row.type == type) return row.bytes;
  }
  return 0;
}

Result<std::uint64_t> Safetensors::head_bytes(std::string_view begin, std::uint64_t file_bytes) {
  if (begin.size() < 8 || file_bytes < 8) return invalid("the file is shorter than 8 bytes");
  const std::uint64_t head_size = read_u64(begin);
  if (head_size > largest_head || head_size > file_bytes - 8) {
    return invalid("the head of " + std::to_string(head_size) + " bytes does not fit the file");
  }
  return 8 + head_size;
}

Status Safetensors::check_head(std::string_view begin, std::uint64_t file_bytes) {
  CAIRN_TRY(const std::uint64_t head_size, head_bytes(begin, file_bytes));
  if (begin.size() < head_size) return invalid("the head is not whole");
  CAIRN_CHECK(parse_head(begin.substr(8, head_size - 8), file_bytes - head_size));
  return ok_status();
}

Result<Safetensors> Safetensors::parse(std::string_view file) {
  CAIRN_TRY(const std::uint64_t head_size, head_bytes(file, file.size()));
  const std::string_view data = file.substr(head_size);
  CAIRN_TRY(std::vector<Entry> entries, parse_head(file.substr(8, head_size - 8), data.size()));
  Safetensors out;
  for (Entry& entry : entries) {
    entry.tensor.bytes = data.substr(entry.begin, entry.end - entry.begin);
    out.tensors_.push_back(std::move(entry.tensor));
  }
  return out;
}

const Tensor* Safetensors::find(std::string_view name) const {
  for (const Tensor& tensor : tensors_) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

Result<const Tensor*> Safetensors::get(std::string_view name, NumberType type,
                                       const std::vector<std::uint64_t>& shape) const {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) return invalid("tensor [" + std::string(name) + "] is missing");
  if (tensor->type != type) {
    return invalid("tensor [" + std::string(name) + "] must be of type " +
                   std::string(name_of(type)));
  }
  if (tensor->shape != shape) {
    return invalid("tensor [" + std::string(name) + "] must have the shape " +
                   Json::array_of(shape).dump() + ", not " + Json::array_of(tensor->shape).dump());
  }
  return tensor;
}

std::string write_safetensors(const std::vector<Tensor>& tensors,
                              const std::vector<std::pair<std::string, std::string>>& metadata) {
  std::string head;
  JsonWriter json(head);
  json.begin_object();
  if (!metadata.empty()) {
    json.key("__metadata__").begin_object();
    for (const auto& [name, value] : metadata) json.key(name).string(value);
    json.end_object();
  }
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    CAIRN_ASSERT(size_of(tensor.shape, bytes_of(tensor.type)) == tensor.bytes.size());
    json.key(tensor.name).begin_object();
    json.key("dtype").string(name_of(tensor.type));
    json.key("shape").begin_array();
    for (const std::uint64_t n : tensor.shape) json.unsigned_integer(n);
    json.end_array();
    json.key("data_offsets").begin_array();
    json.unsigned_integer(offset);
    offset += tensor.bytes.size();
    json.unsigned_integer(offset);
    json.end_array().end_object();
  }
  json.end_object();
  head.append((8 - head.size() % 8) % 8, ' ');
  std::string out;
  out.reserve(8 + head.size() + offset);
  for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(head.size() >> (8 * i) & 0xffU);
  out += head;
  for (const Tensor& tensor : tensors) out += tensor.bytes;
  return out;
}

}  // namespace cairn::inference
