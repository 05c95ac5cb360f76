// The predeclared names (spec "Predeclared Types and Type-Generators Summary", "Predeclared enumerants").
#include <algorithm>

#include "wgsl/sem/scope.h"

namespace kem::wgsl::sem {
namespace {

struct ScalarRow {
  std::string_view name;
  TypeKind kind;
};
constexpr ScalarRow kScalars[] = {{"bool", TypeKind::Bool},
                                  {"i32", TypeKind::I32},
                                  {"u32", TypeKind::U32},
                                  {"f32", TypeKind::F32},
                                  {"f16", TypeKind::F16}};

// The letter that ends an alias such as vec3f or mat2x4h.
constexpr std::pair<char, TypeKind> kSuffixes[] = {
    {'i', TypeKind::I32}, {'u', TypeKind::U32}, {'f', TypeKind::F32}, {'h', TypeKind::F16}};

struct GeneratorRow {
  std::string_view name;
  Generator generator;
};
using GK = Generator::Kind;
using TK = TextureKind;
using TD = TextureDimension;
constexpr GeneratorRow kGenerators[] = {
    {"array", {GK::Array}},
    {"atomic", {GK::Atomic}},
    {"buffer", {GK::Buffer}},
    {"ptr", {GK::Pointer}},
    {"texture_1d", {GK::Texture, 0, 0, TK::Sampled, TD::D1}},
    {"texture_2d", {GK::Texture, 0, 0, TK::Sampled, TD::D2}},
    {"texture_2d_array", {GK::Texture, 0, 0, TK::Sampled, TD::D2Array}},
    {"texture_3d", {GK::Texture, 0, 0, TK::Sampled, TD::D3}},
    {"texture_cube", {GK::Texture, 0, 0, TK::Sampled, TD::Cube}},
    {"texture_cube_array", {GK::Texture, 0, 0, TK::Sampled, TD::CubeArray}},
    {"texture_multisampled_2d", {GK::Texture, 0, 0, TK::Multisampled, TD::D2}},
    {"texture_storage_1d", {GK::Texture, 0, 0, TK::Storage, TD::D1}},
    {"texture_storage_2d", {GK::Texture, 0, 0, TK::Storage, TD::D2}},
    {"texture_storage_2d_array", {GK::Texture, 0, 0, TK::Storage, TD::D2Array}},
    {"texture_storage_3d", {GK::Texture, 0, 0, TK::Storage, TD::D3}},
};

struct TextureRow {
  std::string_view name;
  TextureKind kind;
  TextureDimension dimension;
};
constexpr TextureRow kTextures[] = {
    {"texture_depth_2d", TK::Depth, TD::D2},
    {"texture_depth_2d_array", TK::Depth, TD::D2Array},
    {"texture_depth_cube", TK::Depth, TD::Cube},
    {"texture_depth_cube_array", TK::Depth, TD::CubeArray},
    {"texture_depth_multisampled_2d", TK::DepthMultisampled, TD::D2},
    {"texture_external", TK::External, TD::D2},
};

constexpr std::pair<std::string_view, AddressSpace> kSpaces[] = {
    {"function", AddressSpace::Function}, {"private", AddressSpace::Private}, {"workgroup", AddressSpace::Workgroup},
    {"uniform", AddressSpace::Uniform},   {"storage", AddressSpace::Storage}, {"immediate", AddressSpace::Immediate}};
constexpr std::pair<std::string_view, AccessMode> kModes[] = {
    {"read", AccessMode::Read}, {"write", AccessMode::Write}, {"read_write", AccessMode::ReadWrite}};

struct FormatRow {
  std::string_view name;
  TypeKind channel;
  bool tier1 = false;  // needs language feature texture_formats_tier1
};
constexpr FormatRow kFormats[] = {
    {"rgba8unorm", TypeKind::F32},        {"rgba8snorm", TypeKind::F32},
    {"rgba8uint", TypeKind::U32},         {"rgba8sint", TypeKind::I32},
    {"rgba16unorm", TypeKind::F32, true}, {"rgba16snorm", TypeKind::F32, true},
    {"rgba16uint", TypeKind::U32},        {"rgba16sint", TypeKind::I32},
    {"rgba16float", TypeKind::F32},       {"rg8unorm", TypeKind::F32, true},
    {"rg8snorm", TypeKind::F32, true},    {"rg8uint", TypeKind::U32, true},
    {"rg8sint", TypeKind::I32, true},     {"rg16unorm", TypeKind::F32, true},
    {"rg16snorm", TypeKind::F32, true},   {"rg16uint", TypeKind::U32, true},
    {"rg16sint", TypeKind::I32, true},    {"rg16float", TypeKind::F32, true},
    {"r32uint", TypeKind::U32},           {"r32sint", TypeKind::I32},
    {"r32float", TypeKind::F32},          {"rg32uint", TypeKind::U32},
    {"rg32sint", TypeKind::I32},          {"rg32float", TypeKind::F32},
    {"rgba32uint", TypeKind::U32},        {"rgba32sint", TypeKind::I32},
    {"rgba32float", TypeKind::F32},       {"bgra8unorm", TypeKind::F32},
    {"r8unorm", TypeKind::F32, true},     {"r8snorm", TypeKind::F32, true},
    {"r8uint", TypeKind::U32, true},      {"r8sint", TypeKind::I32, true},
    {"r16unorm", TypeKind::F32, true},    {"r16snorm", TypeKind::F32, true},
    {"r16uint", TypeKind::U32, true},     {"r16sint", TypeKind::I32, true},
    {"r16float", TypeKind::F32, true},    {"rgb10a2unorm", TypeKind::F32, true},
    {"rgb10a2uint", TypeKind::U32, true}, {"rg11b10ufloat", TypeKind::F32, true},
};

const Type* scalar(const TypeTable& types, TypeKind kind) {
  switch (kind) {
    case TypeKind::Bool:
      return types.bool_type();
    case TypeKind::I32:
      return types.i32();
    case TypeKind::U32:
      return types.u32();
    case TypeKind::F16:
      return types.f16();
    default:
      return types.f32();
  }
}

bool is_size(char c) { return c >= '2' && c <= '4'; }

// vecN, matCxR and their aliases with a suffix.
std::optional<Entity> find_shape(TypeTable& types, std::string_view name) {
  uint8_t columns = 1, rows = 0;
  if (name.size() >= 4 && name.starts_with("vec") && is_size(name[3])) {
    rows = static_cast<uint8_t>(name[3] - '0');
    name.remove_prefix(4);
  } else if (name.size() >= 6 && name.starts_with("mat") && is_size(name[3]) && name[4] == 'x' && is_size(name[5])) {
    columns = static_cast<uint8_t>(name[3] - '0');
    rows = static_cast<uint8_t>(name[5] - '0');
    name.remove_prefix(6);
  } else {
    return std::nullopt;
  }
  if (name.empty()) {
    Entity entity;
    entity.kind = Entity::Kind::Generator;
    entity.generator = {columns == 1 ? GK::Vector : GK::Matrix, columns, rows};
    return entity;
  }
  if (name.size() != 1) return std::nullopt;
  for (const auto& [letter, kind] : kSuffixes) {
    if (name[0] != letter) continue;
    const Type* element = scalar(types, kind);
    if (columns == 1) return Entity::of(types.vec(element, rows), std::nullopt);
    if (element->is_float_scalar()) return Entity::of(types.mat(element, columns, rows), std::nullopt);
  }
  return std::nullopt;
}

const FormatRow* find_format(std::string_view name) {
  const auto it =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const auto& row) { return row.name == name; });
  return it == std::end(kFormats) ? nullptr : it;
}

