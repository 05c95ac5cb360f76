// A call's arithmetic, free of any device: which sizes are bound, how many bytes come back, how many workgroups
// run, and whether the kernel's interface is the call's (docs/architecture.md, the contract).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "core/core.h"
#include "vulkan/vulkan.h"
#include "wgsl/wgsl.h"

namespace kem::core {

// The places of the contract, all in group 0.
inline constexpr uint32_t kInputBinding = 0;
inline constexpr uint32_t kOutputBinding = 1;
inline constexpr uint32_t kParamsBinding = 2;

// A resident buffer's memory, where a call has it in place of bytes.
struct Bound {
  vulkan::Buffer* memory = nullptr;  // null: none
  uint64_t bytes = 0;                // as its owner knows it; the memory is at least as long, in whole words
};

// What of a job its sizes depend on. `input` is decoded already where it was an image.
struct Call {
  std::span<const uint8_t> input;
  std::optional<std::span<const uint8_t>> params;
  std::variant<OutputHint, OutputBytes> output;
  std::variant<DispatchLinear, DispatchGrid, DispatchWorkgroups> dispatch;
  Bound resident_input{};   // instead of `input`
  Bound resident_output{};  // instead of `output`: nothing comes back
  bool no_input = false;    // the kernel must not use binding 0, and the output's size is told
};

struct CallPlan {
  uint64_t output_bytes = 0;  // exactly what the caller gets, or what its resident buffer has
  std::array<uint64_t, 3> workgroups{1, 1, 1};
  std::pmr::vector<vulkan::Argument> arguments;  // in the reflection's order; without `result` spans
  size_t output_argument = 0;                    // index of the output among them
};

Call call_of(const Job& job);

// What can be refused before the kernel is known. `input` may still be an encoded image. The same errors as
// plan_call's, but InvalidBinding.
Status check_call(const Call& call, const Limits& limits);

// How many bytes of input the call brings and how many of output it takes away, each at most its limit: for a call
// that check_call refuses, a guess.
struct Traffic {
  uint64_t input = 0;
  uint64_t output = 0;
  uint64_t sum() const { return input + output; }
};
Traffic traffic_of(const Call& call, const Limits& limits);
Traffic traffic_of(const Job& job, const Limits& limits);

// Errors: InvalidInput, InputTooLarge, InvalidArgument, OutputTooLarge, InvalidParams, InvalidBinding.
Result<CallPlan> plan_call(const Call& call, const wgsl::Reflection& reflection, const Limits& limits,
                           const vulkan::DeviceLimits& device,
                           std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// Arguments for any bindings: every binding that the kernel uses needs one, long enough; others are left alone.
// A read-write binding's new contents go where its initial ones came from. InvalidBinding, InputTooLarge.
Result<std::pmr::vector<vulkan::Argument>> plan_bindings(
    const BindingJob& job, const wgsl::Reflection& reflection, const vulkan::DeviceLimits& device,
    std::pmr::memory_resource* memory = std::pmr::get_default_resource());

// What of a job's memory the device may use after the job's end, and pages for large results. The client is asked for
// nothing until there is something of a size that is worth it.
class Lending {
 public:
  Lending(Client& client, const vulkan::DeviceLimits& device)
      : client_(client),
        least_input_(device.least_lent_bytes),
        least_result_(device.least_lent_result_bytes),
        in_place_(device.binds_lent) {}

  // Marks the arguments whose initial bytes the client can lend.
  void lend_inputs(std::span<vulkan::Argument> arguments);
  // Gives the argument memory for its result. OutOfMemory.
  Status allocate_result(vulkan::Argument& argument, uint64_t bytes);
  // Memory for bytes that are copied into all of it. OutOfMemory.
  Result<std::span<uint8_t>> allocate_copy(uint64_t bytes);

  // For vulkan::Terms; null if nothing was lent.
  std::shared_ptr<const void> lender() const { return lender_; }

 private:
  bool has_lender();
  const Pages* lend(uint64_t bytes, PageContent content);

  Client& client_;
  uint64_t least_input_;
  uint64_t least_result_;
  bool in_place_;
  bool refused_ = false;  // the client lends nothing
  std::shared_ptr<const void> lender_;
};

// A count of workgroups that num_workgroups and global_invocation_id can tell in 32 bits. InvalidArgument.
Status check_workgroups(const std::array<uint64_t, 3>& count, const std::array<uint32_t, 3>& size);

// No more bytes than the kernel's var<immediate> has. InvalidArgument.
Status check_immediates(std::span<const uint8_t> immediates, const wgsl::Reflection& reflection);

// Width and height from params words 0 and 1. InvalidParams if there are none, or one is zero.
struct Extent {
  uint32_t width = 0;
  uint32_t height = 0;
};
Result<Extent> extent_of(std::optional<std::span<const uint8_t>> params);

vulkan::BufferKind buffer_kind(wgsl::BindingKind kind);

}  // namespace kem::core
