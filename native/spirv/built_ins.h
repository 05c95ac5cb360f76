// glslang's built-in functions and variables, as far as compute shaders of ours can name them, and the parse of a
// shader against them.
//
// The public way, TShader and TProgram, parses a hundred constants gl_Max... and two hundred #defines anew for every
// shader, a third of what a small kernel takes, and at first the built-ins of all fourteen stages with every sampler,
// image and 64-bit type. The headers below are installed beside the public ones, and the layout of their classes does
// not depend on how the library was built (only on GLSLANG_WEB, another product). They are of one version of glslang.
#pragma once

#include <glslang/Include/InitializeGlobals.h>
#include <glslang/Include/PoolAlloc.h>
#include <glslang/Include/Types.h>
// After Types.h:
#include <glslang/MachineIndependent/SymbolTable.h>
#include <glslang/MachineIndependent/localintermediate.h>
#include <glslang/build_info.h>

#include <string_view>

namespace kem::spirv {

static_assert(GLSLANG_VERSION_MAJOR == 12 && GLSLANG_VERSION_MINOR == 0, "glslang's classes are those of 12.0");

// What glslang allocates for one shader: the pool of this thread, for as long as this lives. Not to be nested.
class ThreadPool {
 public:
  explicit ThreadPool(glslang::TPoolAllocator& pool) { glslang::SetThreadPoolAllocator(&pool); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { glslang::SetThreadPoolAllocator(nullptr); }
};

// A shader's tree.
class Tree : public glslang::TIntermediate {
 public:
  Tree() : glslang::TIntermediate(EShLangCompute) {}

  // What TProgram::link() checks and what a shader of ours can break: one entry point, every called function has a
  // body, none calls itself in the end, one block of push constants. link() compares each call with each, and removes
  // functions that nothing calls, of which there are none.
  bool check(TInfoSink& log) const;
};

// Made once, then read by any number of threads. glslang must be initialised for as long as it lives.
class BuiltIns {
 public:
  BuiltIns();
  BuiltIns(const BuiltIns&) = delete;
  BuiltIns& operator=(const BuiltIns&) = delete;
  ~BuiltIns();

  // Parses and checks a whole shader, in place of TShader::parse and TProgram::link. On a thread that has a ThreadPool;
  // what is in `tree` then lives in that pool. False: `log` has glslang's words.
  bool parse(std::string_view glsl, Tree& tree, TInfoSink& log) const;

 private:
  bool parse_level(std::string_view text, EShLanguage stage, TInfoSink& log);

  glslang::TPoolAllocator pool_;
  mutable glslang::TSymbolTable symbols_;  // levels are adopted from a table that is not const, and only read
  bool whole_ = true;                      // glslang has parsed its own built-ins
};

}  // namespace kem::spirv
