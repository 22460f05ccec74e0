// SPDX-License-Identifier: Apache-2.0
// One connected socket, plain or TLS, and how long one waits for it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "net/tls.h"
#include "os/deadline.h"

namespace cairn::net {

enum class IoState {
  done,        // `count` bytes moved, at least one
  end,         // the peer has closed its side
  want_read,   // nothing moved; try again when the socket is readable
  want_write,  // … writable
  failed,      // reset or broken
};
struct Io {
  IoState state = IoState::failed;
  std::size_t count = 0;
};

/// Owns a non-blocking socket and its TLS session. No call blocks. One thread at a time.
class Transport {
 public:
  Transport() = default;
  explicit Transport(int descriptor, SSL* session = nullptr)
      : descriptor_(descriptor), session_(session) {}
  ~Transport() { close(); }
  Transport(Transport&& other) noexcept;
  Transport& operator=(Transport&& other) noexcept;

  int descriptor() const { return descriptor_; }
  /// Gives the descriptor of a plain socket away, open.
  int release() { return std::exchange(descriptor_, -1); }
  bool is_open() const { return descriptor_ >= 0; }
  bool is_tls() const { return session_ != nullptr; }
  /// "1.2", "1.3"; empty without TLS.
  std::string_view tls_version() const;

  /// What the peer said when it broke TLS off: "tlsv13 alert certificate required"; empty where it
  /// said nothing.
  std::string_view alert() const { return alert_ == nullptr ? std::string_view() : alert_; }

  Io handshake();
  Io read(std::span<char> into);
  /// `more`: other bytes follow at once, so a small packet may wait for them.
  Io write(std::string_view bytes, bool more = false);
  /// Both, in one call where the socket allows it; count is of both.
  Io write_both(std::string_view first, std::string_view second, bool more = false);
  /// Plain sockets only. `end`: the file has no byte there.
  Io send_file(int file, std::uint64_t offset, std::size_t count);
  /// A wait for bytes ends when so many are there, or the end is. Plain sockets only, others wait
  /// for the first; the kernel gives its buffers the room.
  void gather(std::size_t bytes);
  /// Bytes that were received and decrypted already: the socket will not say so.
  bool has_pending() const;
  /// The last read took all that was there: the epoll set tells of what comes next.
  bool drained() const { return drained_; }
  void forget_drained() { drained_ = false; }
  /// True where a read would say end or failed at once, or bytes wait that nobody asked for.
  bool is_stale();

  /// Tells the peer that nothing more is sent.
  void finish_sending();
  void close();

 private:
  Io tls_result(int result);
  int descriptor_ = -1;
  SSL* session_ = nullptr;
  const char* alert_ = nullptr;
  bool handshaken_ = false;
  bool drained_ = false;
  std::size_t gathered_ = 1;
};

/// How long one is patient with a peer. 0 means without that limit.
struct WaitLimits {
  std::int64_t stall_ms = 0;               // for any byte
  std::uint64_t bytes_per_second_min = 0;  // over all the time spent waiting
  std::int64_t grace_ms = 10'000;          // before the rate counts
};

/// Waits for one connection in one direction, and keeps count of what that brought.
class Patience {
 public:
  Patience(WaitLimits limits, os::Deadline deadline)
      : limits_(limits), deadline_(std::move(deadline)) {}

  /// Called once, before the first wait.
  void before_first_wait(std::function<void()> call) { before_ = std::move(call); }
  /// Other limits from now on; what was waited and moved is forgotten.
  void restart(WaitLimits limits, os::Deadline deadline);
  void moved(std::size_t bytes) {
    bytes_ += bytes;
    if (shown_ != nullptr) shown_->store(bytes_, std::memory_order_relaxed);
  }
  /// Where other threads see how many bytes moved.
  void show(std::atomic<std::uint64_t>& bytes) { shown_ = &bytes; }
  /// Until the socket is ready for what `state` (want_read or want_write) asks, under
  /// os::Blocking. `also_readable`: ends early too when bytes arrive, and says so.
  /// Errors: timeout, cancelled (the deadline's stop), with `doing` in the message.
  Status wait(int descriptor, IoState state, std::string_view doing, bool* also_readable = nullptr);
  /// For `most_ms` at most: false where they passed first.
  Result<bool> wait_briefly(int descriptor, IoState state, std::string_view doing,
                            std::int64_t most_ms);
  const os::Deadline& deadline() const { return deadline_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  int poll_for(int descriptor, short events, std::int64_t limit_ms, short& ready);
  WaitLimits limits_;
  os::Deadline deadline_;
  std::function<void()> before_;
  std::uint64_t bytes_ = 0;
  std::atomic<std::uint64_t>* shown_ = nullptr;
  std::int64_t waited_ns_ = 0;
};

/// Sends all of it.
Status send_all(Transport& transport, Patience& patience, std::string_view first,
                std::string_view second = {}, bool more = false);

Error peer_gone(std::string_view doing);

}  // namespace cairn::net
