#include "wgsl/syntax/foreign.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace kem::wgsl {
namespace {

struct Row {
  std::string_view word;
  std::string_view note;
  bool is_type = false;
};

constexpr std::string_view kNo64 = "WGSL has no 64-bit numbers: the widest are 'i32', 'u32' and 'f32'";
constexpr std::string_view kNoSmall = "WGSL has no 8- or 16-bit integers: write 'i32' or 'u32'";
constexpr std::string_view kNoNull = "WGSL has no null: a pointer always points to a variable";
constexpr std::string_view kNoQualifier = "WGSL has no such qualifier: leave it out";
constexpr std::string_view kRemainder = "the remainder is an operator: 'a % b'";
constexpr std::string_view kPrintless = "kernels cannot print: write to a storage buffer";

// clang-format off
constexpr Row kRows[] = {
    {"GroupMemoryBarrierWithGroupSync", "write 'workgroupBarrier'"},
    {"InterlockedAdd", "write 'atomicAdd'"},
    {"NULL", kNoNull},
    {"TRUE", "write 'true'"},
    {"True", "write 'true'"},
    {"FALSE", "write 'false'"},
    {"False", "write 'false'"},
    {"__syncthreads", "write 'workgroupBarrier'"},
    {"and", "write '&&'"},
    {"as", "conversions are written as calls: 'i32(x)'"},
    {"asfloat", "write 'bitcast<f32>'"},
    {"asint", "write 'bitcast<i32>'"},
    {"asuint", "write 'bitcast<u32>'"},
    {"async", "WGSL has no asynchronous functions"},
    {"atomicCompSwap", "write 'atomicCompareExchangeWeak'"},
    {"auto", "write 'let' or 'var' without a type: it is inferred"},
    {"barrier", "write 'workgroupBarrier'"},
    {"blockIdx", "write '@builtin(workgroup_id)' on a parameter of the entry point"},
    {"boolean", "write 'bool'", true},
    {"bvec2", "write 'vec2<bool>'", true},
    {"bvec3", "write 'vec3<bool>'", true},
    {"bvec4", "write 'vec4<bool>'", true},
    {"byte", kNoSmall, true},
    {"char", kNoSmall, true},
    {"class", "write 'struct'"},
    {"ddx", "write 'dpdx'"},
    {"ddy", "write 'dpdy'"},
    {"def", "functions begin with 'fn'"},
    {"define", "there is no preprocessor: write 'const'"},
    {"do", "write 'loop { ... continuing { break if condition; } }'"},
    {"double", kNo64, true},
    {"elif", "write 'else if'"},
    {"enum", "WGSL has no enumerations: write 'const' declarations"},
    {"export", "WGSL has no modules: leave it out"},
    {"extern", kNoQualifier},
    {"f64", kNo64, true},
    {"fabs", "write 'abs'"},
    {"final", kNoQualifier},
    {"float", "write 'f32'", true},
    {"float16_t", "write 'f16'", true},
    {"float2", "write 'vec2f'", true},
    {"float2x2", "write 'mat2x2f'", true},
    {"float3", "write 'vec3f'", true},
    {"float3x3", "write 'mat3x3f'", true},
    {"float4", "write 'vec4f'", true},
    {"float4x4", "write 'mat4x4f'", true},
    {"float64", kNo64, true},
    {"floatBitsToInt", "write 'bitcast<i32>'"},
    {"floatBitsToUint", "write 'bitcast<u32>'"},
    {"fmax", "write 'max'"},
    {"fmin", "write 'min'"},
    {"fmod", kRemainder},
    {"foreach", "loops are written 'for (var i = 0; i < n; i++) { ... }'"},
    {"frac", "write 'fract'"},
    {"func", "functions begin with 'fn'"},
    {"function", "functions begin with 'fn'"},
    {"gl_GlobalInvocationID", "write '@builtin(global_invocation_id)' on a parameter of the entry point"},
    {"gl_LocalInvocationID", "write '@builtin(local_invocation_id)' on a parameter of the entry point"},
    {"gl_LocalInvocationIndex", "write '@builtin(local_invocation_index)' on a parameter of the entry point"},
    {"gl_NumWorkGroups", "write '@builtin(num_workgroups)' on a parameter of the entry point"},
    {"gl_WorkGroupID", "write '@builtin(workgroup_id)' on a parameter of the entry point"},
    {"goto", "WGSL has no 'goto'"},
    {"half", "write 'f16', with 'enable f16;'", true},
    {"half2", "write 'vec2h', with 'enable f16;'", true},
    {"half3", "write 'vec3h', with 'enable f16;'", true},
    {"half4", "write 'vec4h', with 'enable f16;'", true},
    {"i16", kNoSmall, true},
    {"i64", kNo64, true},
    {"i8", kNoSmall, true},
    {"import", "WGSL has no modules: a kernel is one source"},
    {"in", "loops are written 'for (var i = 0; i < n; i++) { ... }'"},
    {"inline", kNoQualifier},
    {"int", "write 'i32'", true},
    {"int2", "write 'vec2i'", true},
    {"int3", "write 'vec3i'", true},
    {"int32_t", "write 'i32'", true},
    {"int4", "write 'vec4i'", true},
    {"int64_t", kNo64, true},
    {"intBitsToFloat", "write 'bitcast<f32>'"},
    {"inversesqrt", "write 'inverseSqrt'"},
    {"ivec2", "write 'vec2i'", true},
    {"ivec3", "write 'vec3i'", true},
    {"ivec4", "write 'vec4i'", true},
    {"layout", "bindings are written '@group(0) @binding(0) var<storage> name: type;'"},
    {"lerp", "write 'mix'"},
    {"long", kNo64, true},
    {"mat2", "write 'mat2x2f'", true},
    {"mat3", "write 'mat3x3f'", true},
    {"mat4", "write 'mat4x4f'", true},
    {"match", "write 'switch'"},
    {"mod", kRemainder},
    {"mul", "products are an operator: 'a * b'"},
    {"mut", "'var' declares what can change, 'let' what cannot"},
    {"namespace", "WGSL has no namespaces"},
    {"new", "WGSL has no allocation: values are constructed as 'Type(...)'"},
    {"nil", kNoNull},
    {"not", "write '!'"},
    {"null", kNoNull},
    {"nullptr", kNoNull},
    {"or", "write '||'"},
    {"print", kPrintless},
    {"printf", kPrintless},
    {"pub", kNoQualifier},
    {"public", kNoQualifier},
    {"rsqrt", "write 'inverseSqrt'"},
    {"shared", "write 'var<workgroup>'"},
    {"short", kNoSmall, true},
    {"sizeof", "WGSL has no 'sizeof': 'arrayLength(&a)' counts the elements of a runtime-sized array"},
    {"static", kNoQualifier},
    {"string", "WGSL has no strings", true},
    {"threadIdx", "write '@builtin(local_invocation_id)' on a parameter of the entry point"},
    {"threadgroup", "write 'var<workgroup>'"},
    {"typedef", "write 'alias'"},
    {"u16", kNoSmall, true},
    {"u64", kNo64, true},
    {"u8", kNoSmall, true},
    {"uint", "write 'u32'", true},
    {"uint16_t", kNoSmall, true},
    {"uint2", "write 'vec2u'", true},
    {"uint3", "write 'vec3u'", true},
    {"uint32_t", "write 'u32'", true},
    {"uint4", "write 'vec4u'", true},
    {"uint64_t", kNo64, true},
    {"uint8_t", kNoSmall, true},
    {"uintBitsToFloat", "write 'bitcast<f32>'"},
    {"unsigned", "write 'u32'", true},
    {"using", "write 'alias'"},
    {"uvec2", "write 'vec2u'", true},
    {"uvec3", "write 'vec3u'", true},
    {"uvec4", "write 'vec4u'", true},
    {"void", "a function without a result has no '->'", true},
};
// clang-format on

// The rows in order of their words, found at compile time.
constexpr auto kSorted = [] {
  std::array<Row, std::size(kRows)> rows{};
  std::copy(std::begin(kRows), std::end(kRows), rows.begin());
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.word < b.word; });
  return rows;
}();

const Row* find(std::string_view word) {
  const auto row = std::lower_bound(kSorted.begin(), kSorted.end(), word,
                                    [](const Row& r, std::string_view w) { return r.word < w; });
  return row != kSorted.end() && row->word == word ? &*row : nullptr;
}

}  // namespace

std::string_view foreign_word(std::string_view word) {
  const Row* row = find(word);
  return row != nullptr ? row->note : std::string_view{};
}

bool is_foreign_type(std::string_view word) {
  const Row* row = find(word);
  return row != nullptr && row->is_type;
}

}  // namespace kem::wgsl
