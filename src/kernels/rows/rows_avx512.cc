// SPDX-License-Identifier: Apache-2.0
// The arithmetic on rows with AVX-512: 16 numbers at a time.
#include <algorithm>
#include <cmath>

#include "kernels/lanes_avx512.h"
#include "kernels/rows/quantised_range.h"
#include "kernels/rows/rows_versions.h"

#define CAIRN_ROW CAIRN_AVX512 inline

namespace cairn::kernels {
namespace avx512 {

constexpr std::string_view row_version = "avx512";
#include "kernels/rows/rows.inc"

}  // namespace avx512

const RowKernels& avx512_row_kernels() { return avx512::row_table; }

}  // namespace cairn::kernels

#undef CAIRN_ROW
