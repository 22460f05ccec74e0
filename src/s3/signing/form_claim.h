// SPDX-License-Identifier: Apache-2.0
// What a form claims about its signature: the fields name a key, and the text of the policy is what
// is signed. Version 4, and version 2 as older pages have it. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "s3/form_policy.h"
#include "s3/signing/signing.h"

namespace cairn::s3 {

/// Nothing for a form without any field of a signature. Errors: InvalidArgument (a field missing, a
/// value that is none, two mechanisms); those of credentials in queries.
Result<std::optional<Claim>> read_form_claim(const FormFields& fields);

/// Whether the policy of the form is signed as the claim says. When it ends is the policy's to say.
/// Of `params`, the host plays no part. Errors: AuthorizationQueryParametersError (service,
/// region); SignatureDoesNotMatch with the text.
Status verify_form_claim(const Claim& claim, const FormFields& fields, const VerifyParams& params,
                         SigningKeys& keys);

}  // namespace cairn::s3
