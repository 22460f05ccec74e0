// SPDX-License-Identifier: Apache-2.0
// Reading a head with every number checked before it is used.
#include "inference/gguf/gguf_file.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace cairn::inference {
namespace {

constexpr std::string_view gguf_magic = "GGUF";
constexpr std::uint64_t most_gguf_values = 100'000;
constexpr std::uint64_t most_gguf_tensors = 100'000;
constexpr std::uint64_t most_gguf_elements =
    8'000'000;  // twice the words of any decoder that runs here
constexpr std::uint64_t most_gguf_name = 65'535;
constexpr std::uint64_t most_gguf_dimensions = 4;
constexpr std::uint64_t most_alignment = 1U << 20U;
constexpr std::uint64_t usual_alignment = 32;

struct GgufTypeRow {
  std::uint32_t number;
  std::string_view name;
  std::optional<NumberType> type = {};  // absent: not offered
};

constexpr GgufTypeRow gguf_types[] = {
    {0, "F32", NumberType::f32},
    {1, "F16", NumberType::f16},
    {2, "Q4_0", NumberType::q4_0},
    {3, "Q4_1"},
    {6, "Q5_0"},
    {7, "Q5_1"},
    {8, "Q8_0", NumberType::q8_0},
    {9, "Q8_1"},
    {10, "Q2_K"},
    {11, "Q3_K"},
    {12, "Q4_K", NumberType::q4_k},
    {13, "Q5_K"},
    {14, "Q6_K", NumberType::q6_k},
    {15, "Q8_K"},
    {16, "IQ2_XXS"},
    {17, "IQ2_XS"},
    {18, "IQ3_XXS"},
    {19, "IQ1_S"},
    {20, "IQ4_NL"},
    {21, "IQ3_S"},
    {22, "IQ2_S"},
    {23, "IQ4_XS"},
    {24, "I8"},
    {25, "I16"},
    {26, "I32"},
    {27, "I64"},
    {28, "F64"},
    {29, "IQ1_M"},
    {30, "BF16", NumberType::bf16},
    {34, "TQ1_0"},
    {35, "TQ2_0"},
    {39, "MXFP4"},
};

std::string shown_name(std::string_view text) {
  constexpr std::size_t longest_shown = 200;
  return "[" + std::string(text.substr(0, longest_shown)) + "]";
}

/// The bytes of a head one after the other. Once they end short of what the file has, nothing more
/// is read, and `is_short()` says so; where the file itself ends, that is an error.
class HeadReader {
 public:
  HeadReader(std::string_view bytes, std::uint64_t file_bytes)
      : bytes_(bytes), file_bytes_(file_bytes) {}

  std::uint64_t at() const { return at_; }
  bool is_short() const { return is_short_; }

  Error wrong(const std::string& what) const {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "gguf: " + what + " (at byte " + std::to_string(at_) + ")"};
  }
  Error not_offered(const std::string& what) const {
    return Error{.kind = ErrorKind::unsupported, .message = "gguf: " + what};
  }

  Result<std::string_view> take(std::uint64_t count, std::string_view of) {
    if (count > file_bytes_ - at_)
      return wrong("the file ends within " + std::string(of) + ", of [" + std::to_string(count) +
                   "] bytes");
    if (count > GgufFile::most_head_bytes - at_)
      return wrong("the head has more than [" + std::to_string(GgufFile::most_head_bytes) +
                   "] bytes");
    if (count > bytes_.size() - at_) {
      is_short_ = true;
      return wrong("the head is not whole");
    }
    const std::string_view out = bytes_.substr(at_, count);
    at_ += count;
    return out;
  }
  Result<std::uint64_t> number(std::size_t width, std::string_view of) {
    CAIRN_TRY(const std::string_view bytes, take(width, of));
    std::uint64_t out = 0;
    for (std::size_t i = width; i-- > 0;) out = out << 8U | static_cast<unsigned char>(bytes[i]);
    return out;
  }
  Result<std::uint64_t> u64(std::string_view of) { return number(8, of); }
  Result<std::uint32_t> u32(std::string_view of) {
    CAIRN_TRY(const std::uint64_t out, number(4, of));
    return static_cast<std::uint32_t>(out);
  }
  Result<std::string_view> string(std::string_view of) {
    CAIRN_TRY(const std::uint64_t length, u64(of));
    return take(length, of);
  }
  /// A count of things that take at least `bytes` each.
  Result<std::uint64_t> count(std::uint64_t most, std::uint64_t bytes, std::string_view of) {
    CAIRN_TRY(const std::uint64_t out, u64(of));
    if (out > most || out > (file_bytes_ - at_) / bytes)
      return wrong("[" + std::to_string(out) + "] " + std::string(of) + " do not fit the file");
    return out;
  }

  /// What was read from a place on, as a run of bytes.
  std::string_view since(std::uint64_t begin) const { return bytes_.substr(begin, at_ - begin); }

 private:
  std::string_view bytes_;
  std::uint64_t file_bytes_;
  std::uint64_t at_ = 0;
  bool is_short_ = false;
};

