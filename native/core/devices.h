// The engine's devices: chosen and opened in the background, each by a thread of its own, kept for the engine's life,
// opened anew after a loss.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "vulkan/vulkan.h"
#include "wgsl/wgsl.h"

namespace kem::core {

// The jobs of a device, guarded by the engine's mutex.
struct Load {
  uint64_t jobs = 0;   // in flight
  uint64_t bytes = 0;  // of these
  uint64_t done = 0;   // jobs that ended well
  // When a job last ended, or the first of those in flight came. Of several devices only.
  std::chrono::steady_clock::time_point progress;
};

// Shared by everything that was made on the device, which must go before it.
struct OpenDevice {
  OpenDevice(std::unique_ptr<vulkan::Device> opened, size_t place, Load& its_load)
      : device(std::move(opened)), index(place), load(its_load) {}
  const std::unique_ptr<vulkan::Device> device;
  const size_t index;  // among the engine's
  Load& load;          // of the index, before a loss and after
  std::atomic<uint64_t> resident_bytes{0};
  std::atomic<bool> lost{false};
};

wgsl::DeviceFeatures features_of(const vulkan::DeviceLimits& limits);

// Thread-safe.
class Devices {
 public:
  using Select = std::function<Result<std::unique_ptr<vulkan::Selection>>()>;
  using Reference = std::shared_ptr<OpenDevice>;

  explicit Devices(Select select) : select_(std::move(select)), slots_(1) {}
  ~Devices();  // joins the opening threads
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  // Begins opening those that are neither open nor being opened; a failure is kept for a second before the next try.
  // Closes what was lost and is not used any more.
  void start();
  // Waits until one is open, or all have failed: the first that is open. Otherwise as start().
  Result<Reference> wait();
  // The same for a certain one. InvalidArgument if there are not so many.
  Result<Reference> wait(size_t index);
  // Waits until none is being opened, at most so long; false if one still is.
  bool wait_for_all(std::chrono::nanoseconds at_most);

  // How many there are; 1 before the choice is made, which nothing is open before.
  size_t count() const { return count_.load(std::memory_order_relaxed); }
  bool several() const { return count() > 1; }
  // The device if it is open now, else null.
  Reference current(size_t index) const;

  // Marks a device as lost. On any thread, the device's own too: it is closed later, by a start() or wait() that finds
  // it unused, or at the end.
  void lose(OpenDevice& device);
  // Whether start() has something to do and others go on meanwhile, so that nobody waits for it. Costs nothing.
  bool want_care() const { return want_care_.load(std::memory_order_relaxed); }

  struct State {
    vulkan::DeviceInfo info;
    Reference device;  // null: not open
    uint64_t losses = 0;
    const Load* load = nullptr;
  };
  // Empty before the choice is made.
  std::vector<State> states() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  struct Slot {
    std::thread thread;
    bool opening = false;
    Reference device;
    std::vector<Reference> lost;
    uint64_t losses = 0;
    std::optional<Error> error;
    std::chrono::steady_clock::time_point failed_at;
    Load load;
  };

  void start(Lock& lock);
  void start(size_t index);  // locked
  void open(size_t index);
  Result<std::unique_ptr<vulkan::Device>> opened(size_t index);
  Result<vulkan::Selection*> selection();
  void note_care();  // locked

  const Select select_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  std::unique_ptr<vulkan::Selection> selection_;  // made by the first slot's thread, for good
  std::deque<Slot> slots_;                        // grows once, when the choice is made
  std::atomic<size_t> count_{1};
  std::atomic<bool> want_care_{false};
};

}  // namespace kem::core
