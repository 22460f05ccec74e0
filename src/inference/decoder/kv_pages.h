// SPDX-License-Identifier: Apache-2.0
// The keys and values of sequences, in pages of 32 tokens that sequences may share.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/result.h"
#include "inference/decoder/config.h"
#include "kernels/buffer.h"
#include "kernels/pages/paged_attention.h"

namespace cairn::inference {

/// What a page looks like: keys and values of 32 tokens, of all heads of all layers.
struct KvShape {
  std::size_t layers = 0;
  std::size_t kv_heads = 0;
  std::size_t head_size = 0;
  bool narrow = true;  // bfloat16; fp32 otherwise

  std::size_t number_bytes() const { return narrow ? sizeof(kernels::Bf16) : sizeof(float); }
  /// Bytes of one head's page of one layer, and of a whole page.
  std::size_t head_bytes() const { return kernels::page_numbers(head_size) * number_bytes(); }
  std::size_t page_bytes() const { return layers * kv_heads * head_bytes(); }
};

/// One page. Its tokens are written by the step that adds them and only read afterwards.
class KvPage {
 public:
  KvPage(const KvShape& shape, std::shared_ptr<std::atomic<std::size_t>> taken)
      : shape_(shape), taken_(std::move(taken)), bytes_(shape.page_bytes()) {}
  ~KvPage() { taken_->fetch_sub(1); }
  KvPage(const KvPage&) = delete;
  KvPage& operator=(const KvPage&) = delete;

  template <class Number>
  Number* head(std::size_t layer, std::size_t kv_head) {
    return reinterpret_cast<Number*>(bytes_.data() +
                                     (layer * shape_.kv_heads + kv_head) * shape_.head_bytes());
  }

 private:
  KvShape shape_;
  std::shared_ptr<std::atomic<std::size_t>> taken_;
  kernels::Buffer<std::byte> bytes_;
};

/// Memory for pages, never more than was said. A page is free when the last sequence that holds it
/// lets it go, also after the pool is gone. Safe from any thread.
class KvPool {
 public:
  KvPool(const KvShape& shape, std::size_t most_pages)
      : shape_(shape), most_(most_pages), taken_(std::make_shared<std::atomic<std::size_t>>(0)) {}

  /// Errors: rate_limited where all pages are taken, or memory ends.
  Result<std::shared_ptr<KvPage>> take();

  const KvShape& shape() const { return shape_; }
  std::size_t most_pages() const { return most_; }
  std::size_t taken_pages() const { return taken_->load(); }

 private:
  KvShape shape_;
  std::size_t most_;
  std::shared_ptr<std::atomic<std::size_t>> taken_;
};

/// What a sequence knows of its tokens so far. Another sequence that begins alike may start with
/// copies of the first pages, whole ones only. One thread at a time.
class KvSequence {
 public:
  KvSequence() = default;
  KvSequence(KvSequence&&) = default;  // no copies: two would write the same page
  KvSequence& operator=(KvSequence&&) = default;
  /// Begins with pages that another sequence has filled.
  explicit KvSequence(std::vector<std::shared_ptr<KvPage>> filled)
      : pages_(std::move(filled)), tokens_(pages_.size() * kernels::page_tokens) {}

  std::size_t tokens() const { return tokens_; }
  const std::vector<std::shared_ptr<KvPage>>& pages() const { return pages_; }

  /// Takes pages for `more` tokens behind those that are there. Errors: those of the pool; what was
  /// taken stays, for the next try.
  Status reserve(KvPool& pool, std::size_t more);
  /// Counts tokens that a step has written.
  void advance(std::size_t count) { tokens_ += count; }

 private:
  std::vector<std::shared_ptr<KvPage>> pages_;
  std::size_t tokens_ = 0;
};

}  // namespace cairn::inference
