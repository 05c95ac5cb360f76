// Pipeline creation's own errors, and the reflection.
#include <gmock/gmock.h>

#include <algorithm>

#include "wgsl/wgsl.h"

namespace kem::wgsl {
namespace {

using ::testing::HasSubstr;

Result<Shader> generate_from(std::string source, const PipelineRequest& request = {}, const Options& options = {}) {
  const Compilation compilation = compile(std::move(source), options);
  EXPECT_TRUE(compilation.program.has_value()) << compilation.diagnostics;
  if (!compilation.program) return fail(ErrorClass::Internal, "not compiled");
  return generate(*compilation.program, request, options);
}

void expect_error(const Result<Shader>& result, ErrorClass error_class, const char* words) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().error_class, error_class);
  EXPECT_THAT(result.error().message, HasSubstr(words));
}

TEST(Compile, TellsWhatAnotherDeviceWouldTake) {
  const std::string half = "enable f16; @compute @workgroup_size(1) fn main() { _ = 1h; }";
  EXPECT_TRUE(compile(half, {}).device_lacks);
  EXPECT_FALSE(compile(half + " nonsense", {}).device_lacks);
  EXPECT_FALSE(compile("enable clip_distance;", {}).device_lacks);
  EXPECT_FALSE(compile("requires nonsense;", {}).device_lacks);
  Options options;
  options.features.uniform_standard_layout = false;
  EXPECT_TRUE(compile("requires uniform_buffer_standard_layout;", options).device_lacks);
  options.features.f16 = true;
  EXPECT_TRUE(compile(half, options).program.has_value());
  EXPECT_FALSE(compile(half, options).device_lacks);
}

TEST(Generate, ReflectsBindingsInOrder) {
  const auto shader = generate_from(R"(
    struct Tail { head: vec3<f32>, list: array<vec2<u32>> }
    @group(1) @binding(0) var<storage, read_write> tail: Tail;
    @group(0) @binding(2) var<uniform> size: vec4<f32>;
    @group(0) @binding(0) var<storage, read> words: array<u32>;
    @group(0) @binding(9) var<storage, read> unused: array<u32>;
    var<workgroup> a: u32;
    var<workgroup> b: array<u32, 5>;
    @compute @workgroup_size(8, 2) fn main() {
      tail.list[0].x = words[0] + u32(size.x) + a + b[0];
    })");
  ASSERT_TRUE(shader.has_value()) << shader.error().message;
  const Reflection& r = shader->reflection;
  EXPECT_EQ(r.entry_point, "main");
  EXPECT_EQ(r.workgroup_size, (std::array<uint32_t, 3>{8, 2, 1}));
  EXPECT_EQ(r.workgroup_bytes, 16u + 32u);
  ASSERT_EQ(r.bindings.size(), 3u);
  EXPECT_EQ(r.bindings[0].name, "words");
  EXPECT_EQ(r.bindings[0].kind, BindingKind::StorageRead);
  EXPECT_EQ(r.bindings[0].element_stride, 4u);
  EXPECT_EQ(r.bindings[1].name, "size");
  EXPECT_EQ(r.bindings[1].kind, BindingKind::Uniform);
  EXPECT_EQ(r.bindings[1].min_size, 16u);
  EXPECT_EQ(r.bindings[2].name, "tail");
  EXPECT_EQ(r.bindings[2].kind, BindingKind::StorageReadWrite);
  EXPECT_EQ(r.bindings[2].min_size, 32u);
  EXPECT_EQ(r.bindings[2].element_stride, 8u);
  EXPECT_FALSE(r.trap.has_value());
}

// Whether the shader of this body may read `o`.
bool reads(const std::string& body) {
  const auto shader = generate_from(R"(
    struct Row { head: u32, list: array<u32> }
    @group(0) @binding(0) var<storage, read> words: array<u32>;
    @group(0) @binding(1) var<storage, read_write> o: Row;
    @group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
    fn put(to: ptr<storage, u32, read_write>, value: u32) { *to = value; }
    fn add(to: ptr<storage, u32, read_write>, value: u32) { *to += value; }
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) { let i = id.x; )" +
                                    body + "}");
  EXPECT_TRUE(shader.has_value()) << shader.error().message;
  if (!shader) return false;
  const auto& bindings = shader->reflection.bindings;
  const auto found = std::find_if(bindings.begin(), bindings.end(), [](const Binding& b) { return b.name == "o"; });
  EXPECT_NE(found, bindings.end());
  return found != bindings.end() && found->read;
}

