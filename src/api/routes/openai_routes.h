// SPDX-License-Identifier: Apache-2.0
// A face of OpenAI's interface over the inference service: /v1/chat/completions, /v1/completions,
// /v1/embeddings, /v1/models.
#pragma once

#include "api/router.h"
#include "inference/service.h"

namespace cairn::api {

/// `model` in a body is the id of an inference endpoint, or of a model that has one for the task.
/// Errors have OpenAI's form. Source: docs/reference/openai.md.
void add_openai_routes(Router& router, ServiceRef<inference::Service> service);

}  // namespace cairn::api
