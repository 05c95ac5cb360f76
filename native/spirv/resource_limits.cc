#include "spirv/resource_limits.h"

#include <limits>

namespace kem::spirv {
namespace {

constexpr int kUnbounded = std::numeric_limits<int>::max();

// Fields of other stages stay 0: a compute shader can't name them. The constants gl_Max... take these values.
TBuiltInResource make_limits() {
  TBuiltInResource limits{};
  limits.maxComputeWorkGroupCountX = kUnbounded;
  limits.maxComputeWorkGroupCountY = kUnbounded;
  limits.maxComputeWorkGroupCountZ = kUnbounded;
  limits.maxComputeWorkGroupSizeX = kUnbounded;
  limits.maxComputeWorkGroupSizeY = kUnbounded;
  limits.maxComputeWorkGroupSizeZ = kUnbounded;
  limits.maxComputeUniformComponents = kUnbounded;
  limits.limits.nonInductiveForLoops = true;
  limits.limits.whileLoops = true;
  limits.limits.doWhileLoops = true;
  limits.limits.generalUniformIndexing = true;
  limits.limits.generalAttributeMatrixVectorIndexing = true;
  limits.limits.generalVaryingIndexing = true;
  limits.limits.generalSamplerIndexing = true;
  limits.limits.generalVariableIndexing = true;
  limits.limits.generalConstantMatrixVectorIndexing = true;
  return limits;
}

}  // namespace

const TBuiltInResource& resource_limits() {
  static const TBuiltInResource limits = make_limits();
  return limits;
}

}  // namespace kem::spirv
