// SPDX-License-Identifier: Apache-2.0
// The arithmetic on rows with AVX2: 8 numbers at a time.
#include <algorithm>
#include <cmath>

#include "kernels/lanes_avx2.h"
#include "kernels/rows/quantised_range.h"
#include "kernels/rows/rows_versions.h"

#define CAIRN_ROW CAIRN_AVX2 inline

namespace cairn::kernels {
namespace avx2 {

constexpr std::string_view row_version = "avx2";
#include "kernels/rows/rows.inc"

}  // namespace avx2

const RowKernels& avx2_row_kernels() { return avx2::row_table; }

}  // namespace cairn::kernels

#undef CAIRN_ROW
