#include "core/ready_kernels.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

namespace kem::core {
namespace {

using Clock = std::chrono::steady_clock;

// A job costs a device about as much as so many bytes on their way to it.
constexpr uint64_t kJobBytes = 256u << 10;
// What drivers take to make a pipeline: worth waiting for elsewhere, if a device has not ended a job for as long.
constexpr std::chrono::milliseconds kLong{10};

uint64_t weight(const Load& load) { return load.bytes + load.jobs * kJobBytes; }

bool is_at_something_long(const Load& load) { return load.jobs != 0 && Clock::now() - load.progress > kLong; }

}  // namespace

const std::shared_ptr<const Executable>* ReadyKernels::at(const Places& places, size_t device) {
  if (device >= places.on.size() || !places.on[device] || places.on[device]->device->lost) return nullptr;
  return &places.on[device];
}

bool ReadyKernels::find(const std::string& key, Spot& spot, Ready& into) {
  spot.target.reset();
  const Places* const places = kernels_.find(key);
  if (places == nullptr) return false;
  const auto* const found = places->on.size() == 1 ? at(*places, spot.pin.value_or(0)) : choose(*places, spot);
  if (found == nullptr) return false;
  into.executable = *found;
  into.origin = places->origin;
  return true;
}

const std::shared_ptr<const Executable>* ReadyKernels::choose(const Places& places, Spot& spot) const {
  if (spot.pin) return at(places, *spot.pin);
  const std::shared_ptr<const Executable>* best = nullptr;
  DeviceSet ready = 0;
  for (size_t i = 0; i < places.on.size(); ++i) {
    const auto* const here = at(places, i);
    if (here == nullptr) continue;
    ready |= device_bit(i);
    if (best == nullptr || weight((*here)->device->load) < weight((*best)->device->load)) best = here;
  }
  if (best == nullptr) return nullptr;
  const Load& load = (*best)->device->load;
  if (load.jobs == 0) return best;
  const auto other = less_loaded(weight(load), ready | places.refused | spot.avoid);
  if (!other) return best;
  if ((places.asked & device_bit(*other)) == 0) spot.wish = other;
  if (!is_at_something_long(load)) return best;
  spot.target = other;
  return nullptr;
}

// The open device with the least in flight, if that is less than so much.
std::optional<size_t> ReadyKernels::less_loaded(uint64_t than, DeviceSet without) const {
  std::optional<size_t> least;
  for (size_t i = 0; i < devices_.count(); ++i) {
    if ((without & device_bit(i)) != 0) continue;
    const auto device = devices_.current(i);
    if (!device || weight(device->load) >= than) continue;
    than = weight(device->load);
    least = i;
  }
  return least;
}

bool ReadyKernels::find_all(std::span<const std::string> keys, Spot& spot, std::span<Ready> ready) {
  if (!spot.wanted() && devices_.several()) choose_target(keys, spot);
  bool all = true;
  for (size_t i = 0; i < ready.size(); ++i) {
    const std::optional<size_t> wanted = spot.wanted();
    if (ready[i].executable && (!wanted || ready[i].executable->device->index == *wanted)) continue;
    ready[i] = {};
    const Places* const places = kernels_.find(keys[i]);
    const auto* const found = places != nullptr ? at(*places, wanted.value_or(0)) : nullptr;
    if (found != nullptr) {
      ready[i] = {*found, places->origin};
    } else {
      all = false;
    }
  }
  return all;
}

// As find() does it. Without any open device there is no target: the kernels may come to be ready on several, and are
// looked for again then.
void ReadyKernels::choose_target(std::span<const std::string> keys, Spot& spot) {
  DeviceSet ready = 0;
  std::optional<size_t> best;
  const Load* load = nullptr;
  for (size_t i = 0; i < devices_.count(); ++i) {
    if (!std::all_of(keys.begin(), keys.end(), [&](const std::string& key) { return on(key, i) != nullptr; })) continue;
    ready |= device_bit(i);
    const auto device = devices_.current(i);
    if (!device || (load != nullptr && weight(device->load) >= weight(*load))) continue;
    best = i;
    load = &device->load;
  }
  if (best && load->jobs == 0) {
    spot.target = best;
    return;
  }
  const auto other = less_loaded(best ? weight(*load) : std::numeric_limits<uint64_t>::max(), ready | spot.avoid);
  const bool there = other && (!best || is_at_something_long(*load));
  spot.target = there ? other : best;
  if (best && other) spot.wish = other;
}

const std::shared_ptr<const Executable>* ReadyKernels::on(const std::string& key, size_t device) {
  const Places* const places = kernels_.find(key);
  return places == nullptr ? nullptr : at(*places, device);
}

const std::shared_ptr<const Executable>* ReadyKernels::any(const std::string& key) {
  const Places* const places = kernels_.find(key);
  for (size_t i = 0; places != nullptr && i < places->on.size(); ++i) {
    if (const auto* const found = at(*places, i)) return found;
  }
  return nullptr;
}

std::optional<size_t> ReadyKernels::another(const std::string& key) {
  const Places* const places = kernels_.find(key);
  if (places == nullptr) return std::nullopt;
  DeviceSet without = places->asked | places->refused;
  for (size_t i = 0; i < places->on.size(); ++i) {
    if (at(*places, i) != nullptr) without |= device_bit(i);
  }
  return less_loaded(std::numeric_limits<uint64_t>::max(), without);
}

void ReadyKernels::keep(const std::string& key, const Ready& ready) {
  Places* places = kernels_.find(key);
  if (places == nullptr) {
    const size_t cost = std::clamp(ready.executable->spirv_bytes, kLeastCost, kMostCost);
    kernels_.insert(key, Places{ready.origin, {}, 0, 0}, cost);
    places = kernels_.find(key);
  }
  places->on.resize(devices_.count());
  const size_t device = ready.executable->device->index;
  places->on[device] = ready.executable;
  places->asked &= ~device_bit(device);
}

bool ReadyKernels::ask(const std::string& key, size_t device) {
  Places* const places = kernels_.find(key);
  if (places == nullptr || at(*places, device) != nullptr) return false;
  const DeviceSet bit = device_bit(device);
  if (((places->asked | places->refused) & bit) != 0) return false;
  places->asked |= bit;
  return true;
}

void ReadyKernels::answer(const std::string& key, size_t device, bool refused) {
  Places* const places = kernels_.find(key);
  if (places == nullptr) return;
  places->asked &= ~device_bit(device);
  if (refused) places->refused |= device_bit(device);
}

void ReadyKernels::forget(const OpenDevice& device) {
  kernels_.erase_if([&](Places& places) {
    std::shared_ptr<const Executable>& here = places.on[device.index];
    if (here && here->device.get() == &device) here = nullptr;
    places.refused &= ~device_bit(device.index);
    return std::all_of(places.on.begin(), places.on.end(), [](const auto& executable) { return !executable; });
  });
}

bool ReadyKernels::lighter(const Load& a, const Load& b) { return weight(a) < weight(b); }

void ReadyKernels::enter(Spot& spot, OpenDevice& device, uint64_t bytes) const {
  leave(spot, bytes);
  Load& load = device.load;
  if (load.jobs++ == 0 && devices_.several()) load.progress = Clock::now();
  load.bytes += bytes;
  spot.load = &load;
}

void ReadyKernels::leave(Spot& spot, uint64_t bytes) const {
  if (spot.load == nullptr) return;
  Load& load = *std::exchange(spot.load, nullptr);
  --load.jobs;
  load.bytes -= bytes;
  if (devices_.several()) load.progress = Clock::now();
}

}  // namespace kem::core
