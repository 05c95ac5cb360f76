// The built-in functions by name (spec "Built-in Functions"). Their signatures are builtin_table.cc's rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kem::wgsl::sem {

// clang-format off
#define KEM_WGSL_BUILTINS(ROW) \
  ROW(Bitcast, "bitcast") ROW(All, "all") ROW(Any, "any") ROW(Select, "select") ROW(ArrayLength, "arrayLength") \
  ROW(BufferView, "bufferView") ROW(BufferArrayView, "bufferArrayView") ROW(BufferLength, "bufferLength") \
  ROW(Abs, "abs") ROW(Acos, "acos") ROW(Acosh, "acosh") ROW(Asin, "asin") ROW(Asinh, "asinh") ROW(Atan, "atan") \
  ROW(Atanh, "atanh") ROW(Atan2, "atan2") ROW(Ceil, "ceil") ROW(Clamp, "clamp") ROW(Cos, "cos") ROW(Cosh, "cosh") \
  ROW(CountLeadingZeros, "countLeadingZeros") ROW(CountOneBits, "countOneBits") \
  ROW(CountTrailingZeros, "countTrailingZeros") ROW(Cross, "cross") ROW(Degrees, "degrees") \
  ROW(Determinant, "determinant") ROW(Distance, "distance") ROW(Dot, "dot") ROW(Dot4U8Packed, "dot4U8Packed") \
  ROW(Dot4I8Packed, "dot4I8Packed") ROW(Exp, "exp") ROW(Exp2, "exp2") ROW(ExtractBits, "extractBits") \
  ROW(FaceForward, "faceForward") ROW(FirstLeadingBit, "firstLeadingBit") ROW(FirstTrailingBit, "firstTrailingBit") \
  ROW(Floor, "floor") ROW(Fma, "fma") ROW(Fract, "fract") ROW(Frexp, "frexp") ROW(InsertBits, "insertBits") \
  ROW(InverseSqrt, "inverseSqrt") ROW(Ldexp, "ldexp") ROW(Length, "length") ROW(Log, "log") ROW(Log2, "log2") \
  ROW(Max, "max") ROW(Min, "min") ROW(Mix, "mix") ROW(Modf, "modf") ROW(Normalize, "normalize") ROW(Pow, "pow") \
  ROW(QuantizeToF16, "quantizeToF16") ROW(Radians, "radians") ROW(Reflect, "reflect") ROW(Refract, "refract") \
  ROW(ReverseBits, "reverseBits") ROW(Round, "round") ROW(Saturate, "saturate") ROW(Sign, "sign") ROW(Sin, "sin") \
  ROW(Sinh, "sinh") ROW(Smoothstep, "smoothstep") ROW(Sqrt, "sqrt") ROW(Step, "step") ROW(Tan, "tan") \
  ROW(Tanh, "tanh") ROW(Transpose, "transpose") ROW(Trunc, "trunc") \
  ROW(Dpdx, "dpdx") ROW(DpdxCoarse, "dpdxCoarse") ROW(DpdxFine, "dpdxFine") ROW(Dpdy, "dpdy") \
  ROW(DpdyCoarse, "dpdyCoarse") ROW(DpdyFine, "dpdyFine") ROW(Fwidth, "fwidth") ROW(FwidthCoarse, "fwidthCoarse") \
  ROW(FwidthFine, "fwidthFine") \
  ROW(TextureDimensions, "textureDimensions") ROW(TextureGather, "textureGather") \
  ROW(TextureGatherCompare, "textureGatherCompare") ROW(TextureLoad, "textureLoad") \
  ROW(TextureNumLayers, "textureNumLayers") ROW(TextureNumLevels, "textureNumLevels") \
  ROW(TextureNumSamples, "textureNumSamples") ROW(TextureSample, "textureSample") \
  ROW(TextureSampleBias, "textureSampleBias") ROW(TextureSampleCompare, "textureSampleCompare") \
  ROW(TextureSampleCompareLevel, "textureSampleCompareLevel") ROW(TextureSampleGrad, "textureSampleGrad") \
  ROW(TextureSampleLevel, "textureSampleLevel") \
  ROW(TextureSampleBaseClampToEdge, "textureSampleBaseClampToEdge") ROW(TextureStore, "textureStore") \
  ROW(AtomicLoad, "atomicLoad") ROW(AtomicStore, "atomicStore") ROW(AtomicAdd, "atomicAdd") \
  ROW(AtomicSub, "atomicSub") ROW(AtomicMax, "atomicMax") ROW(AtomicMin, "atomicMin") ROW(AtomicAnd, "atomicAnd") \
  ROW(AtomicOr, "atomicOr") ROW(AtomicXor, "atomicXor") ROW(AtomicExchange, "atomicExchange") \
  ROW(AtomicCompareExchangeWeak, "atomicCompareExchangeWeak") \
  ROW(Pack4x8snorm, "pack4x8snorm") ROW(Pack4x8unorm, "pack4x8unorm") ROW(Pack4xI8, "pack4xI8") \
  ROW(Pack4xU8, "pack4xU8") ROW(Pack4xI8Clamp, "pack4xI8Clamp") ROW(Pack4xU8Clamp, "pack4xU8Clamp") \
  ROW(Pack2x16snorm, "pack2x16snorm") ROW(Pack2x16unorm, "pack2x16unorm") ROW(Pack2x16float, "pack2x16float") \
  ROW(Unpack4x8snorm, "unpack4x8snorm") ROW(Unpack4x8unorm, "unpack4x8unorm") ROW(Unpack4xI8, "unpack4xI8") \
  ROW(Unpack4xU8, "unpack4xU8") ROW(Unpack2x16snorm, "unpack2x16snorm") ROW(Unpack2x16unorm, "unpack2x16unorm") \
  ROW(Unpack2x16float, "unpack2x16float") \
  ROW(StorageBarrier, "storageBarrier") ROW(TextureBarrier, "textureBarrier") \
  ROW(WorkgroupBarrier, "workgroupBarrier") ROW(WorkgroupUniformLoad, "workgroupUniformLoad") \
  ROW(SubgroupAdd, "subgroupAdd") ROW(SubgroupExclusiveAdd, "subgroupExclusiveAdd") \
  ROW(SubgroupInclusiveAdd, "subgroupInclusiveAdd") ROW(SubgroupAll, "subgroupAll") ROW(SubgroupAnd, "subgroupAnd") \
  ROW(SubgroupAny, "subgroupAny") ROW(SubgroupBallot, "subgroupBallot") ROW(SubgroupBroadcast, "subgroupBroadcast") \
  ROW(SubgroupBroadcastFirst, "subgroupBroadcastFirst") ROW(SubgroupElect, "subgroupElect") \
  ROW(SubgroupMax, "subgroupMax") ROW(SubgroupMin, "subgroupMin") ROW(SubgroupMul, "subgroupMul") \
  ROW(SubgroupExclusiveMul, "subgroupExclusiveMul") ROW(SubgroupInclusiveMul, "subgroupInclusiveMul") \
  ROW(SubgroupOr, "subgroupOr") ROW(SubgroupShuffle, "subgroupShuffle") \
  ROW(SubgroupShuffleDown, "subgroupShuffleDown") ROW(SubgroupShuffleUp, "subgroupShuffleUp") \
  ROW(SubgroupShuffleXor, "subgroupShuffleXor") ROW(SubgroupXor, "subgroupXor") \
  ROW(QuadBroadcast, "quadBroadcast") ROW(QuadSwapDiagonal, "quadSwapDiagonal") ROW(QuadSwapX, "quadSwapX") \
  ROW(QuadSwapY, "quadSwapY")