TEST(Generate, TellsWhatIsOnlyWritten) {
  EXPECT_FALSE(reads("o.list[i] = 2u * words[i];"));
  EXPECT_FALSE(reads("if (i < arrayLength(&o.list)) { o.list[i] = 1u; } o.head = 7u;"));
  EXPECT_FALSE(reads("let p = &o.list; for (var k = 0u; k < 9u; k++) { (*p)[k] = k; }"));
  EXPECT_FALSE(reads("put(&o.list[i], atomicAdd(&counts[0], 1u));"));
  EXPECT_TRUE(reads("o.list[i] += 1u;"));
  EXPECT_TRUE(reads("o.list[i]++;"));
  EXPECT_TRUE(reads("add(&o.list[i], 3u);"));
  EXPECT_TRUE(reads("put(&o.list[i], o.head);"));
  EXPECT_TRUE(reads("let p = &o; if (p.head == 1u) { p.list[i] = 1u; }"));
  const auto counts = generate_from(R"(
    @group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>>;
    @compute @workgroup_size(1) fn main() { atomicStore(&c[0], 1u); })");
  ASSERT_TRUE(counts.has_value());
  EXPECT_TRUE(counts->reflection.bindings[0].read) << "an atomic operation is no plain write";
}

std::string at_place(const char* group, const char* binding) {
  return std::string("@group(") + group + ") @binding(" + binding +
         ") var<storage, read_write> o: array<u32>; @compute @workgroup_size(1) fn main() { o[0] = 1u; }";
}

TEST(Generate, RefusesPlacesThatNoDeviceHas) {
  EXPECT_TRUE(generate_from(at_place("62", "65534")).has_value());
  expect_error(generate_from(at_place("63", "0")), ErrorClass::InvalidKernel, "'o' has group 63, over the limit of 62");
  expect_error(generate_from(at_place("0", "65535")), ErrorClass::InvalidKernel,
               "'o' has binding 65535, over the limit of 65534");
  expect_error(generate_from(at_place("2147483647", "2147483647")), ErrorClass::InvalidKernel, "group 2147483647");
}

TEST(Generate, PutsTheTrapAtAFreePlace) {
  Options options;
  options.count_loops = true;
  const auto shader = generate_from(R"(
    @group(0) @binding(0) var<storage, read_write> a: u32;
    @group(0) @binding(1) var<storage, read_write> b: u32;
    @compute @workgroup_size(1) fn main() { while (a < 3) { a += b; } })",
                                    {}, options);
  ASSERT_TRUE(shader.has_value());
  ASSERT_TRUE(shader->reflection.trap.has_value());
  EXPECT_EQ(shader->reflection.trap->group, 0u);
  EXPECT_EQ(shader->reflection.trap->binding, 2u);
  EXPECT_THAT(shader->glsl, HasSubstr("layout(constant_id = 0) const uint kem_loop_budget"));
}

TEST(Generate, WantsTheEntryPointToBeThere) {
  const char* source = "@compute @workgroup_size(1) fn one() {}\n@compute @workgroup_size(1) fn two() {}";
  expect_error(generate_from(source), ErrorClass::InvalidArgument, "does not have an entry point 'main'");
  PipelineRequest any;
  any.entry_point = "";
  expect_error(generate_from(source, any), ErrorClass::InvalidArgument, "more than one");
  PipelineRequest two;
  two.entry_point = "two";
  EXPECT_TRUE(generate_from(source, two).has_value());
}

TEST(Generate, HoldsTheDevicesLimits) {
  expect_error(generate_from("@compute @workgroup_size(1, 1, 65) fn main() {}"), ErrorClass::InvalidKernel,
               "workgroup_size z is 65");
  expect_error(generate_from("@compute @workgroup_size(32, 32) fn main() {}"), ErrorClass::InvalidKernel,
               "1024 invocations");
  expect_error(generate_from("var<workgroup> w: array<u32, 4097>;\n"
                             "@compute @workgroup_size(1) fn main() { w[0] = 1; }"),
               ErrorClass::InvalidKernel, "16400 bytes");
  expect_error(generate_from("@group(0) @binding(0) var<uniform> u: array<vec4<f32>, 5000>;\n"
                             "@compute @workgroup_size(1) fn main() { _ = u[0]; }"),
               ErrorClass::InvalidKernel, "80000 bytes");
}

