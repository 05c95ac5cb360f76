// A chain's inside: which buffers it uses, and its steps as the device wants them. Free of threads and of the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/core.h"
#include "core/executable.h"
#include "core/plan.h"
#include "core/resident.h"

namespace kem::core {

// A buffer that a task uses; it stays alive as long as the task.
struct Held {
  std::shared_ptr<Resident> buffer;
  bool writes = false;
};

struct ChainWork {
  // Names the kernels at once if the chain is brief.
  explicit ChainWork(Chain given);
  // Makes the keys, unless they are there.
  void name_kernels();
  // A kernel that has become ready.
  void accept(const std::string& key, const Ready& kernel);
  // Whether a kernel ran past its loop budget.
  bool trapped() const;
  std::string origin() const;
  std::string warnings() const;

  Chain chain;
  const bool brief;               // few steps and short texts: what its submitter may start itself
  std::vector<std::string> keys;  // by kernel
  std::vector<Ready> ready;       // by kernel; without an executable: not ready yet

  // The plan: what the device is given, which keeps pointers into it.
  struct Planned {
    std::pmr::vector<vulkan::Argument> arguments;  // without results
    std::array<uint64_t, 3> workgroups{1, 1, 1};
    uint64_t output_bytes = 0;
    size_t output = 0;  // index of the output among the arguments
    size_t trap = 0;    // index of the loop budget's trap; 0: none (it is never the first)
    bool returns = false;
    bool has_results() const { return returns || trap != 0; }
  };
  std::vector<Planned> planned;             // by step
  std::vector<vulkan::Argument> arguments;  // of the steps in the chain's order that have results, one after the other
  std::vector<uint32_t> traps;              // one for each of these that has a trap; not zero: its kernel was trapped
  std::vector<vulkan::Step> steps;
};

// What can be refused before anything is known of the kernels: indices out of range, more than the limit's steps
// (InvalidArgument), a buffer that is input and output of a step (InvalidArgument), and what check_call refuses.
Status check_chain(const Chain& chain, const Limits& limits);

// The sum over the chain's order.
Traffic traffic_of(const Chain& chain, const Limits& limits);

// Every buffer of the chain once. Errors as ResidentPool::own().
Result<std::vector<Held>> buffers_of(const Chain& chain, const ResidentPool& pool);

// The one device that a chain with these buffers can run on: that of all of them, and the pinned one if there is one;
// none: any. InvalidArgument.
Result<std::optional<size_t>> device_of_buffers(const std::vector<Held>& held, std::optional<size_t> pin);

// Fills the plan in. Kernels are ready, the trap's argument is added where a kernel has one. `lending` gives the memory
// of each result, in order. Errors as plan_call's, with the step's number where there are several, and
// OutOfMemory.
Status plan_chain(ChainWork& work, const Limits& limits, Lending& lending);

}  // namespace kem::core
