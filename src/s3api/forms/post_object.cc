// SPDX-License-Identifier: Apache-2.0
#include "s3api/forms/post_object.h"

#include <algorithm>
#include <utility>

#include "s3/errors.h"
#include "s3/form_policy.h"
#include "s3/model.h"
#include "s3api/admission.h"
#include "s3api/forms/form_answer.h"
#include "s3api/handlers.h"
#include "s3api/wire/send.h"

namespace cairn::s3api {

namespace ops = s3::operations;

bool is_form_upload(const ParsedCall& call) {
  return call.exchange.head.method == "POST" && call.address.target == s3::Target::bucket &&
         !s3::subresource_of(call.query);
}

Status take_form(ParsedCall& call) {
  if (!is_form_upload(call)) return ok_status();
  if (call.directory || call.access_point != nullptr)
    return s3::error("NotImplemented",
                     "Forms are taken by general purpose buckets alone, asked by their own name.")
        .with_detail("BucketName", call.address.bucket);
  CAIRN_TRY(call.form, read_upload_form(call.exchange.head, call.exchange.body, call.dialect));
  call.address.key = call.form->key;
  if (call.form->dialect) {
    call.dialect = *call.form->dialect;
    call.dialect_shown = true;
  }
  return ok_status();
}

Status check_form(ParsedCall& call) {
  if (call.form == nullptr) return ok_status();
  UploadForm& form = *call.form;
  const std::string* text = form.field("policy");
  if (text == nullptr) return ok_status();
  CAIRN_TRY(const s3::FormPolicy policy, s3::parse_form_policy(*text));
  CAIRN_CHECK(s3::check_form_policy(policy, form.fields, call.address.bucket,
                                    call.context.clock.unix_ms()));
  form.file->limit(policy.bytes_min, policy.bytes_max);
  return ok_status();
}

Status post_object(Call& call) {
  const auto input = s3::read_request(ops::put_object, call.view(), call.dialect);
  if (!input.ok()) return parameter_fault(call, input.error());
  CAIRN_TRY(const auto output, put_object(call, *input));
  s3::ReplyParts parts = s3::write_reply(ops::put_object, output, call.dialect);
  answer_form(call, output.etag.value_or(""), parts);
  return send_reply(call, std::move(parts));
}

}  // namespace cairn::s3api
