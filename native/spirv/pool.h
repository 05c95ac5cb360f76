// What glslang allocates for one shader, and never frees singly: trees, types and names, 64 to 130 bytes for a byte of
// GLSL.
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
  // For a text of so many bytes, which may take `most` bytes. A small one can't take that much.
  Pool(size_t text, size_t most);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  // To be called often while the text is parsed. False from when it has taken `most` bytes.
  bool refill() {
    if (maps_ && freeList == nullptr && !is_exhausted()) map_pages();
    return !is_exhausted();
  }
  bool is_exhausted() const { return mapped_ >= most_; }

 private:
  void map_pages();
  bool is_mapped(const void* page) const;

  const bool maps_;
  const size_t most_;
  size_t mapped_ = 0;
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
