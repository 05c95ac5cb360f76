#include "core/resident.h"

#include <new>
#include <utility>
#include <vector>

namespace kem::core {

Status ResidentPool::reserve(uint64_t bytes) {
  uint64_t before = bytes_;
  do {
    if (bytes > limit_ || before > limit_ - bytes) {
      return fail(ErrorClass::OutOfMemory, "resident buffers have " + std::to_string(before) + " bytes already, " +
                                               std::to_string(bytes) + " more are over the limit of " +
                                               std::to_string(limit_));
    }
  } while (!bytes_.compare_exchange_weak(before, before + bytes));
  return {};
}

std::shared_ptr<Resident> ResidentPool::adopt(std::unique_ptr<Resident> buffer) {
  buffer->pool_ = shared_from_this();
  {
    const std::lock_guard lock(mutex_);
    live_.insert(buffer.get());
  }
  // The pool is kept by the deleter: the buffer's own reference goes with the buffer.
  return {buffer.release(), [pool = shared_from_this()](Resident* dropped) { pool->drop(dropped); }};
}

// On whatever thread dropped the last reference, perhaps after the engine has gone.
void ResidentPool::drop(Resident* buffer) noexcept {
  std::unique_ptr<Resident> owned(buffer);
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  live_.erase(buffer);
  owned->next_ = std::move(dropped_);
  dropped_ = std::move(owned);
  if (dropped_->next_) return;  // told already
  try {
    wake_();
  } catch (const std::exception&) {  // no memory to tell it with: the next one that is made frees them
  }
}

Result<std::shared_ptr<Resident>> ResidentPool::own(const BufferReference& buffer) const {
  if (!buffer) return fail(ErrorClass::InvalidArgument, "there is no buffer");
  auto resident = std::static_pointer_cast<Resident>(buffer);  // there are no others
  if (resident->pool_.get() != this) {
    return fail(ErrorClass::DeviceLost, "the buffer's memory has gone with the engine that it was made by");
  }
  if (resident->device->lost) {
    return fail(ErrorClass::DeviceLost, "the buffer's memory has gone with its device, which was lost");
  }
  return resident;
}

void ResidentPool::free_dropped() {
  std::unique_ptr<Resident> list;
  {
    const std::lock_guard lock(mutex_);
    list = std::move(dropped_);
  }
  while (list) {
    list->memory = nullptr;
    list->device->resident_bytes -= list->size_;
    bytes_ -= list->size_;
    list = std::exchange(list->next_, nullptr);
  }
}

void ResidentPool::close() {
  std::vector<std::unique_ptr<vulkan::Buffer>> memory;
  std::vector<std::shared_ptr<OpenDevice>> devices;
  {
    const std::lock_guard lock(mutex_);
    open_ = false;
    wake_ = nullptr;
    for (Resident* buffer : live_) {
      memory.push_back(std::move(buffer->memory));
      devices.push_back(std::move(buffer->device));
    }
    live_.clear();
  }
  memory.clear();
  free_dropped();
}

}  // namespace kem::core
