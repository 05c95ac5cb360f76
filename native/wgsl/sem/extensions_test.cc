// Spec "Extensions": which there are, and what narrows them.
#include "wgsl/sem/extensions.h"

#include <algorithm>

#include "wgsl/sem/resolve_testing.h"

namespace kem::wgsl::sem::testing {
namespace {

using Status = Extension::Status;

Status status_of(std::string_view name, const Options& options) {
  const std::vector<Extension> all = extensions(options);
  const auto found = std::ranges::find(all, name, &Extension::name);
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? Status::Unsupported : found->status;
}

// What each status means to a module: the directive is accepted exactly where the table says "available".
TEST(Extensions, TheTableIsWhatTheDirectivesGoBy) {
  Options bare;
  bare.features.uniform_standard_layout = false;
  Options first = all_features();
  first.language_extensions = LanguageExtensions::First;
  for (const Options& options : {all_features(), bare, first}) {
    for (const Extension& extension : extensions(options)) {
      const bool enable = extension.kind == Extension::Kind::Enable;
      const std::string source = std::string(enable ? "enable " : "requires ") + std::string(extension.name) + ";";
      const Compilation compilation = compile(source, options);
      EXPECT_EQ(compilation.program.has_value(), extension.status == Status::Available)
          << source << " " << name(extension.status) << "\n"
          << compilation.diagnostics;
    }
  }
}

TEST(Extensions, NamesAreTheSpecifications) {
  std::string names;
  for (const Extension& extension : extensions({})) {
    names += std::string(name(extension.kind)) + " " + std::string(extension.name) + "\n";
  }
  EXPECT_EQ(names,
            "enable f16\n"
            "enable clip_distances\n"
            "enable dual_source_blending\n"
            "enable subgroups\n"
            "enable primitive_index\n"
            "enable subgroup_size_control\n"
            "language readonly_and_readwrite_storage_textures\n"
            "language packed_4x8_integer_dot_product\n"
            "language unrestricted_pointer_parameters\n"
            "language pointer_composite_access\n"
            "language uniform_buffer_standard_layout\n"
            "language subgroup_id\n"
            "language subgroup_uniformity\n"
            "language texture_and_sampler_let\n"
            "language texture_formats_tier1\n"
            "language linear_indexing\n"
            "language immediate_address_space\n"
            "language fragment_depth\n"
            "language buffer_view\n");
}

TEST(Extensions, StatusFollowsDeviceAndOptions) {
  Options options;
  EXPECT_EQ(status_of("f16", options), Status::NoDevice);
  EXPECT_EQ(status_of("subgroups", options), Status::NoDevice);
  EXPECT_EQ(status_of("clip_distances", all_features()), Status::NoDevice);
  options.features.f16 = true;
  EXPECT_EQ(status_of("f16", options), Status::Available);
  EXPECT_EQ(status_of("linear_indexing", options), Status::Available);
  options.features.uniform_standard_layout = false;
  EXPECT_EQ(status_of("uniform_buffer_standard_layout", options), Status::NoDevice);
  options.language_extensions = LanguageExtensions::First;
  EXPECT_EQ(status_of("uniform_buffer_standard_layout", options), Status::SwitchedOff);
  EXPECT_EQ(status_of("linear_indexing", options), Status::SwitchedOff);
  EXPECT_EQ(status_of("pointer_composite_access", options), Status::Available);
  EXPECT_EQ(status_of("f16", options), Status::Available) << "enable-extensions are not narrowed";
}

// A program for each extension that the option switches off, and programs of those that stay.
TEST(Extensions, WhatIsSwitchedOffCannotBeUsed) {
  constexpr Case kSwitchedOff[] = {
      {"requires linear_indexing;", "'linear_indexing' is switched off"},
      {"@compute @workgroup_size(1) fn f(@builtin(global_invocation_index) i: u32) {}",
       "built-in value 'global_invocation_index' needs language extension 'linear_indexing', which is switched off"},
      {"@compute @workgroup_size(1) fn f(@builtin(workgroup_index) i: u32) {}", "'linear_indexing'"},
      {"enable subgroups; @compute @workgroup_size(1) fn f(@builtin(subgroup_id) i: u32) {}", "'subgroup_id'"},
      {"enable subgroups; @compute @workgroup_size(1) fn f(@builtin(num_subgroups) i: u32) {}", "'subgroup_id'"},
      {"enable subgroups; @compute @workgroup_size(1) fn f() { if subgroupAny(true) { _ = subgroupAdd(1); } }",
       "uniform control flow"},
      {"@group(0) @binding(0) var<uniform> a: array<u32, 4>;", "are 4 bytes apart"},
      {"@group(0) @binding(0) var t: texture_2d<f32>; fn f() { let u = t; }", "'texture_and_sampler_let'"},
      {"@group(0) @binding(0) var s: sampler; fn f() { let u = s; }", "'texture_and_sampler_let'"},
      {"@group(0) @binding(0) var t: texture_storage_2d<r8unorm, write>;", "'texture_formats_tier1'"},
      {"@fragment fn f() -> @builtin(frag_depth, less) f32 { return 0; }", "'fragment_depth'"},
      {"var<immediate> a: u32;",
       "address space 'immediate' needs language extension 'immediate_address_space', which is switched off"},
      {"fn f(p: ptr<immediate, u32>) {}", "'immediate_address_space'"},
  };
  Options first = all_features();
  first.language_extensions = LanguageExtensions::First;
  for (const Case& c : kSwitchedOff) {
    check({c}, first);
    if (std::string_view(c.source).find("subgroup") == std::string_view::npos) check({{c.source}});
  }
  check(
      {
          {"requires readonly_and_readwrite_storage_textures, packed_4x8_integer_dot_product, "
           "unrestricted_pointer_parameters, pointer_composite_access;"},
          {"@group(0) @binding(0) var t: texture_storage_2d<r32uint, read_write>; fn f() { textureBarrier(); }"},
          {"fn f() -> u32 { return dot4U8Packed(1, 2) + pack4xU8(vec4u()); }"},
          {"fn f(p: ptr<storage, array<u32>>) -> u32 { return p[1]; }"},
          {"enable f16; fn f() -> f16 { return 1h; }"},
      },
      first);
}

// Spec "frag_depth".
TEST(Extensions, DepthModes) {
  check({
      {"requires fragment_depth; @fragment fn f() -> @builtin(frag_depth, greater) f32 { return 0; }"},
      {"@fragment fn f() -> @builtin(frag_depth, less,) f32 { return 0; }"},
      {"@fragment fn f() -> @builtin(frag_depth, any) f32 { return 0; }", "unknown depth mode 'any'"},
      {"@fragment fn f() -> @builtin(frag_depth, less, less) f32 { return 0; }", "takes 1 or 2 arguments"},
      {"@compute @workgroup_size(1) fn f(@builtin(workgroup_id, less) i: vec3u) {}", "unknown depth mode 'less'"},
  });
}

// Spec "Variable Declarations" and "Address Spaces", the immediate address space.
TEST(Extensions, ImmediateAddressSpace) {
  check({
      {"requires immediate_address_space; var<immediate> a: u32;"},
      {"struct S { a: f32, m: mat3x4f } struct T { s: S, v: vec2i } var<immediate> a: T;"},
      {"enable f16; var<immediate> a: vec3h;"},
      {"var<immediate> a: vec4f; fn g(p: ptr<immediate, vec4f>) -> f32 { return p.x; } fn f() -> f32 { return g(&a); "
       "}"},
      {"var<immediate> a: u32; var<immediate> b: u32; @compute @workgroup_size(1) fn f() { _ = a; } "
       "@compute @workgroup_size(1) fn g() { _ = b; }"},
      {"var<immediate> a: u32; @compute @workgroup_size(1) fn f() { if a > 3 { workgroupBarrier(); } }"},
      {"var<immediate> a: u32; @fragment fn f(@location(0) x: f32) { if a > 3 { _ = dpdx(x); } }"},
      {"fn f() { let immediate = 1; _ = immediate; }"},
      {"var<immediate> a: array<u32, 4>;",
       "type 'array<u32, 4>' is or contains an array, so it cannot be stored in address space 'immediate'"},
      {"struct S { a: array<vec4f, 1> } struct T { s: S } var<immediate> a: T;", "is or contains an array"},
      {"fn f(p: ptr<immediate, array<u32, 4>>) {}", "is or contains an array"},
      {"var<immediate> a: array<u32>;", "is or contains an array"},
      {"var<immediate> a: bool;", "type 'bool' is not host-shareable"},
      {"var<immediate> a: atomic<u32>;", "'atomic<u32>' is not constructible"},
      {"var<immediate> a: u32 = 1;", "cannot have an initializer"},
      {"var<immediate, read> a: u32;", "only variables in address space 'storage' may specify an access mode"},
      {"fn f(p: ptr<immediate, u32, read>) {}", "only pointers to address space 'storage'"},
      {"@group(0) @binding(0) var<immediate> a: u32;", "'@group' and '@binding' are for resources"},
      {"fn f() { var<immediate> a: u32; }", "variables in a function are in address space 'function'"},
      {"var<immediate> a: u32; fn f() { a = 1; }", "cannot assign to memory in address space 'immediate'"},
      {"var<immediate> a: u32; fn f() { let p = &a; *p = 1; }", "read"},
      {"var<immediate> a: u32; var<immediate> b: u32; fn g() { _ = b; } "
       "@compute @workgroup_size(1) fn f() { _ = a; g(); }",
       "entry point 'f' uses more than one variable in address space 'immediate'"},
  });
}

// Spec "subgroup_size", the shader-creation rules.
TEST(Extensions, SubgroupSize) {
  check({
      {"enable subgroup_size_control; @compute @workgroup_size(64) @subgroup_size(32) fn f() {}"},
      {"enable subgroup_size_control; @compute @workgroup_size(64) @subgroup_size(32u) fn f() { _ = subgroupAdd(1); }"},
      {"enable subgroup_size_control; override n: u32; @compute @subgroup_size(n) @workgroup_size(64) fn f() {}"},
      {"enable subgroup_size_control; override n = 5; @compute @subgroup_size(n * 8) @workgroup_size(64) fn f() {}"},
      {"enable subgroups; @compute @workgroup_size(64) @subgroup_size(32) fn f() {}",
       "'@subgroup_size' needs 'enable subgroup_size_control;'"},
      {"enable subgroup_size_control; @compute @workgroup_size(64) @subgroup_size(24) fn f() {}",
       "a subgroup size must be a power of two, is 24"},
      {"enable subgroup_size_control; @compute @workgroup_size(64) @subgroup_size(0) fn f() {}", "power of two, is 0"},
      {"enable subgroup_size_control; @compute @workgroup_size(64) @subgroup_size(-8) fn f() {}", "is -8"},
      {"enable subgroup_size_control; @compute @workgroup_size(64) @subgroup_size(32.0) fn f() {}",
       "a subgroup size must be i32 or u32"},
      {"enable subgroup_size_control; @fragment @subgroup_size(32) fn f() {}", "is only for compute entry points"},
      {"enable subgroup_size_control; @subgroup_size(32) fn f() {}", "is only for compute entry points"},
      {"enable subgroup_size_control; @compute @workgroup_size(64) @subgroup_size(8) @subgroup_size(8) fn f() {}",
       "is given twice"},
      {"enable subgroup_size_control; var<private> n: u32; @compute @workgroup_size(64) @subgroup_size(n) fn f() {}",
       "a subgroup size"},
  });
  Options without = all_features();
  without.features.subgroup_size_control = false;
  check({{"enable subgroup_size_control;", "extension 'subgroup_size_control' is not available on this device"}},
        without);
}

}  // namespace
}  // namespace kem::wgsl::sem::testing
