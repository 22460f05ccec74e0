// SPDX-License-Identifier: Apache-2.0
// Bodies of multipart/form-data (RFC 7578, RFC 2046 §5.1), read part by part: what browsers send
// for a form with a file. Holds one window of the body, whatever is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/http/message.h"

namespace cairn::net {

/// True for a Content-Type of multipart/form-data, whatever its parameters.
bool is_form_data(std::string_view content_type);

/// The boundary that a Content-Type of multipart/form-data names. Errors: invalid_argument: there
/// is none, or it is none by RFC 2046.
Result<std::string> form_boundary(std::string_view content_type);

/// What is said of a part before its bytes.
struct FormPart {
  std::string name = {};
  std::optional<std::string> filename = {};  // as sent: it may have a path
  std::string content_type = {};             // empty: not said
};

/// Pulls a form out of a body. One thread at a time. Refuses what is not well-formed rather than
/// guess; what stands behind the closing delimiter is read and dropped.
class FormDataReader {
 public:
  static constexpr std::size_t window_bytes = 64 << 10;
  static constexpr std::size_t part_head_bytes_max = 8 << 10;

  /// `body` outlives the reader. `boundary`: of form_boundary().
  FormDataReader(BodyReader& body, std::string_view boundary);

  /// The next part; what was not read of the one before is passed over. Nothing at the end of the
  /// form. Errors: invalid_argument (not well-formed, or the body ends before the form does);
  /// too_large (the head of a part); those of the body.
  Result<std::optional<FormPart>> next();
  /// Up to into.size() bytes of the present part; 0 at its end. Errors: those of next().
  Result<std::size_t> read(std::span<char> into);
  /// How many bytes of the body are behind the caller, delimiters and heads among them.
  std::uint64_t passed_bytes() const { return passed_; }

 private:
  /// What may be given out of the window now, and whether the part ends behind it.
  struct Stretch {
    std::size_t bytes = 0;
    bool last = false;
  };

  Result<std::size_t> fill();
  Status need(std::size_t bytes);
  Result<Stretch> stretch();
  Status skip_part();
  Result<bool> pass_delimiter();
  Result<std::string> take_head();
  Status drain();
  std::string_view window() const { return {window_.data() + at_, end_ - at_}; }
  void pass(std::size_t bytes);

  BodyReader& body_;
  const std::string delimiter_;  // "\r\n--boundary"
  std::string window_;
  std::size_t at_ = 0;   // of the first byte that is not passed
  std::size_t end_ = 0;  // behind the last byte that was read
  std::uint64_t passed_ = 0;
  bool in_part_ = false;   // its bytes are not all passed
  bool finished_ = false;  // the closing delimiter was passed
};

}  // namespace cairn::net
