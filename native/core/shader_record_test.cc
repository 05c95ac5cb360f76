#include "core/shader_record.h"

#include <gtest/gtest.h>

#include <set>

namespace kem::core {
namespace {

CompiledShader shader() {
  CompiledShader out;
  out.spirv = {0x07230203, 0x00010300, 1, 2, 3};
  out.warnings = "kernel:1:1 warning: é";
  out.reflection.entry_point = "main";
  out.reflection.workgroup_size = {8, 4, 2};
  out.reflection.workgroup_bytes = 1024;
  out.reflection.bindings = {{0, 1, wgsl::BindingKind::StorageReadWrite, "out", "array<u32>", 4, 4, false},
                             {2, 3, wgsl::BindingKind::Uniform, "params", "Params", 1u << 20, 0}};
  out.reflection.uses_f16 = true;
  out.reflection.subgroup_size = 32;
  out.reflection.immediate_bytes = 48;
  out.reflection.trap = wgsl::Reflection::Trap{3, 7};
  return out;
}

TEST(ShaderRecord, ComesBackWhole) {
  const CompiledShader before = shader();
  const auto after = decode_shader(encode_shader(before));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->spirv, before.spirv);
  EXPECT_EQ(after->warnings, before.warnings);
  EXPECT_EQ(after->reflection.entry_point, "main");
  EXPECT_EQ(after->reflection.workgroup_size, before.reflection.workgroup_size);
  EXPECT_EQ(after->reflection.workgroup_bytes, 1024u);
  ASSERT_EQ(after->reflection.bindings.size(), 2u);
  EXPECT_EQ(after->reflection.bindings[0].kind, wgsl::BindingKind::StorageReadWrite);
  EXPECT_EQ(after->reflection.bindings[0].element_stride, 4u);
  EXPECT_FALSE(after->reflection.bindings[0].read);
  EXPECT_TRUE(after->reflection.bindings[1].read);
  EXPECT_EQ(after->reflection.bindings[1].group, 2u);
  EXPECT_EQ(after->reflection.bindings[1].binding, 3u);
  EXPECT_EQ(after->reflection.bindings[1].name, "params");
  EXPECT_EQ(after->reflection.bindings[1].min_size, 1u << 20);
  EXPECT_TRUE(after->reflection.uses_f16);
  EXPECT_FALSE(after->reflection.uses_subgroups);
  EXPECT_EQ(after->reflection.subgroup_size, 32u);
  EXPECT_EQ(after->reflection.immediate_bytes, 48u);
  ASSERT_TRUE(after->reflection.trap);
  EXPECT_EQ(after->reflection.trap->binding, 7u);
  CompiledShader plain = before;
  plain.reflection.trap.reset();
  EXPECT_FALSE(decode_shader(encode_shader(plain))->reflection.trap);
}

TEST(ShaderRecord, ForeignBytesAreNoRecord) {
  EXPECT_FALSE(decode_shader(""));
  EXPECT_FALSE(decode_shader("{}"));
  EXPECT_FALSE(decode_shader(std::string(1000, '\xff')));
  CompiledShader empty = shader();
  empty.spirv.clear();
  EXPECT_FALSE(decode_shader(encode_shader(empty)));
  CompiledShader other = shader();
  other.spirv[0] = 7;
  EXPECT_FALSE(decode_shader(encode_shader(other)));
  const std::string record = encode_shader(shader());
  for (size_t length = 0; length < record.size(); ++length) EXPECT_FALSE(decode_shader(record.substr(0, length)));
  // A byte turned over is a record or none, never a crash.
  for (size_t at = 0; at < record.size(); ++at) {
    std::string changed = record;
    changed[at] = static_cast<char>(~changed[at]);
    decode_shader(changed);
  }
}

TEST(ShaderKey, TellsApartWhateverDecidesTheShader) {
  const wgsl::Constant one{"a", 1.0}, two{"a", 2.0}, split{"a1", 1.0};
  std::set<std::string> keys;
  ShaderRequest request;
  request.digest = sha256(std::string_view("source"));
  request.entry_point = "main";
  const auto add = [&](const ShaderRequest& changed) {
    EXPECT_EQ(shader_key(changed), shader_key(changed));
    EXPECT_EQ(shader_key(changed).size(), 64u);
    keys.insert(shader_key(changed));
  };
  add(request);
  ShaderRequest changed = request;
  changed.digest[0] ^= 1;
  add(changed);
  changed = request;
  changed.entry_point = "other";
  add(changed);
  for (const wgsl::Constant* constant : {&one, &two, &split}) {
    changed = request;
    changed.constants = std::span(constant, 1);
    add(changed);
  }
  changed = request;
  changed.options.features.f16 = true;
  add(changed);
  changed = request;
  changed.options.features.max_storage_bytes += 1;
  add(changed);
  changed = request;
  changed.options.limits.function_bytes += 1;
  add(changed);
  changed = request;
  changed.options.language_extensions = wgsl::LanguageExtensions::First;
  add(changed);
  changed = request;
  changed.options.features.max_subgroup_size = 64;
  add(changed);
  changed = request;
  changed.options.features.subgroup_size_control = true;
  add(changed);
  changed = request;
  changed.options.features.max_immediate_bytes = 32;
  add(changed);
  changed = request;
  changed.options.features.f16_immediates = true;
  add(changed);
  EXPECT_EQ(keys.size(), 14u);
}

}  // namespace
}  // namespace kem::core
