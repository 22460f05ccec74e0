// SPDX-License-Identifier: Apache-2.0
// One walk over all fields serves measuring, writing and reading, so that they cannot differ.
#include "inference/encoder/packed_image.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/checksum.h"
#include "inference/gguf/blocks.h"

namespace cairn::inference {
namespace {

constexpr std::uint64_t image_format = 0x31'6b'70'6e'72'69'61'63;  // "cairnpk1"; new for a new layout
constexpr std::size_t array_line = 64;  // where arrays begin, as kernels like it
constexpr std::uint64_t most_stored_layers = 10'000;

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + array_line - 1) / array_line * array_line;
}

/// Writes fields one after the other, or only counts their bytes where there is no room yet.
class ImageWriter {
 public:
  explicit ImageWriter(std::byte* to) : to_(to) {}
  std::size_t written() const { return at_; }

  template <class Value>
  void field(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    put(&value, sizeof value);
  }
  template <class Number>
  void array(kernels::Buffer<Number>& numbers) {
    std::uint64_t count = numbers.size();
    field(count);
    put_lines(numbers.data(), numbers.size_bytes());
  }
  void table(Table& table) {
    std::uint64_t rows = table.rows(), width = table.width();
    NumberType type = table.type();
    field(rows);
    field(width);
    field(type);
    put_lines(table.bytes().data(), table.bytes().size());
  }
  template <class Value>
  void count(std::vector<Value>& values) {
    std::uint64_t size = values.size();
    field(size);
  }

 private:
  void put(const void* from, std::size_t bytes) {
    if (to_ != nullptr && bytes > 0) std::memcpy(to_ + at_, from, bytes);
    at_ += bytes;
  }
  void put_lines(const void* from, std::size_t bytes) {
    at_ = whole_lines(at_);
    put(from, bytes);
  }

  std::byte* to_;
  std::size_t at_ = 0;
};

/// Reads what an ImageWriter wrote. Nothing is read past the end: `failed()` then.
class ImageReader {
 public:
  ImageReader(const std::byte* from, std::size_t size) : from_(from), size_(size) {}
  bool failed() const { return failed_; }
  bool at_end() const { return at_ == size_; }

  template <class Value>
  void field(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    if (const std::byte* const bytes = take(sizeof value)) std::memcpy(&value, bytes, sizeof value);
  }
  template <class Number>
  void array(kernels::Buffer<Number>& numbers) {
    std::uint64_t count = 0;
    field(count);
    at_ = whole_lines(at_);
    if (count > size_ / sizeof(Number)) return fail();
    const std::byte* const bytes = take(count * sizeof(Number));
    if (bytes == nullptr || count == 0) return;
    numbers = kernels::Buffer<Number>::view(reinterpret_cast<const Number*>(bytes), count);
  }
  void table(Table& table) {
    std::uint64_t rows = 0, width = 0;
    NumberType type = NumberType::f32;
    field(rows);
    field(width);
    field(type);
    at_ = whole_lines(at_);
    if (failed_ || rows > size_ || width > size_ || !is_float_type(type) || is_block_type(type)) return fail();
    const std::size_t count = rows * width * bytes_of(type);
    const std::byte* const bytes = take(count);
    if (bytes == nullptr || count == 0) return;
    table = Table(type, rows, width, {reinterpret_cast<const char*>(bytes), count});
  }
  template <class Value>
  void count(std::vector<Value>& values) {
    std::uint64_t size = 0;
    field(size);
    if (size > most_stored_layers) return fail();
    values.resize(size);
  }

 private:
  void fail() { failed_ = true; }
  const std::byte* take(std::size_t bytes) {
    if (failed_ || at_ > size_ || bytes > size_ - at_) {
      fail();
      return nullptr;
    }
    return from_ + std::exchange(at_, at_ + bytes);
  }

