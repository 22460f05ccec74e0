// SPDX-License-Identifier: Apache-2.0
// Parameters of vectors in a mapping. Errors of all: mapper_parsing_exception.
#pragma once

#include <string>

#include "base/result.h"
#include "format/json.h"
#include "index/mapping/mapping.h"

namespace cairn::index {

/// Whether an `oversample` is one: 0 turns it off.
bool is_oversample(double times);
/// `index_options` of vectors: of a type and with parameters that the platform knows.
Status check_vector_index(const Field& field, const Json& options);
/// What index_options, which were checked once, say of how vectors are searched.
void read_vector_index(Field& field, const Json& options);
/// One parameter of a dense_vector. `is_kept`: of a mapping that is stored, and was checked once.
Status read_vector_parameter(Field& field, const std::string& name, const Json& value,
                             bool is_kept);
/// Holds the parameters of a dense_vector against each other once all are read.
Status complete_vector(Field& field);

}  // namespace cairn::index
