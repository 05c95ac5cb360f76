// glslang's built-in functions and variables, as far as compute shaders of ours can name them, and the parse of a
// shader against them.
//
// The public way, TShader and TProgram, parses a hundred constants gl_Max... and two hundred #defines anew for every
// shader, a third of what a small kernel takes, and at first the built-ins of all fourteen stages with every sampler,
// image and 64-bit type. The headers below are installed beside the public ones, and the layout of their classes does
// not depend on how the library was built (only on GLSLANG_WEB, another product; the pool's pages do, see pool.cc).
// They are of one version of glslang.
#pragma once

#include <glslang/Include/PoolAlloc.h>
#include <glslang/Include/Types.h>
// After Types.h:
#include <glslang/MachineIndependent/SymbolTable.h>
#include <glslang/MachineIndependent/localintermediate.h>
#include <glslang/build_info.h>

#include <string_view>

#include "spirv/pool.h"

namespace kem::spirv {

static_assert(GLSLANG_VERSION_MAJOR == 12 && GLSLANG_VERSION_MINOR == 0, "glslang's classes are those of 12.0");

// A shader's tree.
class Tree : public glslang::TIntermediate {
 public:
  Tree() : glslang::TIntermediate(EShLangCompute) {}

  // TIntermediate::postProcess() for this text, which has been parsed: the sequence of declarations is closed. That
  // also collects every assignment in tables by name, a tenth of the whole time for a module of 1 MiB, to learn what
  // each `precise` variable depends on: done only where there may be such a variable.
  bool finish(std::string_view glsl);

  // To be called often while the text is parsed. For every call glslang looks through those that the same function has
  // made: here they are taken out of its sight, some at a time.
  void set_calls_aside() {
    if (callGraph.size() >= kMostCallsInView) calls_.splice(calls_.end(), callGraph);
  }

  // What TProgram::link() checks and what a shader of ours can break: one entry point, every called function has a
  // body, none calls itself in the end, one block of push constants. link() compares each call with each, and removes
  // functions that nothing calls, of which there are none.
  bool check(TInfoSink& log);

 private:
  static constexpr size_t kMostCallsInView = 16;
  TGraph calls_;  // some twice
};

// Made once, then read by any number of threads. glslang must be initialised for as long as it lives.
class BuiltIns {
 public:
  BuiltIns();
  BuiltIns(const BuiltIns&) = delete;
  BuiltIns& operator=(const BuiltIns&) = delete;
  ~BuiltIns();

  // Parses and checks a whole shader, in place of TShader::parse and TProgram::link. `pool` is this thread's; what is
  // in `tree` then lives there. False: `log` has glslang's words.
  bool parse(std::string_view glsl, Pool& pool, Tree& tree, TInfoSink& log) const;

 private:
  bool parse_level(std::string_view text, EShLanguage stage, TInfoSink& log);

  glslang::TPoolAllocator pool_;
  mutable glslang::TSymbolTable symbols_;  // levels are adopted from a table that is not const, and only read
  bool whole_ = true;                      // glslang has parsed its own built-ins
};

}  // namespace kem::spirv
