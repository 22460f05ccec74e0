// SPDX-License-Identifier: Apache-2.0
// Reading bodies; the socket is asked only when the reader asks.
#include "net/http/body.h"

#include <algorithm>
#include <cstring>

namespace cairn::net {
namespace {

// From here on a read goes straight into the reader's own memory.
constexpr std::size_t direct_read_bytes = 4 << 10;
// From here on it may be waited for; a peer that needs longer is slow.
constexpr std::size_t gathered_bytes_min = 64 << 10;
constexpr std::int64_t gathering_ms_max = 50;
const Headers no_trailers;

Error too_large(std::uint64_t limit) {
  return Error{.kind = ErrorKind::too_large,
               .message = "the body is larger than " + std::to_string(limit) + " bytes"};
}

}  // namespace

void Inlet::put_back(std::string_view bytes) {
  CAIRN_ASSERT(empty() && bytes.size() <= storage_.size());
  begin_ = 0;
  end_ = bytes.size();
  if (!bytes.empty()) std::memcpy(storage_.data(), bytes.data(), bytes.size());
}

void Inlet::make_room() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ > 0 && end_ == storage_.size()) {
    std::memmove(storage_.data(), storage_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
}

Io Inlet::fill() {
  make_room();
  if (end_ == storage_.size()) return {IoState::failed, 0};
  const Io io = transport_.read(storage_.subspan(end_));
  end_ += io.count;
  received_ += io.count;
  return io;
}

Result<std::size_t> Inlet::fill(Patience& patience) {
  for (;;) {
    const Io io = fill();
    switch (io.state) {
      case IoState::done:
        patience.moved(io.count);
        return io.count;
      case IoState::end:
        return std::size_t{0};
      case IoState::failed:
        return peer_gone("receiving");
      default:
        CAIRN_CHECK(wait_for(1, io.state, patience));
    }
  }
}

Status Inlet::wait_for(std::size_t bytes, IoState state, Patience& patience) {
  if (bytes > 1 && !peer_is_slow_) {
    transport_.gather(bytes);
    CAIRN_TRY(const bool ready,
              patience.wait_briefly(transport_.descriptor(), state, "receiving", gathering_ms_max));
    if (ready) return ok_status();
    peer_is_slow_ = true;
  }
  transport_.gather(1);
  return patience.wait(transport_.descriptor(), state, "receiving");
}

Result<std::size_t> Inlet::read_past(std::span<char> into, Patience& patience, bool gather) {
  for (;;) {
    const Io io = transport_.read(into);
    switch (io.state) {
      case IoState::done:
        patience.moved(io.count);
        received_ += io.count;
        return io.count;
      case IoState::end:
        return std::size_t{0};
      case IoState::failed:
        return peer_gone("receiving");
      default:
        CAIRN_CHECK(wait_for(gather ? into.size() : 1, io.state, patience));
    }
  }
}

FramedBody::FramedBody(Inlet& inlet, const Framing& framing, Patience& patience,
                       std::uint64_t limit_bytes, std::function<Status()> before_first_read)
    : inlet_(inlet),
      patience_(patience),
      length_(framing.length),
      limit_bytes_(limit_bytes),
      before_(std::move(before_first_read)),
      until_close_(framing.until_close) {
  if (framing.chunked) {
    chunks_.emplace();
  } else if (!until_close_) {
    // Without any framing a request has no body.
    if (!length_) length_ = 0;
    left_ = *length_;
    done_ = left_ == 0;
  }
}

const Headers& FramedBody::trailers() const {
  return chunks_ && done_ ? chunks_->trailers() : no_trailers;
}

Error FramedBody::broken(std::string_view why) {
  broken_ = true;
  return Error{.kind = ErrorKind::invalid_argument, .message = std::string(why)};
}

Result<std::size_t> FramedBody::read(std::span<char> into) {
  if (done_ || into.empty()) return std::size_t{0};
  if (broken_) return broken("the body could not be read before");
  if (before_) {
    const auto before = std::exchange(before_, nullptr);
    if (auto status = before(); !status.ok()) {
      broken_ = true;
      return std::move(status).error();
    }
  }
  auto result = chunks_ ? read_chunks(into) : read_length(into);
  if (!result.ok()) {
    broken_ = true;
    return result;
  }
  total_ += *result;
  if (limit_bytes_ > 0 && total_ > limit_bytes_) {
    broken_ = true;
    return too_large(limit_bytes_);
  }
  return result;
}

Result<std::size_t> FramedBody::read_length(std::span<char> into) {
  const std::uint64_t want = until_close_ ? UINT64_MAX : left_;
  into = into.first(static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), want)));
  std::size_t count = 0;
  if (inlet_.empty() && into.size() >= direct_read_bytes) {
    // No more than is to come: `into` ends where the body does.
    const bool gather = gathers_ && !until_close_ && into.size() >= gathered_bytes_min;
    CAIRN_TRY(count, inlet_.read_past(into, patience_, gather));
  } else {
    if (inlet_.empty()) CAIRN_CHECK(inlet_.fill(patience_));
    count = std::min(into.size(), inlet_.view().size());
    std::memcpy(into.data(), inlet_.view().data(), count);
    inlet_.consume(count);
  }
  if (until_close_) {
    done_ = count == 0;
    return count;
  }
  if (count == 0) return broken("the connection ended before the body did");
  left_ -= count;
  done_ = left_ == 0;
  return count;
}

Result<std::size_t> FramedBody::read_chunks(std::span<char> into) {
  for (;;) {
    const auto step = chunks_->decode(inlet_.view(), into);
    inlet_.consume(step.consumed);
    if (step.outcome == ChunkDecoder::Outcome::broken) return broken(chunks_->reason());
    if (step.outcome == ChunkDecoder::Outcome::done) done_ = true;
    if (done_ || step.produced > 0) return step.produced;
    CAIRN_TRY(const std::size_t count, inlet_.fill(patience_));
    if (count == 0) return broken("the connection ended before the body did");
  }
}

Status InflatingBody::more() {
  if (rest_.empty() && !holds_more_) {
    in_.resize(16 << 10);
    CAIRN_TRY(const std::size_t count, raw_.read(std::span<char>(in_.data(), in_.size())));
    rest_ = std::string_view(in_).substr(0, count);
    received_ += count;
    if (count == 0) {
      if (received_ > 0 && !inflater_.finished()) {
        return Error{.kind = ErrorKind::invalid_argument,
                     .message = "the compressed body ends too early"};
      }
      done_ = true;
      return ok_status();
    }
  }
  out_.clear();
  out_at_ = 0;
  constexpr std::size_t step = 64 << 10;
  if (auto status = inflater_.inflate(rest_, out_, step); !status.ok()) {
    return Error{.kind = ErrorKind::invalid_argument,
                 .message = "the compressed body cannot be decompressed"};
  }
  holds_more_ = out_.size() == step;
  inflated_ += out_.size();
  if (limit_ > 0 && inflated_ > limit_) return too_large(limit_);
  if (inflated_ > (1 << 20) && inflated_ / 100 > received_) {
    return Error{.kind = ErrorKind::too_large,
                 .message = "the body is compressed more than a hundredfold; send it plain"};
  }
  return ok_status();
}

Result<std::size_t> InflatingBody::read(std::span<char> into) {
  if (into.empty()) return std::size_t{0};
  while (!done_ && out_at_ == out_.size()) CAIRN_CHECK(more());
  const std::size_t count = std::min(into.size(), out_.size() - out_at_);
  std::memcpy(into.data(), out_.data() + out_at_, count);
  out_at_ += count;
  return count;
}

}  // namespace cairn::net
