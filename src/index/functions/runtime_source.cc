// SPDX-License-Identifier: Apache-2.0
#include "index/functions/runtime_source.h"

#include <optional>
#include <utility>

#include "base/compress.h"
#include "index/errors.h"
#include "index/segment/stored.h"

namespace cairn::index {

const Json* SourceReader::of(std::uint32_t doc) {
  if (doc == doc_) return &tree_;
  if (Status done = read(doc); !done.ok()) {
    context_.steps.fail(std::move(done).error());
    return nullptr;
  }
  return &tree_;
}

Status SourceReader::read(std::uint32_t doc) {
  const StoredBlocks& blocks = segment_.stored_blocks();
  if (blocks.count() == 0)
    return illegal_argument("objects of nested fields have no source of their own here");
  const std::size_t block = blocks.block_of(doc);
  if (block != block_) {
    block_ = SIZE_MAX;
    CAIRN_TRY(const Bytes compressed, segment_.stored_block(block, false, context_.deadline));
    auto raw = unzstd(compressed.view, stored_block_limit);
    if (!raw) return corrupt_object(segment_.name(), "a block of documents cannot be decompressed");
    raw_ = std::move(*raw);
    block_ = block;
    CAIRN_CHECK(context_.steps.take(raw_.size() / 256));
  }
  const auto text = stored_at(raw_, doc - blocks.first_documents[block]);
  if (!text) return corrupt_object(segment_.name(), "a block of documents is damaged");
  doc_ = UINT32_MAX;
  CAIRN_CHECK(context_.steps.take(1 + text->size() / 64));
  CAIRN_TRY(tree_, parse_json(*text));
  doc_ = doc;
  return ok_status();
}

}  // namespace cairn::index
