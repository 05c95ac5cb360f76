// A kernel on its way to the device: how it is named, and what it is once it can run.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "core/compiler.h"
#include "core/core.h"
#include "core/devices.h"

namespace kem::core {

// A kernel that can run: its pipeline on a device and what the executor must know of it. Immutable.
struct Executable {
  std::shared_ptr<OpenDevice> device;  // declared first: it goes after the pipeline
  std::unique_ptr<vulkan::Pipeline> pipeline;
  std::shared_ptr<const CompiledShader> shader;  // of all devices alike; the SPIR-V is kept where there are several
  std::string key;                               // of its text
  size_t spirv_bytes = 0;
};

struct Ready {
  std::shared_ptr<const Executable> executable;  // shared: a job may run while the cache forgets it
  std::string origin;
};

// What a job wants to run. Views into the job.
struct Wanted {
  const std::string* txid = nullptr;  // null: the text
  std::string_view text;
  std::string_view entry_point;
  std::span<const wgsl::Constant> constants;
};

Wanted wanted(const Job& job);
Wanted wanted(const BindingJob& job);
Wanted wanted(const Chain::Kernel& kernel);

// The name of what is wanted: unambiguous, because entry point and constants have their lengths in it.
std::string key_of(const Wanted& wanted);
// The key of a text, whatever it was fetched as.
std::string text_key(const Sha256& digest, std::string_view entry_point, std::span<const wgsl::Constant> constants);

}  // namespace kem::core
