// The parse of one shader: by glslang's inner classes where its headers have them in the version that built_ins.h knows
// (KEM_GLSLANG_CLASSES, see CMakeLists.txt), else by its public ones, which take half as long again.
#pragma once

#include <glslang/Public/ShaderLang.h>

#include <cstdint>
#include <string_view>

#ifdef KEM_GLSLANG_CLASSES
#include "spirv/built_ins.h"
#include "spirv/constant_lookups.h"
#else
#include "spirv/resource_limits.h"
#endif

namespace kem::spirv {

#ifdef KEM_GLSLANG_CLASSES

// To be destroyed on the thread that made it. Not to be nested.
class Parse {
 public:
  Parse(const BuiltIns& built_ins, std::string_view glsl)
      : built_ins_(built_ins), glsl_(glsl), pool_(glsl.size(), kMostPool), use_pool_(pool_) {}

  // False: log() has glslang's words. True: tree() has the shader for as long as this lives.
  bool run() { return built_ins_.parse(glsl_, pool_, tree_, log_); }
  // Whether that is why run() failed.
  bool is_too_large() const { return pool_.is_exhausted(); }
  // Of a tree; see constant_lookups.h.
  uint64_t constant_lookups(uint64_t most) const { return count_constant_lookups(*tree_.getTreeRoot(), most); }
  std::string_view log() { return log_.info.c_str(); }
  const glslang::TIntermediate& tree() const { return tree_; }

 private:
  static constexpr size_t kMostPool = size_t{144} << 20;  // what is before and after it takes up to 100 MiB

  const BuiltIns& built_ins_;
  const std::string_view glsl_;
  Pool pool_;
  ThreadPool use_pool_;
  Tree tree_;
  TInfoSink log_;
};

#else

// glslang keeps its own, by version and stage, from the first parse on: that is done here.
class BuiltIns {
 public:
  BuiltIns();
};

class Parse {
 public:
  Parse(const BuiltIns&, std::string_view glsl) : glsl_(glsl) {}

  bool run() {
    const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
    const char* const text = glsl_.data();
    const int length = static_cast<int>(glsl_.size());
    shader_.setStringsWithLengths(&text, &length, 1);
    shader_.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
    shader_.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
    shader_.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
    if (!shader_.parse(&resource_limits(), 460, ECoreProfile, false, true, messages)) {
      log_ = shader_.getInfoLog();
      return false;
    }
    program_.addShader(&shader_);
    if (program_.link(messages)) return true;
    log_ = program_.getInfoLog();
    return false;
  }
  // Not known: only the text is bounded.
  bool is_too_large() const { return false; }
  uint64_t constant_lookups(uint64_t) const { return 0; }
  std::string_view log() { return log_; }
  const glslang::TIntermediate& tree() const { return *program_.getIntermediate(EShLangCompute); }

 private:
  const std::string_view glsl_;
  glslang::TShader shader_{EShLangCompute};
  glslang::TProgram program_;
  std::string_view log_;
};

inline BuiltIns::BuiltIns() { Parse(*this, "#version 460\nlayout(local_size_x = 1) in;\nvoid main() {}\n").run(); }

#endif

}  // namespace kem::spirv
