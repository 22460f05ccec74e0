// SPDX-License-Identifier: Apache-2.0
// A socket by hand: what tests say to a server that no proper client would say.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::net {

class RawPeer {
 public:
  explicit RawPeer(std::uint16_t port, int receive_buffer = 0) {
    fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer > 0) {
      ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int one = 1;
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
  }
  ~RawPeer() { close(); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  bool connected() const { return connected_; }
  int descriptor() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void half_close() { ::shutdown(fd_, SHUT_WR); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  /// Until the text holds `mark`, the peer closes, or ten seconds pass without a byte.
  std::string receive_until(std::string_view mark) {
    while (mark.empty() || text_.find(mark) == std::string::npos) {
      if (!receive_some()) break;
    }
    std::string all;
    all.swap(text_);
    return all;
  }
  std::string receive_all() { return receive_until({}); }
  /// One reply with a Content-Length, from "HTTP/1.1" to the end of its body.
  std::string receive_reply() {
    std::size_t end = std::string::npos;
    while ((end = text_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive_some()) return take(text_.size());
    }
    std::size_t length = 0;
    const std::size_t field = text_.find("Content-Length: ");
    if (field < end) length = std::stoul(text_.substr(field + 16));
    while (text_.size() < end + 4 + length) {
      if (!receive_some()) break;
    }
    return take(end + 4 + length);
  }
  bool closed_by_peer() const { return closed_; }

 private:
  bool receive_some() {
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, 10'000) != 1) return false;
    char bytes[16 << 10];
    const ssize_t count = ::recv(fd_, bytes, sizeof bytes, 0);
    if (count <= 0) {
      closed_ = true;
      return false;
    }
    text_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t count) {
    std::string front = text_.substr(0, count);
    text_.erase(0, front.size());
    return front;
  }
  int fd_ = -1;
  bool connected_ = false;
  bool closed_ = false;
  std::string text_;
};

}  // namespace cairn::net
