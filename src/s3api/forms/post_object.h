// SPDX-License-Identifier: Apache-2.0
// Uploads by forms, from the request that may be one to the answer that a browser follows. What is
// done is a PutObject: its rights, its checks, its path to the disk.
#pragma once

#include "base/result.h"
#include "s3api/call.h"

namespace cairn::s3api {

/// True for a POST to a bucket that asks for no part of it: a form, or a mistake.
bool is_form_upload(const ParsedCall& call);

/// Reads the form up to its file, where the request is one. Then the call has its key, its dialect
/// and its fields. Errors: those of read_upload_form; NotImplemented for buckets and access points
/// that take no forms.
Status take_form(ParsedCall& call);

/// Whether the policy of the form allows it, where there is a form. One of nobody needs none.
/// Errors: InvalidPolicyDocument, AccessDenied.
Status check_form(ParsedCall& call);

/// Puts the file and answers as the form asks. Errors: those of put_object and of the file.
Status post_object(Call& call);

}  // namespace cairn::s3api
