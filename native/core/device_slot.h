// The engine's one device: opened in the background, kept for the engine's life, opened anew after a loss.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
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

// Shared by everything that was made on the device, which must go before it.
struct OpenDevice {
  explicit OpenDevice(std::unique_ptr<vulkan::Device> opened) : device(std::move(opened)) {}
  const std::unique_ptr<vulkan::Device> device;
  std::atomic<bool> lost{false};
};

wgsl::DeviceFeatures features_of(const vulkan::DeviceLimits& limits);

// Thread-safe.
class DeviceSlot {
 public:
  using Open = std::function<Result<std::unique_ptr<vulkan::Device>>()>;
  explicit DeviceSlot(Open open) : open_(std::move(open)) {}
  ~DeviceSlot();  // joins the opening thread
  DeviceSlot(const DeviceSlot&) = delete;
  DeviceSlot& operator=(const DeviceSlot&) = delete;

  // Begins opening unless the device is open or being opened. A failure is kept for a second before the next try.
  void start();
  // Waits until it is open or has failed.
  Result<std::shared_ptr<OpenDevice>> wait();
  // The device if it is open now, else null.
  std::shared_ptr<OpenDevice> current() const;
  // Marks the device as lost; the next wait() opens another. On any thread, the device's own too: it is closed later,
  // by a start() or wait() that finds it unused, or at the end.
  void lose(OpenDevice& device);

 private:
  void start_locked();
  void open();

  const Open open_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  bool opening_ = false;
  std::shared_ptr<OpenDevice> device_;
  std::vector<std::shared_ptr<OpenDevice>> lost_;
  std::optional<Error> error_;
  std::chrono::steady_clock::time_point failed_at_;
};

}  // namespace kem::core
