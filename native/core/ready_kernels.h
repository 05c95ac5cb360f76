// Which kernels are ready on which devices, and on which of them a task is to run.
//
// A task runs where the least is in flight among the devices that its kernel is ready on. If less is in flight
// elsewhere, the kernel is got ready there meanwhile, for the tasks that come later; the task itself goes there, and
// waits, only if the device that could take it at once is at something long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/lru_cache.h"
#include "core/devices.h"
#include "core/executable.h"

namespace kem::core {

// Devices by their index, as bits.
using DeviceSet = uint32_t;
static_assert(vulkan::Selection::kMost == 32);
// None for an index that only a caller has thought of.
constexpr DeviceSet device_bit(size_t index) {
  return index < vulkan::Selection::kMost ? DeviceSet{1} << index : DeviceSet{0};
}
static_assert(device_bit(31) == 1u << 31 && device_bit(32) == 0 && device_bit(size_t{1} << 40) == 0);
constexpr DeviceSet all_devices(size_t count) { return ~DeviceSet{0} >> (vulkan::Selection::kMost - count); }

// Where a task may run, and where it is to.
struct Spot {
  std::optional<size_t> pin;     // the only device that it may run on
  std::optional<size_t> target;  // where its kernels are to be made ready; none: wherever it is convenient
  std::optional<size_t> wish;    // where they should be made ready for others
  DeviceSet avoid = 0;           // where that has failed
  Load* load = nullptr;          // that the task is counted in
  std::optional<size_t> wanted() const { return pin ? pin : target; }
};

// Not thread-safe: the engine's mutex.
class ReadyKernels {
 public:
  // Keeps `most` kernels of up to 64 KiB of SPIR-V, fewer of larger ones: drivers keep many times as much for each.
  ReadyKernels(size_t most, const Devices& devices) : devices_(devices), kernels_(most * kLeastCost) {}

  // The kernel on the device that the task is to run on. False if it is not ready there: spot.target.
  bool find(const std::string& key, Spot& spot, Ready& into);
  // All kernels of a chain on one device. `ready` has as many; those that are there already stay.
  bool find_all(std::span<const std::string> keys, Spot& spot, std::span<Ready> ready);
  // The kernel on a device that is not lost, or null.
  const std::shared_ptr<const Executable>* on(const std::string& key, size_t device);

  // The same on any device.
  const std::shared_ptr<const Executable>* any(const std::string& key);
  // The open device with the least in flight on which the kernel is neither ready nor on its way.
  std::optional<size_t> another(const std::string& key);

  void keep(const std::string& key, const Ready& ready);
  // Claims the task of making a kernel ready on a device for nobody in particular: true once, until answer().
  bool ask(const std::string& key, size_t device);
  // What came of it. Refused: it will not be tried again.
  void answer(const std::string& key, size_t device, bool refused);
  // A lost device's.
  void forget(const OpenDevice& device);
  size_t size() const { return kernels_.size(); }

  static bool lighter(const Load& a, const Load& b);
  // Counts a task's bytes where it is going to run, and no longer there.
  void enter(Spot& spot, OpenDevice& device, uint64_t bytes) const;
  void leave(Spot& spot, uint64_t bytes) const;

 private:
  static constexpr size_t kLeastCost = size_t{64} << 10, kMostCost = size_t{4} << 20;

  // A kernel by device.
  struct Places {
    std::string origin;
    std::vector<std::shared_ptr<const Executable>> on;  // null: not ready
    DeviceSet asked = 0, refused = 0;
  };

  static const std::shared_ptr<const Executable>* at(const Places& places, size_t device);
  const std::shared_ptr<const Executable>* choose(const Places& places, Spot& spot) const;
  std::optional<size_t> less_loaded(uint64_t than, DeviceSet without) const;
  void choose_target(std::span<const std::string> keys, Spot& spot);

  const Devices& devices_;
  LruCache<Places> kernels_;
};

}  // namespace kem::core
