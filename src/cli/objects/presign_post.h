// SPDX-License-Identifier: Apache-2.0
// `cairn objects presign --post`: a form by which a page uploads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/objects/command.h"
#include "cli/objects/places/address.h"
#include "objectclient/presign.h"

namespace cairn::cli {

/// "900" or "15m". Errors: invalid_argument, with the option.
Result<std::int64_t> read_expiry_s(const Arguments& arguments, std::int64_t usual_s);

/// What --field, --content-type, --starts-with and --content-length-range say.
/// Errors: invalid_argument, with the option.
Result<objectclient::PresignedPostOptions> read_post_options(const Arguments& arguments,
                                                             std::int64_t usual_expiry_s);

/// A page with the form, which a browser opens as it is.
std::string html_of_form(const objectclient::PresignedPost& form);
/// The command that sends a file by the form.
std::string curl_of_form(const objectclient::PresignedPost& form);

/// The exit status.
int run_presign_post(const Arguments& arguments, const Address& at, std::int64_t usual_expiry_s,
                     ObjectRun& run);

}  // namespace cairn::cli
