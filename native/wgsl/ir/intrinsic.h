// The operations that transforms put in place of WGSL's: each has the plain meaning of one GLSL function, value or
// operator, or of one helper function that glsl/helpers.cc writes. One table for transforms and writer.
#pragma once

#include <cstdint>
#include <string_view>

#include "wgsl/ir/ir.h"

namespace kem::wgsl::ir {

// Enumerator, GLSL text, how it is written, what it may do besides its result.
//   Form    Function: text(operands…); Helper: the same, and the writer adds the function's definition;
//           Value: the text alone; Numbered: the text and its operand, a constant; Ternary: c ? a : b;
//           AtomicLoad, AtomicStore: with scope and semantics
//   Effect  Pure: moves freely; Fixed: stays where it is (memory, synchronisation, exchange between invocations)
#define KEM_INTRINSICS(ROW)                                              \
  ROW(Abs, "abs", Function, Pure)                                        \
  ROW(Acos, "acos", Function, Pure)                                      \
  ROW(Acosh, "acosh", Function, Pure)                                    \
  ROW(Asin, "asin", Function, Pure)                                      \
  ROW(Asinh, "asinh", Function, Pure)                                    \
  ROW(Atan, "atan", Function, Pure)                                      \
  ROW(Atanh, "atanh", Function, Pure)                                    \
  ROW(Ceil, "ceil", Function, Pure)                                      \
  ROW(Cos, "cos", Function, Pure)                                        \
  ROW(Cosh, "cosh", Function, Pure)                                      \
  ROW(Cross, "cross", Function, Pure)                                    \
  ROW(Degrees, "degrees", Function, Pure)                                \
  ROW(Determinant, "determinant", Function, Pure)                        \
  ROW(Dot, "dot", Function, Pure)                                        \
  ROW(Exp, "exp", Function, Pure)                                        \
  ROW(Exp2, "exp2", Function, Pure)                                      \
  ROW(FaceForward, "faceforward", Function, Pure)                        \
  ROW(Floor, "floor", Function, Pure)                                    \
  ROW(Fma, "fma", Function, Pure)                                        \
  ROW(Frexp, "frexp", Function, Fixed)                                   \
  ROW(InverseSqrt, "inversesqrt", Function, Pure)                        \
  ROW(Ldexp, "ldexp", Function, Pure)                                    \
  ROW(Length, "length", Function, Pure)                                  \
  ROW(Log, "log", Function, Pure)                                        \
  ROW(Log2, "log2", Function, Pure)                                      \
  ROW(Max, "max", Function, Pure)                                        \
  ROW(Min, "min", Function, Pure)                                        \
  ROW(Mix, "mix", Function, Pure)                                        \
  ROW(Normalize, "normalize", Function, Pure)                            \
  ROW(Pow, "pow", Function, Pure)                                        \
  ROW(Radians, "radians", Function, Pure)                                \
  ROW(Reflect, "reflect", Function, Pure)                                \
  ROW(Refract, "refract", Function, Pure)                                \
  ROW(RoundEven, "roundEven", Function, Pure)                            \
  ROW(Sign, "sign", Function, Pure)                                      \
  ROW(Sin, "sin", Function, Pure)                                        \
  ROW(Sinh, "sinh", Function, Pure)                                      \
  ROW(Sqrt, "sqrt", Function, Pure)                                      \
  ROW(Step, "step", Function, Pure)                                      \
  ROW(Tan, "tan", Function, Pure)                                        \
  ROW(Tanh, "tanh", Function, Pure)                                      \
  ROW(Transpose, "transpose", Function, Pure)                            \
  ROW(Trunc, "trunc", Function, Pure)                                    \
  ROW(BitfieldReverse, "bitfieldReverse", Function, Pure)                \
  /* Component-wise comparison of vectors. */                            \
  ROW(LessThan, "lessThan", Function, Pure)                              \
  ROW(LessThanEqual, "lessThanEqual", Function, Pure)                    \
  ROW(GreaterThan, "greaterThan", Function, Pure)                        \
  ROW(GreaterThanEqual, "greaterThanEqual", Function, Pure)              \
  ROW(Equal, "equal", Function, Pure)                                    \
  ROW(NotEqual, "notEqual", Function, Pure)                              \
  ROW(Not, "not", Function, Pure)                                        \
  ROW(All, "all", Function, Pure)                                        \
  ROW(Any, "any", Function, Pure)                                        \
  ROW(Ternary, "", Ternary, Pure)                                        \
  /* The same bits as another type. */                                   \
  ROW(FloatBitsToInt, "floatBitsToInt", Function, Pure)                  \
  ROW(FloatBitsToUint, "floatBitsToUint", Function, Pure)                \
  ROW(IntBitsToFloat, "intBitsToFloat", Function, Pure)                  \
  ROW(UintBitsToFloat, "uintBitsToFloat", Function, Pure)                \
  ROW(PackFloat2x16, "packFloat2x16", Function, Pure)                    \
  ROW(UnpackFloat2x16, "unpackFloat2x16", Function, Pure)                \
  ROW(PackHalf2x16, "packHalf2x16", Function, Pure)                      \
  ROW(UnpackHalf2x16, "unpackHalf2x16", Function, Pure)                  \
  ROW(UnpackSnorm4x8, "unpackSnorm4x8", Function, Pure)                  \
  ROW(UnpackUnorm4x8, "unpackUnorm4x8", Function, Pure)                  \
  ROW(UnpackSnorm2x16, "unpackSnorm2x16", Function, Pure)                \
  ROW(UnpackUnorm2x16, "unpackUnorm2x16", Function, Pure)                \
  /* What GLSL leaves undefined and WGSL defines. */                     \
  ROW(Divide, "kem_divide", Helper, Pure)                                \
  ROW(Remainder, "kem_remainder", Helper, Pure)                          \
  ROW(ToI32, "kem_to_i32", Helper, Pure)                                 \
  ROW(ToU32, "kem_to_u32", Helper, Pure)                                 \
  ROW(BoolAnd, "kem_and", Helper, Pure)                                  \
  ROW(BoolOr, "kem_or", Helper, Pure)                                    \
  ROW(CountLeadingZeros, "kem_count_leading_zeros", Helper, Pure)        \
  ROW(CountOneBits, "kem_count_one_bits", Helper, Pure)                  \
  ROW(CountTrailingZeros, "kem_count_trailing_zeros", Helper, Pure)      \
  ROW(FirstLeadingBit, "kem_first_leading_bit", Helper, Pure)            \
  ROW(FirstTrailingBit, "kem_first_trailing_bit", Helper, Pure)          \
  ROW(ExtractBits, "kem_extract_bits", Helper, Pure)                     \
  ROW(InsertBits, "kem_insert_bits", Helper, Pure)                       \
  ROW(QuantizeToF16, "kem_quantize_to_f16", Helper, Pure)                \
  ROW(Smoothstep, "kem_smoothstep", Helper, Pure)                        \
  ROW(Pack4x8Snorm, "kem_pack4x8snorm", Helper, Pure)                    \
  ROW(Pack4x8Unorm, "kem_pack4x8unorm", Helper, Pure)                    \
  ROW(Pack2x16Snorm, "kem_pack2x16snorm", Helper, Pure)                  \
  ROW(Pack2x16Unorm, "kem_pack2x16unorm", Helper, Pure)                  \
  ROW(Pack4xI8, "kem_pack4xI8", Helper, Pure)                            \
  ROW(Pack4xU8, "kem_pack4xU8", Helper, Pure)                            \
  ROW(Pack4xI8Clamp, "kem_pack4xI8Clamp", Helper, Pure)                  \
  ROW(Pack4xU8Clamp, "kem_pack4xU8Clamp", Helper, Pure)                  \
  ROW(Unpack4xI8, "kem_unpack4xI8", Helper, Pure)                        \
  ROW(Unpack4xU8, "kem_unpack4xU8", Helper, Pure)                        \
  ROW(Dot4U8Packed, "kem_dot4U8Packed", Helper, Pure)                    \
  ROW(Dot4I8Packed, "kem_dot4I8Packed", Helper, Pure)                    \
  /* Memory and synchronisation. */                                      \
  ROW(AtomicLoad, "atomicLoad", AtomicLoad, Fixed)                       \
  ROW(AtomicStore, "atomicStore", AtomicStore, Fixed)                    \
  ROW(AtomicAdd, "atomicAdd", Function, Fixed)                           \
  ROW(AtomicMax, "atomicMax", Function, Fixed)                           \
  ROW(AtomicMin, "atomicMin", Function, Fixed)                           \
  ROW(AtomicAnd, "atomicAnd", Function, Fixed)                           \
  ROW(AtomicOr, "atomicOr", Function, Fixed)                             \
  ROW(AtomicXor, "atomicXor", Function, Fixed)                           \
  ROW(AtomicExchange, "atomicExchange", Function, Fixed)                 \
  ROW(AtomicCompSwap, "atomicCompSwap", Function, Fixed)                 \
  ROW(WorkgroupBarrier, "barrier", Function, Fixed)                      \
  ROW(StorageBarrier, "kem_storage_barrier", Helper, Fixed)              \
  /* Subgroups. */                                                       \
  ROW(SubgroupAdd, "subgroupAdd", Function, Fixed)                       \
  ROW(SubgroupExclusiveAdd, "subgroupExclusiveAdd", Function, Fixed)     \
  ROW(SubgroupInclusiveAdd, "subgroupInclusiveAdd", Function, Fixed)     \
  ROW(SubgroupAll, "subgroupAll", Function, Fixed)                       \
  ROW(SubgroupAnd, "subgroupAnd", Function, Fixed)                       \
  ROW(SubgroupAny, "subgroupAny", Function, Fixed)                       \
  ROW(SubgroupBallot, "subgroupBallot", Function, Fixed)                 \
  ROW(SubgroupBroadcast, "subgroupBroadcast", Function, Fixed)           \
  ROW(SubgroupBroadcastFirst, "subgroupBroadcastFirst", Function, Fixed) \
  ROW(SubgroupElect, "subgroupElect", Function, Fixed)                   \
  ROW(SubgroupMax, "subgroupMax", Function, Fixed)                       \
  ROW(SubgroupMin, "subgroupMin", Function, Fixed)                       \
  ROW(SubgroupMul, "subgroupMul", Function, Fixed)                       \
  ROW(SubgroupExclusiveMul, "subgroupExclusiveMul", Function, Fixed)     \
  ROW(SubgroupInclusiveMul, "subgroupInclusiveMul", Function, Fixed)     \
  ROW(SubgroupOr, "subgroupOr", Function, Fixed)                         \
  ROW(SubgroupShuffle, "subgroupShuffle", Function, Fixed)               \
  ROW(SubgroupShuffleDown, "subgroupShuffleDown", Function, Fixed)       \
  ROW(SubgroupShuffleUp, "subgroupShuffleUp", Function, Fixed)           \
  ROW(SubgroupShuffleXor, "subgroupShuffleXor", Function, Fixed)         \
  ROW(SubgroupXor, "subgroupXor", Function, Fixed)                       \
  ROW(QuadBroadcast, "subgroupQuadBroadcast", Function, Fixed)           \
  ROW(QuadSwapDiagonal, "subgroupQuadSwapDiagonal", Function, Fixed)     \
  ROW(QuadSwapX, "subgroupQuadSwapHorizontal", Function, Fixed)          \
  ROW(QuadSwapY, "subgroupQuadSwapVertical", Function, Fixed)            \
  /* What the invocation is told. */                                     \
  ROW(WorkgroupId, "gl_WorkGroupID", Value, Pure)                        \
  ROW(LocalInvocationId, "gl_LocalInvocationID", Value, Pure)            \
  ROW(LocalInvocationIndex, "gl_LocalInvocationIndex", Value, Pure)      \
  ROW(DispatchBase, "kem_dispatch.base.xyz", Value, Pure)                \
  ROW(DispatchCount, "kem_dispatch.count.xyz", Value, Pure)              \
  ROW(DispatchZero, "kem_dispatch.base.w", Value, Pure)                  \
  ROW(SubgroupInvocationId, "gl_SubgroupInvocationID", Value, Pure)      \
  ROW(SubgroupSize, "gl_SubgroupSize", Value, Pure)                      \
  ROW(SubgroupId, "gl_SubgroupID", Value, Pure)                          \
  ROW(NumSubgroups, "gl_NumSubgroups", Value, Pure)                      \
  ROW(LoopBudget, "kem_loop_budget", Value, Pure)                        \
  ROW(LoopGroup, "kem_loop_group", Value, Pure)                          \
  /* Module::loop_weights tells what it is. */                           \
  ROW(LoopWeight, "kem_loop_weight_", Numbered, Pure)

enum class Intrinsic : uint16_t {
#define KEM_ROW(id, text, form, effect) id,
  KEM_INTRINSICS(KEM_ROW)
#undef KEM_ROW
};

enum class IntrinsicForm : uint8_t { Function, Helper, Value, Numbered, Ternary, AtomicLoad, AtomicStore };
enum class IntrinsicEffect : uint8_t { Pure, Fixed };

struct IntrinsicRow {
  std::string_view name;  // the enumerator
  std::string_view text;
  IntrinsicForm form;
  IntrinsicEffect effect;
};

inline constexpr IntrinsicRow kIntrinsicRows[] = {
#define KEM_ROW(id, text, form, effect) {#id, text, IntrinsicForm::form, IntrinsicEffect::effect},
    KEM_INTRINSICS(KEM_ROW)
#undef KEM_ROW
};
inline const IntrinsicRow& row(Intrinsic intrinsic) { return kIntrinsicRows[static_cast<size_t>(intrinsic)]; }
inline std::string_view name(Intrinsic intrinsic) { return row(intrinsic).name; }

}  // namespace kem::wgsl::ir