// Spec "subgroup_size": what is a pipeline-creation error.
TEST(Generate, ChoosesSubgroupSizes) {
  Options options;
  options.features.subgroups = options.features.subgroup_size_control = true;
  options.features.min_subgroup_size = 8;
  options.features.max_subgroup_size = 32;
  const std::string source =
      "enable subgroup_size_control; override n = 16u;\n"
      "@compute @workgroup_size(48) @subgroup_size(n) fn main(@builtin(subgroup_size) s: u32) { _ = s; }";
  const auto shader = generate_from(source, {}, options);
  ASSERT_TRUE(shader.has_value()) << shader.error().message;
  EXPECT_EQ(shader->reflection.subgroup_size, 16u);
  EXPECT_TRUE(shader->reflection.uses_subgroups);
  PipelineRequest request;
  const auto with = [&](double n) {
    request.constants = {{"n", n}};
    return request;
  };
  expect_error(generate_from(source, with(4), options), ErrorClass::InvalidKernel, "sizes from 8 to 32");
  expect_error(generate_from(source, with(64), options), ErrorClass::InvalidKernel, "sizes from 8 to 32");
  expect_error(generate_from(source, with(24), options), ErrorClass::InvalidKernel, "must be a power of two");
  expect_error(generate_from(source, with(32), options), ErrorClass::InvalidKernel, "not a multiple");
  EXPECT_EQ(generate_from("@compute @workgroup_size(1) fn main() {}", {}, options)->reflection.subgroup_size, 0u);
}

TEST(Generate, ReflectsTheImmediates) {
  Options options;
  options.features.f16 = true;
  options.features.max_immediate_bytes = 16;
  const std::string main = "@compute @workgroup_size(1) fn main() { _ = i; }";
  const auto shader = generate_from("var<immediate> i: vec3f;" + main, {}, options);
  ASSERT_TRUE(shader.has_value()) << shader.error().message;
  EXPECT_EQ(shader->reflection.immediate_bytes, 12u);
  EXPECT_THAT(shader->glsl, HasSubstr("uvec4 count;\n  vec3 immediate;\n} kem_dispatch;"));
  EXPECT_EQ(generate_from("var<immediate> i: vec4f;" + main, {}, options)->reflection.immediate_bytes, 16u);
  expect_error(generate_from("var<immediate> i: mat2x3f;" + main, {}, options), ErrorClass::InvalidKernel,
               "'i' takes 32 bytes, over the limit of 16");
  expect_error(generate_from("enable f16; var<immediate> i: f16;" + main, {}, options), ErrorClass::UnsupportedKernel,
               "has f16 in address space 'immediate'");
  options.features.f16_immediates = true;
  EXPECT_EQ(generate_from("enable f16; var<immediate> i: f16;" + main, {}, options)->reflection.immediate_bytes, 4u);
  EXPECT_EQ(
      generate_from("var<immediate> i: vec3f; @compute @workgroup_size(1) fn main() {}")->reflection.immediate_bytes,
      0u);
}