Status check_version(HeadReader& in) {
  CAIRN_TRY(const std::string_view magic, in.take(gguf_magic.size(), "its first word"));
  if (magic != gguf_magic) return in.wrong("the file does not begin with GGUF");
  CAIRN_TRY(const std::uint32_t version, in.u32("its version"));
  if (version == 2 || version == 3) return ok_status();
  if ((version & 0xffffU) == 0)
    return in.not_offered("the file is big-endian; little-endian files are offered");
  return in.not_offered("the file is of version [" + std::to_string(version) +
                        "]; offered are 2 and 3");
}

Result<GgufKind> read_kind(HeadReader& in, std::string_view name) {
  CAIRN_TRY(const std::uint32_t number, in.u32("the type of a value"));
  if (number <= static_cast<std::uint32_t>(GgufKind::f64)) return static_cast<GgufKind>(number);
  return in.wrong("value " + shown_name(name) + " is of the unknown type [" +
                  std::to_string(number) + "]");
}

/// The bytes of values of one kind, which follow each other.
Result<std::string_view> take_values(HeadReader& in, GgufKind kind, std::uint64_t count,
                                     std::string_view name) {
  const std::uint64_t begin = in.at();
  if (kind == GgufKind::string) {
    for (std::uint64_t i = 0; i < count; ++i) CAIRN_CHECK(in.string("a string"));
    return in.since(begin);
  }
  CAIRN_TRY(const std::string_view bytes, in.take(count * bytes_of(kind), "a value"));
  if (kind == GgufKind::boolean &&
      std::any_of(bytes.begin(), bytes.end(), [](char c) { return c != 0 && c != 1; }))
    return in.wrong("value " + shown_name(name) + " is neither true nor false");
  return bytes;
}

Result<GgufValue> read_value(HeadReader& in, std::string_view name) {
  GgufValue out;
  CAIRN_TRY(out.kind, read_kind(in, name));
  if (out.kind == GgufKind::array) {
    out.is_array = true;
    CAIRN_TRY(out.kind, read_kind(in, name));
    if (out.kind == GgufKind::array)
      return in.wrong("value " + shown_name(name) + " is an array of arrays");
    const std::uint64_t least = out.kind == GgufKind::string ? 8 : bytes_of(out.kind);
    CAIRN_TRY(out.count, in.count(most_gguf_elements, least, "elements"));
  }
  CAIRN_TRY(out.bytes, take_values(in, out.kind, out.count, name));
  return out;
}

Status read_values(HeadReader& in, std::uint64_t count, GgufValues& out) {
  for (std::uint64_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::string_view name, in.string("the name of a value"));
    if (name.empty() || name.size() > most_gguf_name)
      return in.wrong("the name of a value has [" + std::to_string(name.size()) + "] bytes");
    CAIRN_TRY(const GgufValue value, read_value(in, name));
    if (!out.add(name, value)) return in.wrong("value " + shown_name(name) + " stands there twice");
  }
  return ok_status();
}

/// Columns come first in files, and last in a Tensor.
Status read_shape(HeadReader& in, GgufTensor& out) {
  CAIRN_TRY(const std::uint32_t dimensions, in.u32("the shape of a tensor"));
  if (dimensions == 0 || dimensions > most_gguf_dimensions)
    return in.wrong("tensor " + shown_name(out.name) + " has [" + std::to_string(dimensions) +
                    "] dimensions; 1 to 4 are offered");
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    CAIRN_TRY(const std::uint64_t length, in.u64("the shape of a tensor"));
    if (length == 0) return in.wrong("tensor " + shown_name(out.name) + " has a dimension of 0");
    out.shape.push_back(length);
  }
  std::reverse(out.shape.begin(), out.shape.end());
  return ok_status();
}

Status read_type(HeadReader& in, GgufTensor& out) {
  CAIRN_TRY(const std::uint32_t number, in.u32("the type of a tensor"));
  for (const GgufTypeRow& row : gguf_types) {
    if (row.number != number) continue;
    if (!row.type)
      return in.not_offered("tensor " + shown_name(out.name) + " is of type " +
                            std::string(row.name) +
                            "; F32, F16, BF16, Q8_0, Q4_0, Q4_K and Q6_K are offered");
    out.type = *row.type;
    return ok_status();
  }
  return in.wrong("tensor " + shown_name(out.name) + " is of the unknown type [" +
                  std::to_string(number) + "]");
}

/// Bytes from the shape; each row is made of whole blocks.
Status set_size(const HeadReader& in, GgufTensor& out) {
  const NumberLayout layout = layout_of(out.type);
  if (out.shape.back() % layout.numbers != 0)
    return in.wrong("tensor " + shown_name(out.name) + " has rows of [" +
                    std::to_string(out.shape.back()) + "] numbers, and blocks of " +
                    std::string(name_of(out.type)) + " have [" + std::to_string(layout.numbers) +
                    "]");
  std::uint64_t numbers = 1;
  for (const std::uint64_t length : out.shape) {
    if (length > std::numeric_limits<std::uint64_t>::max() / 8 / numbers)
      return in.wrong("tensor " + shown_name(out.name) + " has more numbers than a file can hold");
    numbers *= length;
  }
  out.bytes = numbers / layout.numbers * layout.bytes;
  return ok_status();
}

