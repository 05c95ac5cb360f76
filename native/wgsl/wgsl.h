// The WGSL front-end: source text in, a checked `Program` out; from a Program and a pipeline's constants,
// GLSL for glslang and the reflection that the executor binds by. Knows no Vulkan, no network, no Erlang.
//
//   Source ─syntax─> AST ─sem─> Program ─ir─> ir::Module ─transform─> ir::Module ─glsl─> GLSL
//
// Specification: WebGPU Shading Language, gpuweb/gpuweb wgsl/index.bs.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "base/limits.h"
#include "base/result.h"

namespace kem::wgsl {

// What the device below can do; decides which `enable`s are accepted and bounds pipeline creation.
// The defaults are WebGPU's default limits.
struct DeviceFeatures {
  bool f16 = false;
  bool subgroups = false;
  bool subgroup_size_control = false;   // needs subgroups; sizes from min_ to max_subgroup_size can be asked for
  bool uniform_standard_layout = true;  // language extension uniform_buffer_standard_layout
  uint32_t min_subgroup_size = 4;
  uint32_t max_subgroup_size = 128;
  uint32_t max_workgroup_size_x = 256;
  uint32_t max_workgroup_size_y = 256;
  uint32_t max_workgroup_size_z = 64;
  uint32_t max_workgroup_invocations = 256;
  uint32_t max_workgroup_bytes = 16384;  // var<workgroup> of one entry point, together
  uint64_t max_uniform_bytes = 65536;
  uint64_t max_storage_bytes = 134217728;
  uint32_t max_immediate_bytes = 64;  // var<immediate> of one entry point
  bool f16_immediates = false;        // storagePushConstant16: f16 in var<immediate>
};

// Which language extensions (spec "Language Extensions") a module may use: all that this implementation has, or only
// the four of WebGPU's first release, for kernels that must run everywhere.
enum class LanguageExtensions { All, First };

// What the stages took of their thread's time, for whoever measures.
struct FrontEndTimes {
  using Time = std::chrono::nanoseconds;
  Time parse{}, resolve{}, validate{};      // compile()
  Time lower{}, transform{}, write_glsl{};  // generate()
};

struct Options {
  Limits limits;
  DeviceFeatures features;
  LanguageExtensions language_extensions = LanguageExtensions::All;
  FrontEndTimes* times = nullptr;  // if not null, compile() and generate() leave their stages' times there
  // Generated shaders count loop iterations against a budget and end early, with Reflection::trap set, when it is
  // used up: a kernel cannot run forever. Loops that are known to be short are not counted.
  bool count_loops = false;
  // For drivers that take more than linear time to compile an array of constants: constant arrays under a dynamic
  // index are written as selections, and loops zero large variables.
  bool slow_array_constants = false;
  // For drivers that take some loops for loops that never run: see transform/loop_exits.cc.
  bool misread_loop_exits = false;
  // For drivers that end subgroups with a workgroup's row and number them wrongly: kernels with subgroups get their
  // workgroups as one row, and the shader numbers the subgroups itself for subgroup_id and num_subgroups.
  bool miscounted_subgroups = false;
};

// An extension that the specification names (spec "Extensions"), and whether a module may use it.
struct Extension {
  enum class Kind { Enable, Language };
  enum class Status {
    Available,
    NoDevice,     // the device does not have what it needs
    SwitchedOff,  // Options::language_extensions leaves it out
    Unsupported   // not in this implementation: refused by name
  };
  std::string_view name;  // static storage
  Kind kind = Kind::Enable;
  Status status = Status::Unsupported;
  std::string_view needs;  // what of the device it needs, in a few words; "" for nothing
};
std::string_view name(Extension::Kind kind);      // enable, language
std::string_view name(Extension::Status status);  // available, no_device, switched_off, unsupported

// Every extension of the specification, in its order: enable-extensions, then language extensions.
std::vector<Extension> extensions(const Options& options);

enum class BindingKind { Uniform, StorageRead, StorageReadWrite };

// A buffer that the entry point statically uses.
struct Binding {
  uint32_t group = 0;
  uint32_t binding = 0;
  BindingKind kind = BindingKind::StorageRead;
  std::string name;             // the WGSL variable
  std::string type;             // WGSL spelling of the store type
  uint64_t min_size = 0;        // bytes; a runtime-sized array counts one element (WebGPU minBindingSize)
  uint64_t element_stride = 0;  // of the runtime-sized array, 0 if there is none
  bool read = true;             // false: the shader only writes it, for certain
};

struct Override {
  std::string name;
  std::optional<uint16_t> id;
  std::string type;  // bool, i32, u32, f32, f16
  bool has_default = false;
};

struct EntryPointInfo {
  enum class Stage { Compute, Vertex, Fragment };
  std::string name;
  Stage stage = Stage::Compute;
};

// What the executor must know of the generated shader. GLSL entry point is always `main`, stage compute.
struct Reflection {
  std::string entry_point;  // the WGSL function
  std::array<uint32_t, 3> workgroup_size{1, 1, 1};
  uint64_t workgroup_bytes = 0;   // shared memory
  std::vector<Binding> bindings;  // ordered by group, then binding
  // The generated shader always declares this push constant block (std430, 32 bytes):
  //   uvec4 base   first workgroup of this dispatch; w unused
  //   uvec4 count  workgroups of the whole job, what num_workgroups tells; w unused
  // Behind it, at byte 32, stands the entry point's var<immediate>, if it has one, in its WGSL layout.
  static constexpr uint32_t kPushConstantBytes = 32;
  uint32_t immediate_bytes = 0;  // of var<immediate>, a multiple of 4
  bool uses_f16 = false;
  bool uses_subgroups = false;
  uint32_t subgroup_size = 0;  // that the pipeline must run with (VK_EXT_subgroup_size_control); 0: any
  // Set when the shader counts loop iterations: a storage buffer of one u32 at this place, zero before the
  // dispatch, non-zero after it if the budget ran out (the outputs are of no use then). The budget, iterations of
  // one invocation over all its loops, comes as specialization constant 0; without it, it is 2^32 - 1. Where the
  // driver counts iterations of invocations together, specialization constant 1 tells how many (1 without it): then
  // a group whose loops together run past the budget by more than 512 iterations is always told.
  struct Trap {
    uint32_t group = 0;
    uint32_t binding = 0;
  };
  std::optional<Trap> trap;
};

struct Shader {
  std::string glsl;  // #version 460, Vulkan semantics
  Reflection reflection;
};

// A value for a pipeline-overridable constant, by name or by decimal @id, as WebGPU's GPUPipelineConstantValue.
struct Constant {
  std::string key;
  double value = 0;
};

struct PipelineRequest {
  std::string entry_point = "main";  // "" takes the only compute entry point
  std::vector<Constant> constants;
};

// A module that passed every shader-creation check. Immutable: any thread may use it at any time.
class Program {
 public:
  struct Impl;
  explicit Program(std::unique_ptr<const Impl> impl);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  const std::vector<EntryPointInfo>& entry_points() const;
  const std::vector<Override>& overrides() const;
  const Source& source() const;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<const Impl> impl_;
};

struct Compilation {
  std::string diagnostics;                   // rendered; may hold warnings on success; "" if there is nothing to say
  std::optional<Program> program;            // absent if there was an error
  std::vector<LocatedDiagnostic> located{};  // the same as values
  bool device_lacks = false;                 // refused, but valid on a device with more of DeviceFeatures
};

// Shader creation: every check that needs no pipeline. Never throws, whatever the bytes.
Compilation compile(std::string source, const Options& options, std::string name = "kernel");

// Pipeline creation: overrides, entry point, limits, resources; then GLSL. Errors: InvalidKernel (message has
// rendered diagnostics where a place in the source is to blame), InvalidArgument (unknown constant or entry
// point), UnsupportedKernel (valid, but not done yet or not on this device). Where the message is rendered diagnostics,
// `located`, unless it is null, gets the same as values; otherwise it is left empty.
Result<Shader> generate(const Program& program, const PipelineRequest& request, const Options& options,
                        std::vector<LocatedDiagnostic>* located = nullptr);

}  // namespace kem::wgsl
