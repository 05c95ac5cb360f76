#include "wgsl/glsl/helpers.h"

namespace kem::wgsl::glsl {
namespace {

using ir::Intrinsic;
using sem::TypeKind;

// A function of scalars, applied component-wise to vectors. Types are letters: b bool, i int, u uint, f float,
// h float16_t; a capital letter's parameter is a vector in the vector forms. The result is always component-wise.
// Parameters are a, b, c, d.
struct ComponentRow {
  Intrinsic intrinsic;
  TypeKind operand;  // scalar of the first operand
  char result;
  const char* parameters;
  const char* body;
};

// A function whose one definition is written out.
struct FixedRow {
  Intrinsic intrinsic;
  const char* definition;
};

constexpr const char* kMinI32 = "(-2147483647 - 1)";

// `MIN` stands for the smallest int. Every division's divisor is replaced before the division, so that none is
// undefined; both operands of a conditional may be evaluated.
constexpr ComponentRow kComponentRows[] = {
    {Intrinsic::Divide, TypeKind::I32, 'i', "II", "return a / (b == 0 || (a == MIN && b == -1) ? 1 : b);"},
    {Intrinsic::Divide, TypeKind::U32, 'u', "UU", "return a / (b == 0u ? 1u : b);"},
    {Intrinsic::Remainder, TypeKind::I32, 'i', "II",
     "int d = b == 0 || (a == MIN && b == -1) ? 1 : b;\n  return a - a / d * d;"},
    {Intrinsic::Remainder, TypeKind::U32, 'u', "UU", "return a % (b == 0u ? 1u : b);"},
    {Intrinsic::Remainder, TypeKind::F32, 'f', "FF", "return a - b * trunc(a / b);"},
    {Intrinsic::Remainder, TypeKind::F16, 'h', "HH", "return a - b * trunc(a / b);"},
    {Intrinsic::ToI32, TypeKind::F32, 'i', "F", "return int(min(max(a, -2147483648.0), 2147483520.0));"},
    {Intrinsic::ToI32, TypeKind::F16, 'i', "H", "return int(min(max(float(a), -65504.0), 65504.0));"},
    {Intrinsic::ToU32, TypeKind::F32, 'u', "F", "return uint(min(max(a, 0.0), 4294967040.0));"},
    {Intrinsic::ToU32, TypeKind::F16, 'u', "H", "return uint(min(max(float(a), 0.0), 65504.0));"},
    {Intrinsic::BoolAnd, TypeKind::Bool, 'b', "BB", "return a && b;"},
    {Intrinsic::BoolOr, TypeKind::Bool, 'b', "BB", "return a || b;"},
    {Intrinsic::CountLeadingZeros, TypeKind::I32, 'i', "I", "return 31 - findMSB(uint(a));"},
    {Intrinsic::CountLeadingZeros, TypeKind::U32, 'u', "U", "return uint(31 - findMSB(a));"},
    {Intrinsic::CountOneBits, TypeKind::I32, 'i', "I", "return bitCount(a);"},
    {Intrinsic::CountOneBits, TypeKind::U32, 'u', "U", "return uint(bitCount(a));"},
    {Intrinsic::CountTrailingZeros, TypeKind::I32, 'i', "I", "return a == 0 ? 32 : findLSB(a);"},
    {Intrinsic::CountTrailingZeros, TypeKind::U32, 'u', "U", "return a == 0u ? 32u : uint(findLSB(a));"},
    {Intrinsic::FirstLeadingBit, TypeKind::I32, 'i', "I", "return findMSB(a);"},
    {Intrinsic::FirstLeadingBit, TypeKind::U32, 'u', "U", "return uint(findMSB(a));"},
    {Intrinsic::FirstTrailingBit, TypeKind::I32, 'i', "I", "return findLSB(a);"},
    {Intrinsic::FirstTrailingBit, TypeKind::U32, 'u', "U", "return uint(findLSB(a));"},
    {Intrinsic::ExtractBits, TypeKind::I32, 'i', "Iuu",
     "uint o = min(b, 32u);\n  uint n = min(c, 32u - o);\n"
     "  return n == 0u ? 0 : bitfieldExtract(a, int(min(o, 31u)), int(n));"},
    {Intrinsic::ExtractBits, TypeKind::U32, 'u', "Uuu",
     "uint o = min(b, 32u);\n  uint n = min(c, 32u - o);\n"
     "  return n == 0u ? 0u : bitfieldExtract(a, int(min(o, 31u)), int(n));"},
    {Intrinsic::InsertBits, TypeKind::I32, 'i', "IIuu",
     "uint o = min(c, 32u);\n  uint n = min(d, 32u - o);\n"
     "  return n == 0u ? a : bitfieldInsert(a, b, int(min(o, 31u)), int(n));"},
    {Intrinsic::InsertBits, TypeKind::U32, 'u', "UUuu",
     "uint o = min(c, 32u);\n  uint n = min(d, 32u - o);\n"
     "  return n == 0u ? a : bitfieldInsert(a, b, int(min(o, 31u)), int(n));"},
    {Intrinsic::QuantizeToF16, TypeKind::F32, 'f', "F", "return unpackHalf2x16(packHalf2x16(vec2(a, 0.0))).x;"},
    {Intrinsic::Smoothstep, TypeKind::F32, 'f', "FFF",
     "float t = min(max((c - a) / (b - a), 0.0), 1.0);\n  return t * t * (3.0 - 2.0 * t);"},
    {Intrinsic::Smoothstep, TypeKind::F16, 'h', "HHH",
     "float16_t t = min(max((c - a) / (b - a), 0.0hf), 1.0hf);\n  return t * t * (3.0hf - 2.0hf * t);"},
};

constexpr FixedRow kFixedRows[] = {
    {Intrinsic::Pack4x8Snorm,
     "uint kem_pack4x8snorm(const vec4 a) {\n"
     "  uvec4 b = uvec4(ivec4(floor(0.5 + 127.0 * min(max(a, -1.0), 1.0)))) & 255u;\n"
     "  return b.x | b.y << 8 | b.z << 16 | b.w << 24;\n}\n"},
    {Intrinsic::Pack4x8Unorm,
     "uint kem_pack4x8unorm(const vec4 a) {\n"
     "  uvec4 b = uvec4(floor(0.5 + 255.0 * min(max(a, 0.0), 1.0)));\n"
     "  return b.x | b.y << 8 | b.z << 16 | b.w << 24;\n}\n"},
    {Intrinsic::Pack2x16Snorm,
     "uint kem_pack2x16snorm(const vec2 a) {\n"
     "  uvec2 b = uvec2(ivec2(floor(0.5 + 32767.0 * min(max(a, -1.0), 1.0)))) & 65535u;\n"
     "  return b.x | b.y << 16;\n}\n"},
    {Intrinsic::Pack2x16Unorm,
     "uint kem_pack2x16unorm(const vec2 a) {\n"
     "  uvec2 b = uvec2(floor(0.5 + 65535.0 * min(max(a, 0.0), 1.0)));\n"
     "  return b.x | b.y << 16;\n}\n"},
    {Intrinsic::Pack4xI8,
     "uint kem_pack4xI8(const ivec4 a) {\n"
     "  uvec4 b = uvec4(a) & 255u;\n  return b.x | b.y << 8 | b.z << 16 | b.w << 24;\n}\n"},
    {Intrinsic::Pack4xU8,
     "uint kem_pack4xU8(const uvec4 a) {\n"
     "  uvec4 b = a & 255u;\n  return b.x | b.y << 8 | b.z << 16 | b.w << 24;\n}\n"},
    {Intrinsic::Pack4xI8Clamp,
     "uint kem_pack4xI8Clamp(const ivec4 a) {\n"
     "  uvec4 b = uvec4(min(max(a, -128), 127)) & 255u;\n  return b.x | b.y << 8 | b.z << 16 | b.w << 24;\n}\n"},
    {Intrinsic::Pack4xU8Clamp,
     "uint kem_pack4xU8Clamp(const uvec4 a) {\n"
     "  uvec4 b = min(a, 255u);\n  return b.x | b.y << 8 | b.z << 16 | b.w << 24;\n}\n"},
    {Intrinsic::Unpack4xI8,
     "ivec4 kem_unpack4xI8(const uint a) { return ivec4(uvec4(a << 24, a << 16, a << 8, a)) >> 24; }\n"},
    {Intrinsic::Unpack4xU8,
     "uvec4 kem_unpack4xU8(const uint a) { return uvec4(a, a >> 8, a >> 16, a >> 24) & 255u; }\n"},
    {Intrinsic::Dot4U8Packed,
     "uint kem_dot4U8Packed(const uint a, const uint b) {\n"
     "  uvec4 p = (uvec4(a, a >> 8, a >> 16, a >> 24) & 255u) * (uvec4(b, b >> 8, b >> 16, b >> 24) & 255u);\n"
     "  return p.x + p.y + p.z + p.w;\n}\n"},
    {Intrinsic::Dot4I8Packed,
     "int kem_dot4I8Packed(const uint a, const uint b) {\n"
     "  ivec4 p = (ivec4(uvec4(a << 24, a << 16, a << 8, a)) >> 24) *\n"
     "            (ivec4(uvec4(b << 24, b << 16, b << 8, b)) >> 24);\n"
     "  return p.x + p.y + p.z + p.w;\n}\n"},
    {Intrinsic::StorageBarrier,
     "void kem_storage_barrier() {\n"
     "  controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);\n"
     "}\n"},
};

std::string type_text(char letter, uint32_t width) {
  const bool vector = letter >= 'A' && letter <= 'Z' && width > 1;
  switch (letter | 0x20) {
    case 'b':
      return vector ? "bvec" + std::to_string(width) : "bool";
    case 'i':
      return vector ? "ivec" + std::to_string(width) : "int";
    case 'u':
      return vector ? "uvec" + std::to_string(width) : "uint";
    case 'f':
      return vector ? "vec" + std::to_string(width) : "float";
    default:
      return vector ? "f16vec" + std::to_string(width) : "float16_t";
  }
}

std::string signature(const ComponentRow& r, uint32_t width) {
  std::string text = type_text(static_cast<char>(r.result & ~0x20), width) + " " + std::string(row(r.intrinsic).text);
  for (size_t k = 0; r.parameters[k] != '\0'; ++k) {
    text += (k == 0 ? "(const " : ", const ") + type_text(r.parameters[k], width) + " " + static_cast<char>('a' + k);
  }
  return text + ")";
}

std::string scalar_definition(const ComponentRow& r) {
  std::string body = r.body;
  for (size_t at = body.find("MIN"); at != std::string::npos; at = body.find("MIN", at + 1)) {
    body.replace(at, 3, kMinI32);
  }
  return signature(r, 1) + " {\n  " + body + "\n}\n";
}

std::string vector_definition(const ComponentRow& r, uint32_t width) {
  std::string text = signature(r, width) + " {\n  return " + type_text(static_cast<char>(r.result & ~0x20), width);
  for (uint32_t c = 0; c < width; ++c) {
    text += (c == 0 ? "(" : ", ") + std::string(row(r.intrinsic).text);
    for (size_t k = 0; r.parameters[k] != '\0'; ++k) {
      text += (k == 0 ? "(" : ", ") + std::string(1, static_cast<char>('a' + k));
      if (r.parameters[k] < 'a') text += std::string(".") + "xyzw"[c];
    }
    text += ")";
  }
  return text + ");\n}\n";
}

bool is_component_wise(Intrinsic intrinsic) {
  for (const FixedRow& r : kFixedRows) {
    if (r.intrinsic == intrinsic) return false;
  }
  return true;
}

}  // namespace

void Helpers::use(Intrinsic intrinsic, const sem::Type* type) {
  if (!is_component_wise(intrinsic)) {
    used_.insert({intrinsic, TypeKind::Void, 1});
    return;
  }
  const TypeKind scalar = sem::scalar_of(type)->kind;
  used_.insert({intrinsic, scalar, 1});
  used_.insert({intrinsic, scalar, sem::width_of(type)});
}

std::string Helpers::definitions() const {
  std::string text;
  for (const Key& key : used_) {
    for (const FixedRow& r : kFixedRows) {
      if (r.intrinsic == key.intrinsic) text += r.definition;
    }
    for (const ComponentRow& r : kComponentRows) {
      if (r.intrinsic != key.intrinsic || r.operand != key.scalar) continue;
      text += key.width == 1 ? scalar_definition(r) : vector_definition(r, key.width);
    }
  }
  return text;
}

}  // namespace kem::wgsl::glsl
