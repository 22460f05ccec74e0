// SPDX-License-Identifier: Apache-2.0
// The choice between the versions of the products.
#include "kernels/matrix/product.h"

#include "kernels/matrix/product_versions.h"
#include "kernels/matrix/trial.h"
#include "os/cpu.h"
#include "os/log.h"

namespace cairn::kernels {
namespace {

/// AVX-512 with the dot products that this processor has; AVX2 where it lacks those of int8.
const MatrixKernels& avx512_matrix_kernels() {
  static const MatrixKernels kernels = [] {
    const os::CpuFeatures& cpu = os::cpu_features();
    MatrixKernels out = avx2_matrix_kernels();
    out.name = "avx512";
    out.float32 = avx512_float32;
    if (cpu.avx512_bf16) out.bfloat16 = avx512_bfloat16;
    if (cpu.avx512_vnni) {
      out.name = "avx512_vnni";
      out.int8 = avx512_int8;
      out.int8_levels = 255;
    }
    return out;
  }();
  return kernels;
}

/// Tiles for what they have instructions for.
const MatrixKernels& amx_matrix_kernels() {
  static const MatrixKernels kernels = [] {
    MatrixKernels out = avx512_matrix_kernels();
    out.name = "amx";
    out.bfloat16 = amx_bfloat16;
    out.int8 = amx_int8;
    out.int8_levels = 255;
    out.bfloat16_first = true;
    return out;
  }();
  return kernels;
}

/// Processors with tiles are rare, so that theirs may differ from all that this was tested on.
bool has_right_tiles() {
  const os::CpuFeatures& cpu = os::cpu_features();
  const bool is_right = cpu.amx && passes_trial(amx_matrix_kernels());
  if (cpu.amx_refused || (cpu.amx && !is_right)) {
    os::log(os::LogLevel::warn, "kernels", "products do not use this processor's AMX tiles",
            {{"processor", cpu.brand},
             {"reason", cpu.amx_refused ? "the kernel gives no permission"
                                        : "their results differ from plain sums"},
             {"instead", avx512_matrix_kernels().name}});
  }
  return is_right;
}

}  // namespace

const std::vector<const MatrixKernels*>& usable_matrix_kernels() {
  static const std::vector<const MatrixKernels*> usable = [] {
    std::vector<const MatrixKernels*> out{&scalar_matrix_kernels()};
    if (os::cpu_features().avx2) out.push_back(&avx2_matrix_kernels());
    if (os::cpu_features().avx512) out.push_back(&avx512_matrix_kernels());
    if (has_right_tiles()) out.push_back(&amx_matrix_kernels());
    return out;
  }();
  return usable;
}

const MatrixKernels& matrix_kernels() {
  static const MatrixKernels& widest = *usable_matrix_kernels().back();
  return widest;
}

void multiply(const MatrixKernels& kernels, Arithmetic arithmetic, const Product& product) {
  switch (arithmetic) {
    case Arithmetic::float32: return kernels.float32(product);
    case Arithmetic::bfloat16: return kernels.bfloat16(product);
    case Arithmetic::int8: return kernels.int8(product);
  }
}

}  // namespace cairn::kernels