Result<GgufTensor> read_tensor(HeadReader& in, std::uint64_t alignment) {
  GgufTensor out;
  CAIRN_TRY(const std::string_view name, in.string("the name of a tensor"));
  if (name.empty() || name.size() > most_gguf_name)
    return in.wrong("the name of a tensor has [" + std::to_string(name.size()) + "] bytes");
  out.name = name;
  CAIRN_CHECK(read_shape(in, out));
  CAIRN_CHECK(read_type(in, out));
  CAIRN_CHECK(set_size(in, out));
  CAIRN_TRY(out.begin, in.u64("the place of a tensor"));
  if (out.begin % alignment != 0)
    return in.wrong("tensor " + shown_name(out.name) + " begins at [" + std::to_string(out.begin) +
                    "], which is no multiple of [" + std::to_string(alignment) + "]");
  return out;
}

Result<std::uint64_t> alignment_of(const GgufValues& values) {
  constexpr std::string_view name = "general.alignment";
  CAIRN_TRY(const std::uint64_t out, values.integer(name, most_alignment, usual_alignment));
  if (out >= 8 && out % 8 == 0) return out;
  return gguf_value_error(name, "must be a multiple of 8");
}

std::uint64_t next_multiple(std::uint64_t value, std::uint64_t of) {
  return (value + of - 1) / of * of;  // both are far below 2^64: the head is bounded
}

/// Puts the tensors in the order of their bytes, which fill the rest of the file but for what
/// alignment leaves free.
Status place_tensors(const HeadReader& in, std::uint64_t file_bytes, std::uint64_t alignment,
                     std::vector<GgufTensor>& tensors) {
  std::sort(tensors.begin(), tensors.end(),
            [](const GgufTensor& a, const GgufTensor& b) { return a.begin < b.begin; });
  const std::uint64_t data = std::min(file_bytes, next_multiple(in.at(), alignment));
  const std::uint64_t all = file_bytes - data;
  std::uint64_t end = 0;  // of the last one, at most `all`
  for (GgufTensor& tensor : tensors) {
    if (tensor.begin != next_multiple(end, alignment))
      return in.wrong("tensor " + shown_name(tensor.name) +
                      (tensor.begin < end ? " lies over another" : " leaves a hole before it"));
    if (tensor.begin > all || tensor.bytes > all - tensor.begin)
      return in.wrong("tensor " + shown_name(tensor.name) + " of [" + std::to_string(tensor.bytes) +
                      "] bytes ends behind the file");
    end = tensor.begin + tensor.bytes;
    tensor.begin += data;
  }
  if (all - end >= alignment) return in.wrong("bytes follow the last tensor");
  return ok_status();
}

Status refuse_parts(const HeadReader& in, const GgufValues& values) {
  CAIRN_TRY(const std::uint64_t parts, values.integer("split.count", 65'535, 0));
  if (parts <= 1) return ok_status();
  return in.not_offered("the file is one of [" + std::to_string(parts) +
                        "] of a model; models in one file are offered");
}

Status read_tensors(HeadReader& in, std::uint64_t count, std::uint64_t alignment,
                    std::vector<GgufTensor>& out) {
  std::set<std::string> names;
  for (std::uint64_t i = 0; i < count; ++i) {
    CAIRN_TRY(GgufTensor tensor, read_tensor(in, alignment));
    if (!names.insert(tensor.name).second)
      return in.wrong("tensor " + shown_name(tensor.name) + " stands there twice");
    out.push_back(std::move(tensor));
  }
  return ok_status();
}

Status read_head(HeadReader& in, std::uint64_t file_bytes, GgufValues& values,
                 std::vector<GgufTensor>& tensors) {
  CAIRN_CHECK(check_version(in));
  CAIRN_TRY(const std::uint64_t tensor_count, in.count(most_gguf_tensors, 32, "tensors"));
  CAIRN_TRY(const std::uint64_t value_count, in.count(most_gguf_values, 13, "values"));
  CAIRN_CHECK(read_values(in, value_count, values));
  CAIRN_CHECK(refuse_parts(in, values));
  CAIRN_TRY(const std::uint64_t alignment, alignment_of(values));
  CAIRN_CHECK(read_tensors(in, tensor_count, alignment, tensors));
  return place_tensors(in, file_bytes, alignment, tensors);
}

}  // namespace

Result<std::optional<GgufFile>> GgufFile::read(std::string_view begin, std::uint64_t file_bytes) {
  HeadReader in(begin.substr(0, std::min<std::uint64_t>(begin.size(), file_bytes)), file_bytes);
  GgufFile out;
  const Status done = read_head(in, file_bytes, out.values_, out.tensors_);
  if (in.is_short()) return std::optional<GgufFile>();
  if (!done.ok()) return done.error();
  return std::optional<GgufFile>(std::move(out));
}

const GgufTensor* GgufFile::find(std::string_view name) const {
  for (const GgufTensor& tensor : tensors_)
    if (tensor.name == name) return &tensor;
  return nullptr;
}

}  // namespace cairn::inference
