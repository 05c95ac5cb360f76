#include "core/compiler.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/disk_cache.h"
#include "base/lru_cache.h"
#include "core/shader_record.h"
#include "core/stopwatch.h"
#include "spirv/spirv.h"

namespace kem::core {
namespace {

// A checked program holds up to 50 bytes for one of its source. 128 small ones are kept, or two of 1 MiB.
constexpr size_t kSmallSource = 16u << 10;
constexpr size_t kKeptSource = 128 * kSmallSource;
constexpr uint64_t kDiskCacheBytes = 256u << 20;

// A checked module and what the front-end said about it.
struct CheckedProgram {
  wgsl::Program program;
  std::string warnings;
};

class CachingCompiler final : public Compiler {
 public:
  explicit CachingCompiler(CompilerOptions options)
      : options_(std::move(options)), disk_(options_.cache, kDiskCacheBytes), programs_(kKeptSource) {}

  Result<CompiledShader> compile(const ShaderRequest& request, StageTimes& times) override {
    const std::string key = shader_key(request);
    if (const auto record = disk_.get(key)) {
      if (auto shader = decode_shader(*record)) return *std::move(shader);
    }
    KEM_TRY(auto shader, compile_anew(request, times));
    disk_.put(key, encode_shader(shader));
    return shader;
  }

  void warm_up() override { spirv::warm_up(); }

  size_t cached_programs() const override {
    const std::lock_guard lock(mutex_);
    return programs_.size();
  }

 private:
  Result<CompiledShader> compile_anew(const ShaderRequest& request, StageTimes& times) {
    CompiledShader compiled;
    Stopwatch watch;
    KEM_TRY(const auto checked, check(request));
    const wgsl::PipelineRequest pipeline{std::string(request.entry_point),
                                         {request.constants.begin(), request.constants.end()}};
    KEM_TRY(auto shader, wgsl::generate(checked->program, pipeline, request.options));
    times.front_end = watch.lap();
    KEM_TRY(compiled.spirv, spirv::compile(shader.glsl));
    times.spirv = watch.lap();
    if (options_.validate) KEM_CHECK(spirv::validate(compiled.spirv));
    compiled.reflection = std::move(shader.reflection);
    compiled.warnings = checked->warnings;
    return compiled;
  }

  Result<std::shared_ptr<const CheckedProgram>> check(const ShaderRequest& request) {
    // Features and limits decide what is accepted, so they are part of the key.
    const std::string key = hex(request.digest) + options_key(request.options);
    {
      const std::lock_guard lock(mutex_);
      if (auto* found = programs_.find(key)) return *found;
    }
    wgsl::Compilation compilation = wgsl::compile(std::string(request.source), request.options);
    if (!compilation.program) {
      const bool elsewhere = compilation.device_lacks;
      return fail(elsewhere ? ErrorClass::UnsupportedKernel : ErrorClass::InvalidKernel,
                  std::move(compilation.diagnostics));
    }
    auto checked = std::make_shared<const CheckedProgram>(
        CheckedProgram{std::move(*compilation.program), std::move(compilation.diagnostics)});
    const std::lock_guard lock(mutex_);
    programs_.insert(key, checked, std::max(request.source.size(), kSmallSource));
    return checked;
  }

  const CompilerOptions options_;
  DiskCache disk_;
  mutable std::mutex mutex_;
  LruCache<std::shared_ptr<const CheckedProgram>> programs_;  // shared: one may be evicted while in use
};

}  // namespace

std::unique_ptr<Compiler> make_compiler(CompilerOptions options) {
  return std::make_unique<CachingCompiler>(std::move(options));
}

}  // namespace kem::core