  const std::byte* from_;
  std::size_t size_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

template <class Visitor>
void visit_norm(Visitor& visitor, Norm& norm) {
  visitor.array(norm.gain);
  visitor.array(norm.shift);
}

template <class Visitor>
void visit_weights(Visitor& visitor, EncoderWeights& weights) {
  visitor.field(weights.arithmetic);
  visitor.table(weights.words);
  visitor.table(weights.positions);
  visitor.table(weights.types);
  visit_norm(visitor, weights.embedding_norm);
  visitor.count(weights.layers);
  for (EncoderLayer& layer : weights.layers) {
    layer.joined.visit(visitor);
    layer.attended.visit(visitor);
    visit_norm(visitor, layer.attention_norm);
    layer.up.visit(visitor);
    layer.down.visit(visitor);
    visit_norm(visitor, layer.output_norm);
  }
  visit_norm(visitor, weights.final_norm);
  visitor.array(weights.relative_bias);
  visitor.field(weights.relative_buckets);
}

template <class Visitor>
void visit_encoder(Visitor& visitor, PackedEncoder& encoder) {
  visit_weights(visitor, encoder.weights);
  visitor.count(encoder.pooled_layers);
  for (PooledLayer& layer : encoder.pooled_layers) {
    layer.linear.visit(visitor);
    visitor.field(layer.activation);
  }
  encoder.words.transform.visit(visitor);
  visitor.field(encoder.words.activation);
  visit_norm(visitor, encoder.words.norm);
  encoder.words.words.visit(visitor);
  encoder.classifier.transform.visit(visitor);
  visitor.field(encoder.classifier.activation);
  visit_norm(visitor, encoder.classifier.norm);
  encoder.classifier.labels.visit(visitor);
  visitor.field(encoder.classifier.takes_mean);
  visitor.field(encoder.classifier.sigmoid);
}

/// Stands at the beginning; the checksum is of everything behind it.
struct ImageHeader {
  std::uint64_t format = 0;
  std::uint64_t size = 0;  // of the whole image
  std::uint64_t key_bytes = 0;
  std::uint32_t checksum = 0;
  std::uint32_t unused = 0;
};

std::string_view view_of(const std::byte* bytes, std::size_t count) {
  return {reinterpret_cast<const char*>(bytes), count};
}

Error unusable(const char* why) {
  return Error{.kind = ErrorKind::corrupt, .message = std::string("the packed weights ") + why};
}

bool linear_fits(const Linear& linear, std::size_t depth, std::size_t columns) {
  return linear.is_whole() && linear.depth() == depth && linear.columns() == columns;
}

bool has_shape(const EncoderWeights& weights) {
  const EncoderShape& shape = weights.shape;
  const std::size_t width = shape.heads * shape.head_size;
  if (weights.layers.size() != shape.layers || weights.words.rows() != shape.vocabulary ||
      weights.words.width() != shape.hidden) {
    return false;
  }
  return std::all_of(weights.layers.begin(), weights.layers.end(), [&](const EncoderLayer& layer) {
    return linear_fits(layer.joined, shape.hidden, 3 * width) &&
           linear_fits(layer.attended, width, shape.hidden) &&
           linear_fits(layer.up, shape.hidden, (shape.gated ? 2 : 1) * shape.intermediate) &&
           linear_fits(layer.down, shape.intermediate, shape.hidden);
  });
}

bool has_whole_heads(const PackedEncoder& encoder) {
  return encoder.words.transform.is_whole() && encoder.words.words.is_whole() &&
         encoder.classifier.transform.is_whole() && encoder.classifier.labels.is_whole() &&
         std::all_of(encoder.pooled_layers.begin(), encoder.pooled_layers.end(),
                     [](const PooledLayer& layer) { return layer.linear.is_whole(); });
}

}  // namespace

kernels::Buffer<std::byte> write_packed(const PackedEncoder& encoder, std::string_view key) {
  auto& fields = const_cast<PackedEncoder&>(encoder);  // an ImageWriter changes nothing
  const std::size_t begin = whole_lines(sizeof(ImageHeader) + key.size());
  ImageWriter measure(nullptr);
  visit_encoder(measure, fields);
  kernels::Buffer<std::byte> out(begin + measure.written());
  ImageWriter writer(out.data() + begin);
  visit_encoder(writer, fields);
  std::memcpy(out.data() + sizeof(ImageHeader), key.data(), key.size());
  ImageHeader header{.format = image_format, .size = out.size(), .key_bytes = key.size()};
  header.checksum = crc32c(view_of(out.data() + sizeof header, out.size() - sizeof header));
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

Result<PackedEncoder> read_packed(const kernels::Buffer<std::byte>& image, std::string_view key,
                                  const EncoderShape& shape) {
  ImageHeader header;
  if (image.size() < sizeof header) return unusable("are too short");
  std::memcpy(&header, image.data(), sizeof header);
  if (header.format != image_format) return unusable("have another format");
  if (header.size != image.size() || header.key_bytes > image.size() - sizeof header) {
    return unusable("have another length");
  }
  if (view_of(image.data() + sizeof header, header.key_bytes) != key) {
    return unusable("were made of something else");
  }
  if (crc32c(view_of(image.data() + sizeof header, image.size() - sizeof header)) !=
      header.checksum) {
    return unusable("do not fit their checksum");
  }
  const std::size_t begin = whole_lines(sizeof header + key.size());
  if (begin > image.size()) return unusable("are too short");
  PackedEncoder out;
  ImageReader reader(image.data() + begin, image.size() - begin);
  visit_encoder(reader, out);
  if (reader.failed() || !reader.at_end()) return unusable("have fields that do not fit");
  out.weights.shape = shape;
  if (!has_shape(out.weights) || !has_whole_heads(out)) return unusable("have another shape");
  return out;
}

}  // namespace cairn::inference
