#include "core/shader_record.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/front_end_digest.h"

namespace kem::core {
namespace {

using nlohmann::json;

constexpr int kFormat = 3;
constexpr uint32_t kSpirvMagic = 0x07230203;

template <class Number>
void append(std::string& text, Number value) {
  text += std::to_string(value);
  text += ',';
}

// Lengths first, so that no two lists of fields make the same text.
void append_field(std::string& text, std::string_view field) {
  append(text, field.size());
  text += field;
}

// By the number that stands for them in a record.
constexpr std::array kKinds{wgsl::BindingKind::Uniform, wgsl::BindingKind::StorageRead,
                            wgsl::BindingKind::StorageReadWrite};

json to_json(const wgsl::Binding& binding) {
  const auto kind = std::find(kKinds.begin(), kKinds.end(), binding.kind) - kKinds.begin();
  return json::array({binding.group, binding.binding, kind, binding.name, binding.type, binding.min_size,
                      binding.element_stride, binding.read});
}

wgsl::Binding binding_from(const json& row) {
  wgsl::Binding binding;
  binding.group = row.at(0).get<uint32_t>();
  binding.binding = row.at(1).get<uint32_t>();
  binding.kind = kKinds.at(row.at(2).get<size_t>());
  binding.name = row.at(3).get<std::string>();
  binding.type = row.at(4).get<std::string>();
  binding.min_size = row.at(5).get<uint64_t>();
  binding.element_stride = row.at(6).get<uint64_t>();
  binding.read = row.at(7).get<bool>();
  return binding;
}

json to_json(const wgsl::Reflection& reflection) {
  json bindings = json::array();
  for (const wgsl::Binding& binding : reflection.bindings) bindings.push_back(to_json(binding));
  json trap;
  if (reflection.trap) trap = json::array({reflection.trap->group, reflection.trap->binding});
  return {{"entry_point", reflection.entry_point},
          {"workgroup_size", reflection.workgroup_size},
          {"workgroup_bytes", reflection.workgroup_bytes},
          {"bindings", std::move(bindings)},
          {"f16", reflection.uses_f16},
          {"subgroups", reflection.uses_subgroups},
          {"subgroup_size", reflection.subgroup_size},
          {"immediate_bytes", reflection.immediate_bytes},
          {"trap", std::move(trap)}};
}

wgsl::Reflection reflection_from(const json& record) {
  wgsl::Reflection reflection;
  reflection.entry_point = record.at("entry_point").get<std::string>();
  reflection.workgroup_size = record.at("workgroup_size").get<std::array<uint32_t, 3>>();
  reflection.workgroup_bytes = record.at("workgroup_bytes").get<uint64_t>();
  for (const json& row : record.at("bindings")) reflection.bindings.push_back(binding_from(row));
  reflection.uses_f16 = record.at("f16").get<bool>();
  reflection.uses_subgroups = record.at("subgroups").get<bool>();
  reflection.subgroup_size = record.at("subgroup_size").get<uint32_t>();
  reflection.immediate_bytes = record.at("immediate_bytes").get<uint32_t>();
  if (const json& trap = record.at("trap"); !trap.is_null()) {
    reflection.trap = wgsl::Reflection::Trap{trap.at(0).get<uint32_t>(), trap.at(1).get<uint32_t>()};
  }
  return reflection;
}

}  // namespace

std::string options_key(const wgsl::Options& options) {
  std::string text;
  const Limits& limits = options.limits;
  for (const uint64_t value :
       {uint64_t{limits.source_bytes}, uint64_t{limits.nesting_depth}, limits.const_eval_steps,
        limits.composite_elements, uint64_t{limits.generated_bytes}, uint64_t{limits.struct_members},
        uint64_t{limits.composite_depth}, uint64_t{limits.function_parameters}, uint64_t{limits.switch_selectors},
        uint64_t{limits.array_constructor_elements}, limits.private_bytes, limits.function_bytes}) {
    append(text, value);
  }
  const wgsl::DeviceFeatures& features = options.features;
  append(text, features.f16 ? 1 : 0);
  append(text, features.subgroups ? 1 : 0);
  append(text, features.subgroup_size_control ? 1 : 0);
  append(text, features.uniform_standard_layout ? 1 : 0);
  append(text, features.f16_immediates ? 1 : 0);
  append(text, options.language_extensions == wgsl::LanguageExtensions::All ? 1 : 0);
  append(text, options.count_loops ? 1 : 0);
  append(text, options.slow_array_constants ? 1 : 0);
  append(text, options.misread_loop_exits ? 1 : 0);
  append(text, options.miscounted_subgroups ? 1 : 0);
  for (const uint64_t value : {uint64_t{features.max_workgroup_size_x}, uint64_t{features.max_workgroup_size_y},
                               uint64_t{features.max_workgroup_size_z}, uint64_t{features.max_workgroup_invocations},
                               uint64_t{features.max_workgroup_bytes}, features.max_uniform_bytes,
                               features.max_storage_bytes, uint64_t{features.min_subgroup_size},
                               uint64_t{features.max_subgroup_size}, uint64_t{features.max_immediate_bytes}}) {
    append(text, value);
  }
  return text;
}

std::string shader_key(const ShaderRequest& request) {
  std::string text = "kem shader ";
  append(text, kFormat);
  append_field(text, kFrontEndDigest);
  append_field(text, hex(request.digest));
  append_field(text, request.entry_point);
  append(text, request.constants.size());
  for (const wgsl::Constant& constant : request.constants) {
    append_field(text, constant.key);
    append(text, std::bit_cast<uint64_t>(constant.value));
  }
  append_field(text, options_key(request.options));
  return hex(sha256(text));
}

std::string encode_shader(const CompiledShader& shader) {
  const auto words = std::as_bytes(std::span(shader.spirv));
  std::vector<uint8_t> spirv(words.size());
  std::transform(words.begin(), words.end(), spirv.begin(),
                 [](std::byte byte) { return std::to_integer<uint8_t>(byte); });
  const json record{{"format", kFormat},
                    {"spirv", json::binary(std::move(spirv))},
                    {"reflection", to_json(shader.reflection)},
                    {"warnings", shader.warnings}};
  std::string bytes;
  json::to_cbor(record, bytes);
  return bytes;
}

std::optional<CompiledShader> decode_shader(std::string_view bytes) {
  try {
    const json record = json::from_cbor(bytes.begin(), bytes.end());
    if (record.at("format") != kFormat) return std::nullopt;
    CompiledShader shader;
    const std::vector<uint8_t>& spirv = record.at("spirv").get_binary();
    if (spirv.empty() || spirv.size() % sizeof(uint32_t) != 0) return std::nullopt;
    shader.spirv.resize(spirv.size() / sizeof(uint32_t));
    std::memcpy(shader.spirv.data(), spirv.data(), spirv.size());
    if (shader.spirv[0] != kSpirvMagic) return std::nullopt;
    shader.reflection = reflection_from(record.at("reflection"));
    shader.warnings = record.at("warnings").get<std::string>();
    return shader;
  } catch (const std::exception&) {  // wrong types (json), numbers out of range (std::array)
    return std::nullopt;
  }
}

}  // namespace kem::core