// Spec "bufferView": what only the pipeline's constants show.
TEST(Generate, ChecksViewsOfBuffers) {
  const std::string source =
      "override at = 0; override size = 32u;\n"
      "var<workgroup> w: buffer<size>;\n"
      "@group(0) @binding(0) var<storage, read_write> b: buffer<32>;\n"
      "@group(0) @binding(1) var<storage, read_write> all: buffer;\n"
      "@compute @workgroup_size(1) fn main() {\n"
      "  *bufferView<vec2u>(&b, at) = *bufferView<vec2u>(&w, 8); *bufferView<u32>(&all, 0) = 1; }";
  const auto with = [](const char* name, double value) {
    PipelineRequest request;
    request.constants = {{name, value}};
    return request;
  };
  const auto shader = generate_from(source);
  ASSERT_TRUE(shader.has_value()) << shader.error().message;
  ASSERT_EQ(shader->reflection.bindings.size(), 2u);
  EXPECT_EQ(shader->reflection.bindings[0].min_size, 32u);
  EXPECT_EQ(shader->reflection.bindings[0].type, "buffer<32>");
  EXPECT_EQ(shader->reflection.bindings[0].element_stride, 0u);
  EXPECT_EQ(shader->reflection.bindings[1].min_size, 4u);
  EXPECT_EQ(shader->reflection.bindings[1].element_stride, 4u);
  EXPECT_EQ(shader->reflection.workgroup_bytes, 32u);
  EXPECT_TRUE(generate_from(source, with("at", 24)).has_value());
  expect_error(generate_from(source, with("at", 32)), ErrorClass::InvalidKernel, "ends at byte 40");
  expect_error(generate_from(source, with("at", 4)), ErrorClass::InvalidKernel, "is not a multiple of 8");
  expect_error(generate_from(source, with("at", -8)), ErrorClass::InvalidKernel, "the offset is -8");
  expect_error(generate_from(source, with("size", 8)), ErrorClass::InvalidKernel, "the buffer has 8");
  expect_error(generate_from(source, with("size", 0)), ErrorClass::InvalidKernel, "needs at least 1 byte");
}

TEST(Generate, DiagnosticsComeAsValuesToo) {
  const Compilation compilation = compile("override n: u32;\n@compute @workgroup_size(n) fn main() {}", {});
  ASSERT_TRUE(compilation.program);
  std::vector<LocatedDiagnostic> located;
  PipelineRequest request;
  request.constants = {{"n", 1000}};
  expect_error(generate(*compilation.program, request, {}, &located), ErrorClass::InvalidKernel,
               "kernel:2:26 error: workgroup_size x is 1000");
  ASSERT_EQ(located.size(), 1u);
  EXPECT_EQ(located[0].location.line, 2u);
  EXPECT_EQ(located[0].location.column, 26u);
  EXPECT_EQ(located[0].message, "workgroup_size x is 1000, over the limit of 256");
  request.constants.clear();
  expect_error(generate(*compilation.program, request, {}, &located), ErrorClass::InvalidArgument, "'n'");
  EXPECT_TRUE(located.empty());
  const Compilation warned = compile("diagnostic(off, no_such_rule);\nfn f() {}", {});
  ASSERT_EQ(warned.located.size(), 1u);
  EXPECT_EQ(warned.located[0].severity, Severity::Warning);
}

TEST(Generate, SaysWhatIsNotSupported) {
  expect_error(generate_from("@group(0) @binding(0) var t: texture_2d<f32>;\n"
                             "@compute @workgroup_size(1) fn main() { _ = textureDimensions(t); }"),
               ErrorClass::UnsupportedKernel, "'t' is a texture or sampler");
}

TEST(Generate, RefusesCallTreesThatGrowWithoutBound) {
  std::string source = "var<private> n: u32;\nfn f0() { n++; }\n";
  for (int k = 1; k <= 40; ++k) {
    const std::string inner = "f" + std::to_string(k - 1) + "();";
    source += "fn f" + std::to_string(k) + "() { " + inner + " " + inner + " }\n";
  }
  expect_error(generate_from(source + "@compute @workgroup_size(1) fn main() { f40(); }"),
               ErrorClass::UnsupportedKernel, "with its calls inlined");
}

// Drivers inline into each caller what its callees have become.
TEST(Generate, RefusesCallChainsThatTakeMemoryBySquares) {
  const auto chain = [](int functions) {
    std::string source = "@group(0) @binding(0) var<storage, read_write> out: u32;\nfn f0() -> u32 { return out; }\n";
    for (int k = 1; k < functions; ++k) {
      source += "fn f" + std::to_string(k) + "() -> u32 { return f" + std::to_string(k - 1) + "() + 1u; }\n";
    }
    return source + "@compute @workgroup_size(1) fn main() { out = f" + std::to_string(functions - 1) + "(); }";
  };
  EXPECT_TRUE(generate_from(chain(400)).has_value());
  expect_error(generate_from(chain(1000)), ErrorClass::UnsupportedKernel, "have together more than 524288 operations");
}

