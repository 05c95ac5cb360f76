// WGSL source to SPIR-V and its reflection: the front-end, glslang, and the caches before them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "core/core.h"
#include "wgsl/wgsl.h"

namespace kem::core {

struct CompiledShader {
  std::vector<uint32_t> spirv;
  wgsl::Reflection reflection;
  std::string warnings;  // rendered
};

// Its views' memory must stay valid during the call.
struct ShaderRequest {
  std::string_view source;
  Sha256 digest{};  // of the source
  std::string_view entry_point;
  std::span<const wgsl::Constant> constants;
  wgsl::Options options;
};

// Thread-safe.
class Compiler {
 public:
  virtual ~Compiler() = default;
  // Sets the front_end and spirv times of the stages that ran.
  virtual Result<CompiledShader> compile(const ShaderRequest& request, StageTimes& times) = 0;
  // Blocks while the tables that the first compile needs are made.
  virtual void warm_up() = 0;
  virtual size_t cached_programs() const = 0;
};

struct CompilerOptions {
  std::filesystem::path cache;  // directory of compiled shaders; empty: none
  bool validate = false;        // run spirv-val on every module that was compiled
};

// Programs by the source's digest in memory, compiled shaders on disk.
std::unique_ptr<Compiler> make_compiler(CompilerOptions options);

}  // namespace kem::core
