// What glslang allocates for one shader, and never frees singly: trees, types and names, 64 bytes for a byte of GLSL.
#pragma once

#include <glslang/Include/InitializeGlobals.h>
#include <glslang/Include/PoolAlloc.h>

#include <cstddef>
#include <vector>

#include "base/mapping.h"

namespace kem::spirv {

// glslang takes a page from its list of free ones, or else from malloc. For a large shader refill() keeps that list
// filled from mappings in huge pages: malloc gives such an amount back to the system, and 24,000 page faults for a
// module of 1 MiB, at every compile, took a sixth of glslang's time.
class Pool : public glslang::TPoolAllocator {
 public:
  // For a text of so many bytes.
  explicit Pool(size_t text);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // To be called often while the text is parsed.
  void refill() {
    if (maps_ && freeList == nullptr) map_pages();
  }

 private:
  void map_pages();
  bool is_mapped(const void* page) const;

  const bool maps_;
  std::vector<Mapping> mappings_;
};

// The pool of this thread, for as long as this lives. Not to be nested.
class ThreadPool {
 public:
  explicit ThreadPool(glslang::TPoolAllocator& pool) { glslang::SetThreadPoolAllocator(&pool); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() { glslang::SetThreadPoolAllocator(nullptr); }
};

}  // namespace kem::spirv