// Spec "Limits": what must be supported at least.
size_t times(std::string_view text, std::string_view words) {
  size_t found = 0;
  for (size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

// Functions that take pointers into module-scope memory are copied where they are called; the copies last while the
// functions that call them come and go.
TEST(Generate, CopiesFunctionsWithPointersOnceForAllTheirCallers) {
  std::string source = R"(
    @group(0) @binding(0) var<storage, read_write> cells: array<vec4<u32>>;
    @group(0) @binding(1) var<storage, read_write> others: array<vec4<u32>>;
    fn step(row: ptr<storage, vec4<u32>, read_write>, n: u32) -> u32 { (*row)[n & 3u] += n; return (*row)[n]; }
    fn twice(rows: ptr<storage, array<vec4<u32>>, read_write>, n: u32) -> u32 {
      var sum = 0u;
      for (var i = 0u; i < n; i++) { sum += step(&rows[i], n); }
      return sum + helper(n);
    }
    fn helper(n: u32) -> u32 { return n / 3u; })";
  std::string calls;
  for (const char* name : {"a", "b", "c"}) {  // each large enough for a group of its own
    source += std::string("fn ") + name + "(x: u32) -> u32 { var s = x;";
    for (int k = 0; k < 300; ++k) source += "s = s * 3u + " + std::to_string(k) + "u; s ^= s >> 5u;";
    source += " s += twice(&cells, s); return s; }";
    calls += std::string("cells[0].x += ") + name + "(id.x);";
  }
  source += "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {" + calls +
            "others[1].y = twice(&others, id.x) + step(&cells[id.x], 3u); }";
  for (const bool count : {false, true}) {
    Options options;
    options.count_loops = count;
    const auto shader = generate_from(source, {}, options);
    ASSERT_TRUE(shader.has_value()) << shader.error().message;
    const std::string& text = shader->glsl;
    const size_t copy = text.find("\nuint twice_2(");
    EXPECT_EQ(times(text, "uint twice_"), 2u);  // of cells and of others
    EXPECT_EQ(times(text, "uint step_"), 2u);
    EXPECT_EQ(times(text, "uint helper_1("), 1u);
    EXPECT_EQ(times(text, " twice_2("), 4u);  // where it is, and three callers
    EXPECT_LT(text.find("\nuint step_2("), copy);
    EXPECT_LT(text.find("\nuint helper_1("), copy);
    EXPECT_LT(copy, text.find("\nuint a_1("));
    EXPECT_LT(text.find("\nuint c_1("), text.find("\nuint twice_3("));
  }
}

TEST(Generate, SupportsWhatTheSpecificationAsksFor) {
  const Limits limits;
  EXPECT_GE(limits.struct_members, 1023u);
  EXPECT_GE(limits.composite_depth, 15u);
  EXPECT_GE(limits.nesting_depth, 127u);
  EXPECT_GE(limits.function_parameters, 255u);
  EXPECT_GE(limits.switch_selectors, 1023u);
  EXPECT_GE(limits.private_bytes, 8192u);
  EXPECT_GE(limits.function_bytes, 8192u);
  EXPECT_GE(limits.array_constructor_elements, 2047u);
  std::string nested = "u32", index;
  for (uint32_t k = 0; k < limits.composite_depth; ++k) {
    nested = "array<" + nested + ", 1>";
    index += "[0]";
  }
  std::string elements;
  for (uint32_t k = 0; k < limits.array_constructor_elements; ++k) elements += std::to_string(k) + "u,";
  const auto shader = generate_from(
      "@group(0) @binding(0) var<storage, read_write> out: u32;\nvar<private> p: " + nested +
      ";\n@compute @workgroup_size(1) fn main() { var a = array(" + elements + "); out = a[out] + p" + index + "; }");
  EXPECT_TRUE(shader.has_value()) << shader.error().message;
}

// CPU drivers have the variables of several invocations on one stack.
TEST(Generate, RefusesVariablesThatGrowWithoutBound) {
  const auto kernel = [](int calls) {
    std::string source =
        "@group(0) @binding(0) var<storage, read_write> out: u32;\n"
        "var<private> p: array<u32, 16384>;\n"
        "fn f(x: u32) -> u32 { var a: array<u32, 8192>; a[x] = p[x]; return a[x + 1]; }\n"
        "@compute @workgroup_size(1) fn main() {\n";
    for (int k = 0; k < calls; ++k) source += "  out += f(out);\n";
    return source + "}";
  };
  EXPECT_TRUE(generate_from(kernel(6)).has_value());
  expect_error(generate_from(kernel(7)), ErrorClass::UnsupportedKernel,
               "with its calls inlined, function 'main' has more than 262144 bytes of variables");
}

TEST(Generate, RefusesValuesThatGrowWithoutBound) {
  std::string source = "struct S0 { a: u32, b: u32 }\n";
  for (int k = 1; k <= 9; ++k) {
    const std::string inner = "S" + std::to_string(k - 1);
    source += "struct S" + std::to_string(k) + " {\n";
    for (int m = 0; m < 9; ++m) source += "  m" + std::to_string(m) + ": " + inner + ",\n";
    source += "}\n";
  }
  source +=
      "@group(0) @binding(0) var<storage, read_write> out: u32;\n"
      "@compute @workgroup_size(1) fn main() { let x = S9(); let y = x.m0; out = y.m1.m0.m0.m0.m0.m0.m0.m0.a; }";
  const auto result = generate_from(source);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().error_class, ErrorClass::UnsupportedKernel);
}