std::optional<Entity> find_type(TypeTable& types, std::string_view name) {
  for (const auto& row : kScalars)
    if (row.name == name) return Entity::of(scalar(types, row.kind), std::nullopt);
  for (const auto& row : kTextures)
    if (row.name == name)
      return Entity::of(types.texture(row.kind, row.dimension, nullptr, "", AccessMode::Read), std::nullopt);
  if (name == "sampler") return Entity::of(types.sampler(false), std::nullopt);
  if (name == "sampler_comparison") return Entity::of(types.sampler(true), std::nullopt);
  return std::nullopt;
}

std::optional<Entity> find_enumerant(std::string_view name) {
  Entity entity;
  for (const auto& [spelling, space] : kSpaces) {
    if (spelling != name) continue;
    entity.kind = Entity::Kind::AddressSpace;
    entity.space = space;
    return entity;
  }
  for (const auto& [spelling, access] : kModes) {
    if (spelling != name) continue;
    entity.kind = Entity::Kind::AccessMode;
    entity.access = access;
    return entity;
  }
  if (const FormatRow* row = find_format(name)) {
    entity.kind = Entity::Kind::TexelFormat;
    entity.format = row->name;
    return entity;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Entity> find_predeclared(TypeTable& types, std::string_view name) {
  if (auto entity = find_type(types, name)) return entity;
  if (auto entity = find_shape(types, name)) return entity;
  for (const auto& row : kGenerators) {
    if (row.name != name) continue;
    Entity entity;
    entity.kind = Entity::Kind::Generator;
    entity.generator = row.generator;
    return entity;
  }
  if (const auto builtin = find_builtin(name)) {
    Entity entity;
    entity.kind = Entity::Kind::Builtin;
    entity.builtin = *builtin;
    return entity;
  }
  return find_enumerant(name);
}

std::vector<std::string_view> predeclared_names() {
  std::vector<std::string_view> names;
  for (const auto& row : kScalars) names.push_back(row.name);
  for (const auto& row : kTextures) names.push_back(row.name);
  for (const auto& row : kGenerators) names.push_back(row.name);
  for (const auto& row : kFormats) names.push_back(row.name);
  for (const auto& row : kSpaces) names.push_back(row.first);
  for (const auto& row : kModes) names.push_back(row.first);
  for (const std::string_view name : {"sampler", "sampler_comparison",
                                      "vec2",    "vec3",
                                      "vec4",    "vec2f",
                                      "vec3f",   "vec4f",
                                      "vec2i",   "vec3i",
                                      "vec4i",   "vec2u",
                                      "vec3u",   "vec4u",
                                      "mat2x2f", "mat3x3f",
                                      "mat4x4f", "mat2x2",
                                      "mat3x3",  "mat4x4"})
    names.push_back(name);
#define KEM_ROW(id, spelling) names.push_back(spelling);
  KEM_WGSL_BUILTINS(KEM_ROW)
#undef KEM_ROW
  return names;
}

const Type* channel_type(const TypeTable& types, std::string_view texel_format) {
  const FormatRow* row = find_format(texel_format);
  return row == nullptr ? nullptr : scalar(types, row->channel);
}

bool is_texel_format_tier1(std::string_view texel_format) {
  const FormatRow* row = find_format(texel_format);
  return row != nullptr && row->tier1;
}

}  // namespace kem::wgsl::sem
