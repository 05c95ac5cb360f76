#include "wgsl/sem/builtin_table.h"

#include <array>

namespace kem::wgsl::sem {
namespace {

struct Row {
  Builtin builtin;
  uint8_t flags;
  std::string_view signature;
};

constexpr uint8_t kPure = kConst | kMustUse;
constexpr uint8_t kDerivative = kMustUse | kFragment;
constexpr uint8_t kLane = kMustUse | kSubgroup;
using B = Builtin;

// clang-format off
constexpr Row kRows[] = {
    {B::Bitcast, kPure | kSpecial, ""},
    // Logical
    {B::All, kPure, "W<bool> -> bool"},
    {B::Any, kPure, "W<bool> -> bool"},
    {B::Select, kPure, "S:all | W<S>, W<S>, bool -> W<S>"},
    {B::Select, kPure, "S:all | vecN<S>, vecN<S>, vecN<bool> -> vecN<S>"},
    // Array
    {B::ArrayLength, kMustUse | kSpecial, ""},
    {B::BufferView, kMustUse | kSpecial, ""},
    {B::BufferArrayView, kMustUse | kSpecial, ""},
    {B::BufferLength, kMustUse | kSpecial, ""},
    // Numeric
    {B::Abs, kPure, "S:num | W<S> -> W<S>"},
    {B::Acos, kPure, "S:float | W<S> -> W<S>"},
    {B::Acosh, kPure, "S:float | W<S> -> W<S>"},
    {B::Asin, kPure, "S:float | W<S> -> W<S>"},
    {B::Asinh, kPure, "S:float | W<S> -> W<S>"},
    {B::Atan, kPure, "S:float | W<S> -> W<S>"},
    {B::Atanh, kPure, "S:float | W<S> -> W<S>"},
    {B::Atan2, kPure, "S:float | W<S>, W<S> -> W<S>"},
    {B::Ceil, kPure, "S:float | W<S> -> W<S>"},
    {B::Clamp, kPure, "S:num | W<S>, W<S>, W<S> -> W<S>"},
    {B::Cos, kPure, "S:float | W<S> -> W<S>"},
    {B::Cosh, kPure, "S:float | W<S> -> W<S>"},
    {B::CountLeadingZeros, kPure, "S:fint | W<S> -> W<S>"},
    {B::CountOneBits, kPure, "S:fint | W<S> -> W<S>"},
    {B::CountTrailingZeros, kPure, "S:fint | W<S> -> W<S>"},
    {B::Cross, kPure, "S:float | vec3<S>, vec3<S> -> vec3<S>"},
    {B::Degrees, kPure, "S:float | W<S> -> W<S>"},
    {B::Determinant, kPure, "S:float | matCxC<S> -> S"},
    {B::Distance, kPure, "S:float | W<S>, W<S> -> S"},
    {B::Dot, kPure, "S:num | vecN<S>, vecN<S> -> S"},
    {B::Dot4U8Packed, kPure, "u32, u32 -> u32"},
    {B::Dot4I8Packed, kPure, "u32, u32 -> i32"},
    {B::Exp, kPure, "S:float | W<S> -> W<S>"},
    {B::Exp2, kPure, "S:float | W<S> -> W<S>"},
    {B::ExtractBits, kPure, "S:fint | W<S>, u32, u32 -> W<S>"},
    {B::FaceForward, kPure, "S:float | vecN<S>, vecN<S>, vecN<S> -> vecN<S>"},
    {B::FirstLeadingBit, kPure, "S:fint | W<S> -> W<S>"},
    {B::FirstTrailingBit, kPure, "S:fint | W<S> -> W<S>"},
    {B::Floor, kPure, "S:float | W<S> -> W<S>"},
    {B::Fma, kPure, "S:float | W<S>, W<S>, W<S> -> W<S>"},
    {B::Fract, kPure, "S:float | W<S> -> W<S>"},
    {B::Frexp, kPure, "S:float | W<S> -> frexp<W<S>>"},
    {B::InsertBits, kPure, "S:fint | W<S>, W<S>, u32, u32 -> W<S>"},
    {B::InverseSqrt, kPure, "S:float | W<S> -> W<S>"},
    {B::Ldexp, kPure, "S:ff | W<S>, W<i32> -> W<S>"},
    {B::Ldexp, kPure, "W<af>, W<ai> -> W<af>"},
    {B::Length, kPure, "S:float | W<S> -> S"},
    {B::Log, kPure, "S:float | W<S> -> W<S>"},
    {B::Log2, kPure, "S:float | W<S> -> W<S>"},
    {B::Max, kPure, "S:num | W<S>, W<S> -> W<S>"},
    {B::Min, kPure, "S:num | W<S>, W<S> -> W<S>"},
    {B::Mix, kPure, "S:float | W<S>, W<S>, W<S> -> W<S>"},
    {B::Mix, kPure, "S:float | vecN<S>, vecN<S>, S -> vecN<S>"},
    {B::Modf, kPure, "S:float | W<S> -> modf<W<S>>"},
    {B::Normalize, kPure, "S:float | vecN<S> -> vecN<S>"},
    {B::Pow, kPure, "S:float | W<S>, W<S> -> W<S>"},
    {B::QuantizeToF16, kPure, "W<f32> -> W<f32>"},
    {B::Radians, kPure, "S:float | W<S> -> W<S>"},
    {B::Reflect, kPure, "S:float | vecN<S>, vecN<S> -> vecN<S>"},
    {B::Refract, kPure, "S:float | vecN<S>, vecN<S>, S -> vecN<S>"},
    {B::ReverseBits, kPure, "S:fint | W<S> -> W<S>"},
    {B::Round, kPure, "S:float | W<S> -> W<S>"},
    {B::Saturate, kPure, "S:float | W<S> -> W<S>"},
    {B::Sign, kPure, "S:snum | W<S> -> W<S>"},
    {B::Sin, kPure, "S:float | W<S> -> W<S>"},
    {B::Sinh, kPure, "S:float | W<S> -> W<S>"},
    {B::Smoothstep, kPure, "S:float | W<S>, W<S>, W<S> -> W<S>"},
    {B::Sqrt, kPure, "S:float | W<S> -> W<S>"},
    {B::Step, kPure, "S:float | W<S>, W<S> -> W<S>"},
    {B::Tan, kPure, "S:float | W<S> -> W<S>"},
    {B::Tanh, kPure, "S:float | W<S> -> W<S>"},
    {B::Transpose, kPure, "S:float | matRxC<S> -> matCxR<S>"},
    {B::Trunc, kPure, "S:float | W<S> -> W<S>"},
    // Derivative
    {B::Dpdx, kDerivative, "W<f32> -> W<f32>"},
    {B::DpdxCoarse, kDerivative, "W<f32> -> W<f32>"},
    {B::DpdxFine, kDerivative, "W<f32> -> W<f32>"},
    {B::Dpdy, kDerivative, "W<f32> -> W<f32>"},
    {B::DpdyCoarse, kDerivative, "W<f32> -> W<f32>"},
    {B::DpdyFine, kDerivative, "W<f32> -> W<f32>"},
    {B::Fwidth, kDerivative, "W<f32> -> W<f32>"},
    {B::FwidthCoarse, kDerivative, "W<f32> -> W<f32>"},
    {B::FwidthFine, kDerivative, "W<f32> -> W<f32>"},
    // Texture
    {B::TextureDimensions, kMustUse, "T:texel L:fint | texture_1d<T> [, L] -> u32"},
    {B::TextureDimensions, kMustUse, "T:texel | texture_storage_1d<T,*> -> u32"},
    {B::TextureDimensions, kMustUse, "T:texel L:fint | texture_2d<T> [, L] -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "T:texel L:fint | texture_2d_array<T> [, L] -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "T:texel L:fint | texture_cube<T> [, L] -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "T:texel L:fint | texture_cube_array<T> [, L] -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "L:fint | texture_depth_2d [, L] -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "L:fint | texture_depth_2d_array [, L] -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "L:fint | texture_depth_cube [, L] -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "L:fint | texture_depth_cube_array [, L] -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "T:texel | texture_multisampled_2d<T> -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "texture_depth_multisampled_2d -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "T:texel | texture_storage_2d<T,*> -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "T:texel | texture_storage_2d_array<T,*> -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "texture_external -> vec2<u32>"},
    {B::TextureDimensions, kMustUse, "T:texel L:fint | texture_3d<T> [, L] -> vec3<u32>"},
    {B::TextureDimensions, kMustUse, "T:texel | texture_storage_3d<T,*> -> vec3<u32>"},
    {B::TextureGather, kMustUse, "C:fint T:texel | !0..3 C, texture_2d<T>, sampler, vec2<f32> [, !-8..7 vec2<i32>] -> vec4<T>"},
    {B::TextureGather, kMustUse, "C:fint T:texel A:fint | !0..3 C, texture_2d_array<T>, sampler, vec2<f32>, A [, !-8..7 vec2<i32>] -> vec4<T>"},
    {B::TextureGather, kMustUse, "C:fint T:texel | !0..3 C, texture_cube<T>, sampler, vec3<f32> -> vec4<T>"},
    {B::TextureGather, kMustUse, "C:fint T:texel A:fint | !0..3 C, texture_cube_array<T>, sampler, vec3<f32>, A -> vec4<T>"},
    {B::TextureGather, kMustUse, "texture_depth_2d, sampler, vec2<f32> [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureGather, kMustUse, "A:fint | texture_depth_2d_array, sampler, vec2<f32>, A [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureGather, kMustUse, "texture_depth_cube, sampler, vec3<f32> -> vec4<f32>"},
    {B::TextureGather, kMustUse, "A:fint | texture_depth_cube_array, sampler, vec3<f32>, A -> vec4<f32>"},
    {B::TextureGatherCompare, kMustUse, "texture_depth_2d, sampler_comparison, vec2<f32>, f32 [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureGatherCompare, kMustUse, "A:fint | texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32 [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureGatherCompare, kMustUse, "texture_depth_cube, sampler_comparison, vec3<f32>, f32 -> vec4<f32>"},
    {B::TextureGatherCompare, kMustUse, "A:fint | texture_depth_cube_array, sampler_comparison, vec3<f32>, A, f32 -> vec4<f32>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint L:fint | texture_1d<T>, C, L -> vec4<T>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint L:fint | texture_2d<T>, vec2<C>, L -> vec4<T>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint A:fint L:fint | texture_2d_array<T>, vec2<C>, A, L -> vec4<T>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint L:fint | texture_3d<T>, vec3<C>, L -> vec4<T>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint L:fint | texture_multisampled_2d<T>, vec2<C>, L -> vec4<T>"},
    {B::TextureLoad, kMustUse, "C:fint L:fint | texture_depth_2d, vec2<C>, L -> f32"},
    {B::TextureLoad, kMustUse, "C:fint A:fint L:fint | texture_depth_2d_array, vec2<C>, A, L -> f32"},
    {B::TextureLoad, kMustUse, "C:fint L:fint | texture_depth_multisampled_2d, vec2<C>, L -> f32"},
    {B::TextureLoad, kMustUse, "C:fint | texture_external, vec2<C> -> vec4<f32>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint | texture_storage_1d<T,r>, C -> vec4<T>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint | texture_storage_2d<T,r>, vec2<C> -> vec4<T>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint A:fint | texture_storage_2d_array<T,r>, vec2<C>, A -> vec4<T>"},
    {B::TextureLoad, kMustUse, "T:texel C:fint | texture_storage_3d<T,r>, vec3<C> -> vec4<T>"},
    {B::TextureNumLayers, kMustUse, "T:texel | texture_2d_array<T> -> u32"},
    {B::TextureNumLayers, kMustUse, "T:texel | texture_cube_array<T> -> u32"},
    {B::TextureNumLayers, kMustUse, "texture_depth_2d_array -> u32"},
    {B::TextureNumLayers, kMustUse, "texture_depth_cube_array -> u32"},
    {B::TextureNumLayers, kMustUse, "T:texel | texture_storage_2d_array<T,*> -> u32"},
    {B::TextureNumLevels, kMustUse, "T:texel | texture_1d<T> -> u32"},
    {B::TextureNumLevels, kMustUse, "T:texel | texture_2d<T> -> u32"},
    {B::TextureNumLevels, kMustUse, "T:texel | texture_2d_array<T> -> u32"},
    {B::TextureNumLevels, kMustUse, "T:texel | texture_3d<T> -> u32"},
    {B::TextureNumLevels, kMustUse, "T:texel | texture_cube<T> -> u32"},
    {B::TextureNumLevels, kMustUse, "T:texel | texture_cube_array<T> -> u32"},
    {B::TextureNumLevels, kMustUse, "texture_depth_2d -> u32"},
    {B::TextureNumLevels, kMustUse, "texture_depth_2d_array -> u32"},
    {B::TextureNumLevels, kMustUse, "texture_depth_cube -> u32"},
    {B::TextureNumLevels, kMustUse, "texture_depth_cube_array -> u32"},
    {B::TextureNumSamples, kMustUse, "T:texel | texture_multisampled_2d<T> -> u32"},
    {B::TextureNumSamples, kMustUse, "texture_depth_multisampled_2d -> u32"},
    {B::TextureSample, kDerivative, "texture_1d<f32>, sampler, f32 -> vec4<f32>"},
    {B::TextureSample, kDerivative, "texture_2d<f32>, sampler, vec2<f32> [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureSample, kDerivative, "A:fint | texture_2d_array<f32>, sampler, vec2<f32>, A [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureSample, kDerivative, "texture_3d<f32>, sampler, vec3<f32> [, !-8..7 vec3<i32>] -> vec4<f32>"},
    {B::TextureSample, kDerivative, "texture_cube<f32>, sampler, vec3<f32> -> vec4<f32>"},
    {B::TextureSample, kDerivative, "A:fint | texture_cube_array<f32>, sampler, vec3<f32>, A -> vec4<f32>"},
    {B::TextureSample, kDerivative, "texture_depth_2d, sampler, vec2<f32> [, !-8..7 vec2<i32>] -> f32"},
    {B::TextureSample, kDerivative, "A:fint | texture_depth_2d_array, sampler, vec2<f32>, A [, !-8..7 vec2<i32>] -> f32"},
    {B::TextureSample, kDerivative, "texture_depth_cube, sampler, vec3<f32> -> f32"},
    {B::TextureSample, kDerivative, "A:fint | texture_depth_cube_array, sampler, vec3<f32>, A -> f32"},
    {B::TextureSampleBias, kDerivative, "texture_2d<f32>, sampler, vec2<f32>, f32 [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureSampleBias, kDerivative, "A:fint | texture_2d_array<f32>, sampler, vec2<f32>, A, f32 [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureSampleBias, kDerivative, "texture_3d<f32>, sampler, vec3<f32>, f32 [, !-8..7 vec3<i32>] -> vec4<f32>"},
    {B::TextureSampleBias, kDerivative, "texture_cube<f32>, sampler, vec3<f32>, f32 -> vec4<f32>"},
    {B::TextureSampleBias, kDerivative, "A:fint | texture_cube_array<f32>, sampler, vec3<f32>, A, f32 -> vec4<f32>"},
    {B::TextureSampleCompare, kDerivative, "texture_depth_2d, sampler_comparison, vec2<f32>, f32 [, !-8..7 vec2<i32>] -> f32"},
    {B::TextureSampleCompare, kDerivative, "A:fint | texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32 [, !-8..7 vec2<i32>] -> f32"},
    {B::TextureSampleCompare, kDerivative, "texture_depth_cube, sampler_comparison, vec3<f32>, f32 -> f32"},
    {B::TextureSampleCompare, kDerivative, "A:fint | texture_depth_cube_array, sampler_comparison, vec3<f32>, A, f32 -> f32"},
    {B::TextureSampleCompareLevel, kMustUse, "texture_depth_2d, sampler_comparison, vec2<f32>, f32 [, !-8..7 vec2<i32>] -> f32"},
    {B::TextureSampleCompareLevel, kMustUse, "A:fint | texture_depth_2d_array, sampler_comparison, vec2<f32>, A, f32 [, !-8..7 vec2<i32>] -> f32"},
    {B::TextureSampleCompareLevel, kMustUse, "texture_depth_cube, sampler_comparison, vec3<f32>, f32 -> f32"},
    {B::TextureSampleCompareLevel, kMustUse, "A:fint | texture_depth_cube_array, sampler_comparison, vec3<f32>, A, f32 -> f32"},
    {B::TextureSampleGrad, kMustUse, "texture_2d<f32>, sampler, vec2<f32>, vec2<f32>, vec2<f32> [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureSampleGrad, kMustUse, "A:fint | texture_2d_array<f32>, sampler, vec2<f32>, A, vec2<f32>, vec2<f32> [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureSampleGrad, kMustUse, "texture_3d<f32>, sampler, vec3<f32>, vec3<f32>, vec3<f32> [, !-8..7 vec3<i32>] -> vec4<f32>"},
    {B::TextureSampleGrad, kMustUse, "texture_cube<f32>, sampler, vec3<f32>, vec3<f32>, vec3<f32> -> vec4<f32>"},
    {B::TextureSampleGrad, kMustUse, "A:fint | texture_cube_array<f32>, sampler, vec3<f32>, A, vec3<f32>, vec3<f32> -> vec4<f32>"},
    {B::TextureSampleLevel, kMustUse, "texture_1d<f32>, sampler, f32, f32 -> vec4<f32>"},
    {B::TextureSampleLevel, kMustUse, "texture_2d<f32>, sampler, vec2<f32>, f32 [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureSampleLevel, kMustUse, "A:fint | texture_2d_array<f32>, sampler, vec2<f32>, A, f32 [, !-8..7 vec2<i32>] -> vec4<f32>"},
    {B::TextureSampleLevel, kMustUse, "texture_3d<f32>, sampler, vec3<f32>, f32 [, !-8..7 vec3<i32>] -> vec4<f32>"},
    {B::TextureSampleLevel, kMustUse, "texture_cube<f32>, sampler, vec3<f32>, f32 -> vec4<f32>"},
    {B::TextureSampleLevel, kMustUse, "A:fint | texture_cube_array<f32>, sampler, vec3<f32>, A, f32 -> vec4<f32>"},
    {B::TextureSampleLevel, kMustUse, "L:fint | texture_depth_2d, sampler, vec2<f32>, L [, !-8..7 vec2<i32>] -> f32"},
    {B::TextureSampleLevel, kMustUse, "A:fint L:fint | texture_depth_2d_array, sampler, vec2<f32>, A, L [, !-8..7 vec2<i32>] -> f32"},
    {B::TextureSampleLevel, kMustUse, "L:fint | texture_depth_cube, sampler, vec3<f32>, L -> f32"},
    {B::TextureSampleLevel, kMustUse, "A:fint L:fint | texture_depth_cube_array, sampler, vec3<f32>, A, L -> f32"},
    {B::TextureSampleBaseClampToEdge, kMustUse, "texture_external, sampler, vec2<f32> -> vec4<f32>"},
    {B::TextureSampleBaseClampToEdge, kMustUse, "texture_2d<f32>, sampler, vec2<f32> -> vec4<f32>"},
    {B::TextureStore, 0, "T:texel C:fint | texture_storage_1d<T,w>, C, vec4<T>"},
    {B::TextureStore, 0, "T:texel C:fint | texture_storage_2d<T,w>, vec2<C>, vec4<T>"},
    {B::TextureStore, 0, "T:texel C:fint A:fint | texture_storage_2d_array<T,w>, vec2<C>, A, vec4<T>"},
    {B::TextureStore, 0, "T:texel C:fint | texture_storage_3d<T,w>, vec3<C>, vec4<T>"},
    // Atomic
    {B::AtomicLoad, 0, "S:fint | atomicptr<S> -> S"},
    {B::AtomicStore, 0, "S:fint | atomicptr<S>, S"},
    {B::AtomicAdd, 0, "S:fint | atomicptr<S>, S -> S"},
    {B::AtomicSub, 0, "S:fint | atomicptr<S>, S -> S"},
    {B::AtomicMax, 0, "S:fint | atomicptr<S>, S -> S"},
    {B::AtomicMin, 0, "S:fint | atomicptr<S>, S -> S"},
    {B::AtomicAnd, 0, "S:fint | atomicptr<S>, S -> S"},
    {B::AtomicOr, 0, "S:fint | atomicptr<S>, S -> S"},
    {B::AtomicXor, 0, "S:fint | atomicptr<S>, S -> S"},
    {B::AtomicExchange, 0, "S:fint | atomicptr<S>, S -> S"},
    {B::AtomicCompareExchangeWeak, 0, "S:fint | atomicptr<S>, S, S -> exchange<S>"},
    // Data packing
    {B::Pack4x8snorm, kPure, "vec4<f32> -> u32"},
    {B::Pack4x8unorm, kPure, "vec4<f32> -> u32"},
    {B::Pack4xI8, kPure, "vec4<i32> -> u32"},
    {B::Pack4xU8, kPure, "vec4<u32> -> u32"},
    {B::Pack4xI8Clamp, kPure, "vec4<i32> -> u32"},
    {B::Pack4xU8Clamp, kPure, "vec4<u32> -> u32"},
    {B::Pack2x16snorm, kPure, "vec2<f32> -> u32"},
    {B::Pack2x16unorm, kPure, "vec2<f32> -> u32"},
    {B::Pack2x16float, kPure, "vec2<f32> -> u32"},
    {B::Unpack4x8snorm, kPure, "u32 -> vec4<f32>"},
    {B::Unpack4x8unorm, kPure, "u32 -> vec4<f32>"},
    {B::Unpack4xI8, kPure, "u32 -> vec4<i32>"},
    {B::Unpack4xU8, kPure, "u32 -> vec4<u32>"},
    {B::Unpack2x16snorm, kPure, "u32 -> vec2<f32>"},
    {B::Unpack2x16unorm, kPure, "u32 -> vec2<f32>"},
    {B::Unpack2x16float, kPure, "u32 -> vec2<f32>"},
    // Synchronization
    {B::StorageBarrier, kCompute, " "},
    {B::TextureBarrier, kCompute, " "},
    {B::WorkgroupBarrier, kCompute, " "},
    {B::WorkgroupUniformLoad, kMustUse | kCompute | kSpecial, ""},
    // Subgroup and quad
    {B::SubgroupAdd, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupExclusiveAdd, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupInclusiveAdd, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupAll, kLane, "bool -> bool"},
    {B::SubgroupAnd, kLane, "S:fint | W<S> -> W<S>"},
    {B::SubgroupAny, kLane, "bool -> bool"},
    {B::SubgroupBallot, kLane, "bool -> vec4<u32>"},
    {B::SubgroupBroadcast, kLane, "S:fnum I:fint | W<S>, !0..127 I -> W<S>"},
    {B::SubgroupBroadcastFirst, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupElect, kLane, "-> bool"},
    {B::SubgroupMax, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupMin, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupMul, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupExclusiveMul, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupInclusiveMul, kLane, "S:fnum | W<S> -> W<S>"},
    {B::SubgroupOr, kLane, "S:fint | W<S> -> W<S>"},
    {B::SubgroupShuffle, kLane, "S:fnum I:fint | W<S>, ?0..127 I -> W<S>"},
    {B::SubgroupShuffleDown, kLane, "S:fnum | W<S>, ?0..127 u32 -> W<S>"},
    {B::SubgroupShuffleUp, kLane, "S:fnum | W<S>, ?0..127 u32 -> W<S>"},
    {B::SubgroupShuffleXor, kLane, "S:fnum | W<S>, ?0..127 u32 -> W<S>"},
    {B::SubgroupXor, kLane, "S:fint | W<S> -> W<S>"},
    {B::QuadBroadcast, kLane, "S:fnum I:fint | W<S>, !0..3 I -> W<S>"},
    {B::QuadSwapDiagonal, kLane, "S:fnum | W<S> -> W<S>"},
    {B::QuadSwapX, kLane, "S:fnum | W<S> -> W<S>"},
    {B::QuadSwapY, kLane, "S:fnum | W<S> -> W<S>"},
};

struct UnaryRow {
  ast::UnaryOp op;
  std::string_view spelling;
  std::string_view signature;
};
constexpr UnaryRow kUnary[] = {
    {ast::UnaryOp::Negate, "-", "S:snum | W<S> -> W<S>"},
    {ast::UnaryOp::Not, "!", "W<bool> -> W<bool>"},
    {ast::UnaryOp::Complement, "~", "S:int | W<S> -> W<S>"},
    {ast::UnaryOp::Indirection, "*", ""},
    {ast::UnaryOp::AddressOf, "&", ""},
};

struct BinaryRow {
  ast::BinaryOp op;
  std::string_view spelling;
  std::array<std::string_view, 8> signatures;
};
using O = ast::BinaryOp;
constexpr std::string_view kSame = "S:num | W<S>, W<S> -> W<S>";
constexpr std::string_view kVectorScalar = "S:num | vecN<S>, S -> vecN<S>";
constexpr std::string_view kScalarVector = "S:num | S, vecN<S> -> vecN<S>";
constexpr std::string_view kSameMatrix = "S:float | matCxR<S>, matCxR<S> -> matCxR<S>";
constexpr std::string_view kBits = "S:int | W<S>, W<S> -> W<S>";
constexpr std::string_view kBools = "W<bool>, W<bool> -> W<bool>";
constexpr std::string_view kShift = "S:int | W<S>, W<u32> -> W<S>";
constexpr std::string_view kEquality = "S:all | W<S>, W<S> -> W<bool>";
constexpr std::string_view kOrder = "S:num | W<S>, W<S> -> W<bool>";
constexpr BinaryRow kBinary[] = {
    {O::Add, "+", {kSame, kVectorScalar, kScalarVector, kSameMatrix}},
    {O::Subtract, "-", {kSame, kVectorScalar, kScalarVector, kSameMatrix}},
    {O::Multiply, "*", {kSame, kVectorScalar, kScalarVector, "S:float | matCxR<S>, S -> matCxR<S>",
                        "S:float | S, matCxR<S> -> matCxR<S>", "S:float | matCxR<S>, vecC<S> -> vecR<S>",
                        "S:float | vecR<S>, matCxR<S> -> vecC<S>", "S:float | matKxR<S>, matCxK<S> -> matCxR<S>"}},
    {O::Divide, "/", {kSame, kVectorScalar, kScalarVector}},
    {O::Remainder, "%", {kSame, kVectorScalar, kScalarVector}},
    {O::And, "&", {kBits, kBools}},
    {O::Or, "|", {kBits, kBools}},
    {O::Xor, "^", {kBits}},
    {O::ShiftLeft, "<<", {kShift}},
    {O::ShiftRight, ">>", {kShift}},
    {O::LogicalAnd, "&&", {"bool, bool -> bool"}},
    {O::LogicalOr, "||", {"bool, bool -> bool"}},
    {O::Equal, "==", {kEquality}},
    {O::NotEqual, "!=", {kEquality}},
    {O::Less, "<", {kOrder}},
    {O::LessEqual, "<=", {kOrder}},
    {O::Greater, ">", {kOrder}},
    {O::GreaterEqual, ">=", {kOrder}},
};
// clang-format on

void append(std::vector<Overload>& overloads, std::string_view name, std::string_view row) {
  if (row.empty()) return;
  for (Overload& overload : parse_overloads(name, row)) overloads.push_back(std::move(overload));
}

struct Signatures {
  std::vector<BuiltinSignature> builtins;
  std::vector<std::vector<Overload>> unary, binary;

  Signatures() : builtins(std::size(kRows)), unary(std::size(kUnary)), binary(std::size(kBinary)) {
    for (const Row& row : kRows) {
      BuiltinSignature& entry = builtins[static_cast<size_t>(row.builtin)];
      entry.flags = row.flags;
      append(entry.overloads, name(row.builtin), row.signature);
    }
    for (const UnaryRow& row : kUnary) append(unary[static_cast<size_t>(row.op)], row.spelling, row.signature);
    for (const BinaryRow& row : kBinary)
      for (const std::string_view text : row.signatures)
        append(binary[static_cast<size_t>(row.op)], row.spelling, text);
  }
};

const Signatures& signatures() {
  static const Signatures all;
  return all;
}

}  // namespace

const BuiltinSignature& signature(Builtin builtin) { return signatures().builtins[static_cast<size_t>(builtin)]; }
std::span<const Overload> signature(ast::UnaryOp op) { return signatures().unary[static_cast<size_t>(op)]; }
std::span<const Overload> signature(ast::BinaryOp op) { return signatures().binary[static_cast<size_t>(op)]; }

std::string_view spelling(ast::UnaryOp op) { return kUnary[static_cast<size_t>(op)].spelling; }
std::string_view spelling(ast::BinaryOp op) { return kBinary[static_cast<size_t>(op)].spelling; }

}  // namespace kem::wgsl::sem