// SPIR-V's instructions are at most 65,535 words long.
TEST(Generate, RefusesConstantsThatSpirvCannotHold) {
  const auto with_elements = [](const std::string& count) {
    return "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
           "const c = array<u32, " +
           count +
           ">();\n"
           "@compute @workgroup_size(1) fn main() { out[0] = c[out[1]]; }";
  };
  EXPECT_TRUE(generate_from(with_elements("65532")).has_value());
  expect_error(generate_from(with_elements("65533")), ErrorClass::UnsupportedKernel, "more than 65532 components");
}

TEST(Generate, RefusesEntryPointsOfTooManyOperations) {
  std::string source = "@group(0) @binding(0) var<storage, read_write> out: u32;\n";
  for (const char* name : {"f", "g"}) {
    source += std::string("fn ") + name + "() {\n";
    for (int k = 0; k < 30'000; ++k) source += "out++;\n";
    source += "}\n";
  }
  EXPECT_TRUE(generate_from(source + "@compute @workgroup_size(1) fn main() { f(); }").has_value());
  expect_error(generate_from(source + "@compute @workgroup_size(1) fn main() { f(); g(); }"),
               ErrorClass::UnsupportedKernel, "operations");
}

TEST(Generate, SetsOverrides) {
  const std::string source = "override n: u32;\n@compute @workgroup_size(n) fn main() {}";
  PipelineRequest request;
  request.constants = {{"n", 7}};
  const auto shader = generate_from(source, request);
  ASSERT_TRUE(shader.has_value()) << shader.error().message;
  EXPECT_EQ(shader->reflection.workgroup_size[0], 7u);
  expect_error(generate_from(source), ErrorClass::InvalidArgument, "'n'");
  request.constants = {{"m", 7}};
  expect_error(generate_from(source, request), ErrorClass::InvalidArgument, "'m'");
}

// Spec "Array Access Expression": how many elements a runtime-sized array has is not known, that -1 is none of them is.
TEST(Generate, RefusesNegativeOverrideIndicesOfRuntimeSizedArrays) {
  const std::string source =
      "override i: i32;\n@group(0) @binding(0) var<storage> a: array<u32>;\n"
      "@compute @workgroup_size(1) fn main() { _ = a[i]; }";
  PipelineRequest request;
  request.constants = {{"i", -1}};
  expect_error(generate_from(source, request), ErrorClass::InvalidKernel, "index -1 is out of range for 'array<u32>'");
  request.constants = {{"i", 2147483647}};
  EXPECT_TRUE(generate_from(source, request).has_value());
}

TEST(Generate, BoundsWhatConstantsWrite) {
  Options options;
  options.limits.generated_bytes = 500;
  expect_error(generate_from("@group(0) @binding(0) var<storage, read_write> a: array<u32, 64>;\n"
                             "@compute @workgroup_size(1) fn main() { a = array<u32, 64>(); }",
                             {}, options),
               ErrorClass::UnsupportedKernel, "longer than 500 bytes");
}

}  // namespace
}  // namespace kem::wgsl
