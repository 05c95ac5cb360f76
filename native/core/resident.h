// Resident buffers: who owns their memory, who waits for them, and where it is freed.
//
// A Resident is shared by whoever refers to it (the engine's callers) and the tasks that use it. Its memory belongs to
// a device, so it may not outlive the engine, and freeing it takes a while: the last reference, dropped on any thread,
// only hands it to the pool, which frees it on the engine's thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "core/core.h"
#include "core/devices.h"

namespace kem::core {

class ResidentPool;

// A task's place in a buffer's queue.
struct Use {
  JobId job = 0;
  bool writes = false;
};

class Resident final : public Buffer {
 public:
  Resident(std::shared_ptr<OpenDevice> owner, std::unique_ptr<vulkan::Buffer> bytes, uint64_t count)
      : device(std::move(owner)), memory(std::move(bytes)), size_(count) {}
  uint64_t size() const override { return size_; }

  std::shared_ptr<OpenDevice> device;      // declared first: it goes after the memory
  std::unique_ptr<vulkan::Buffer> memory;  // null once the engine has gone
  std::deque<Use> users;                   // in the order of submission; guarded by the engine's mutex

 private:
  friend class ResidentPool;
  const uint64_t size_;
  std::shared_ptr<ResidentPool> pool_;
  std::unique_ptr<Resident> next_;  // among those that are to be freed
};

// Thread-safe. Outlives the engine as long as there are references to buffers.
class ResidentPool : public std::enable_shared_from_this<ResidentPool> {
 public:
  // `wake` is called when there is something to free, on any thread, under a lock: it must only tell another thread to
  // call free_dropped(). Not called after close().
  ResidentPool(uint64_t limit, std::function<void()> wake) : limit_(limit), wake_(std::move(wake)) {}

  // Counts the bytes of a buffer that is about to be made. OutOfMemory over the limit.
  Status reserve(uint64_t bytes);
  void unreserve(uint64_t bytes) { bytes_ -= bytes; }
  // The buffer of reserved bytes.
  std::shared_ptr<Resident> adopt(std::unique_ptr<Resident> buffer);
  // Frees what nobody refers to any more.
  void free_dropped();
  // Frees the memory of all buffers, referred to or not. Nothing uses it any more.
  void close();
  uint64_t bytes() const { return bytes_; }
  // The buffer behind a reference. InvalidArgument without one; DeviceLost if it is another engine's, which has ended
  // or is about to, or if its device was lost.
  Result<std::shared_ptr<Resident>> own(const BufferReference& buffer) const;

 private:
  void drop(Resident* buffer) noexcept;

  const uint64_t limit_;
  std::atomic<uint64_t> bytes_{0};
  std::mutex mutex_;
  std::function<void()> wake_;
  bool open_ = true;
  std::unordered_set<Resident*> live_;
  std::unique_ptr<Resident> dropped_;  // a list
};

}  // namespace kem::core
