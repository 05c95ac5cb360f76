// glslang's per-process state, initialised by the first user and freed only while it has none.
#pragma once

#include <shared_mutex>

#include "spirv/parse.h"

namespace kem::spirv {

// Holds glslang initialised for as long as it lives. Any number of threads may hold one.
class GlslangUse {
 public:
  GlslangUse();
  GlslangUse(const GlslangUse&) = delete;
  GlslangUse& operator=(const GlslangUse&) = delete;

  const BuiltIns& built_ins() const;

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

// Waits until no GlslangUse lives, then frees what glslang keeps. The next GlslangUse initialises it again.
void finalize_glslang();

}  // namespace kem::spirv