// clang-format on

enum class Builtin : uint8_t {
#define KEM_ROW(id, spelling) id,
  KEM_WGSL_BUILTINS(KEM_ROW)
#undef KEM_ROW
};

std::string_view name(Builtin builtin);
std::optional<Builtin> find_builtin(std::string_view name);
// Whether calls of it must be reached, or some argument of theirs be, uniformly (spec "Uniformity").
bool asks_for_uniformity(Builtin builtin);

// Built-in values (spec "Built-in Inputs and Outputs") of every stage.
// clang-format off
#define KEM_WGSL_BUILTIN_VALUES(ROW)                                                                              \
  ROW(ClipDistances, "clip_distances") ROW(FragDepth, "frag_depth") ROW(FrontFacing, "front_facing")              \
  ROW(GlobalInvocationId, "global_invocation_id") ROW(GlobalInvocationIndex, "global_invocation_index")           \
  ROW(InstanceIndex, "instance_index") ROW(LocalInvocationId, "local_invocation_id")                              \
  ROW(LocalInvocationIndex, "local_invocation_index") ROW(NumWorkgroups, "num_workgroups")                        \
  ROW(Position, "position") ROW(PrimitiveIndex, "primitive_index") ROW(SampleIndex, "sample_index")               \
  ROW(SampleMask, "sample_mask") ROW(VertexIndex, "vertex_index") ROW(WorkgroupId, "workgroup_id")                \
  ROW(WorkgroupIndex, "workgroup_index") ROW(SubgroupInvocationId, "subgroup_invocation_id")                      \
  ROW(SubgroupSize, "subgroup_size") ROW(SubgroupId, "subgroup_id") ROW(NumSubgroups, "num_subgroups")
// clang-format on

enum class BuiltinValue : uint8_t {
#define KEM_ROW(id, spelling) id,
  KEM_WGSL_BUILTIN_VALUES(KEM_ROW)
#undef KEM_ROW
};

std::string_view name(BuiltinValue value);
std::optional<BuiltinValue> find_builtin_value(std::string_view name);

}  // namespace kem::wgsl::sem
