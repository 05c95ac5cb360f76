// The C++ allocation functions ([new.delete.single]) of what is linked with this library: glslang and SPIRV-Tools, and
// the whole of a program. They are malloc and free with SmallBlocks in between. The NIF keeps them to itself; C++
// libraries beside it have their own.
#include <cstdlib>
#include <new>

#include "base/small_blocks.h"

namespace kem {
namespace {

// Null before a thread's first allocation and after its end. In the thread's static block: a small library may have
// that, and it saves a call for each use.
[[gnu::tls_model("initial-exec")]] constinit thread_local SmallBlocks* blocks = nullptr;
constinit thread_local bool has_ended = false;

struct OfThread {
  OfThread() { blocks = &memory; }
  ~OfThread() {
    blocks = nullptr;
    has_ended = true;
  }
  SmallBlocks memory;
};

void begin_thread() {
  if (has_ended) return;
  static thread_local OfThread of_thread;
}

void* try_allocate(size_t bytes) {
  if (blocks == nullptr) begin_thread();
  return blocks == nullptr ? std::malloc(bytes) : blocks->allocate(bytes);
}

// [new.delete.single] 4: as long as there is a handler, it may make room.
[[gnu::noinline]] void* allocate_or_throw(size_t bytes) {
  while (true) {
    if (void* const block = try_allocate(bytes == 0 ? 1 : bytes)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace
}  // namespace kem

void* operator new(size_t bytes) {
  if (kem::blocks != nullptr) [[likely]] {
    if (void* const block = kem::blocks->allocate(bytes)) return block;
  }
  return kem::allocate_or_throw(bytes);
}

void operator delete(void* block) noexcept {
  if (kem::blocks == nullptr) return std::free(block);
  kem::blocks->free(block);
}

void operator delete(void* block, size_t) noexcept { operator delete(block); }
