#include "vulkan/loop_probe.h"

#include <array>
#include <bit>

#include "loop_probe.spv.h"

namespace kem::vulkan {
namespace {

// Beyond every 16-bit limit, and soon done.
constexpr uint32_t kIterations = 70'000;
constexpr std::chrono::seconds kTimeLimit{60};  // takes milliseconds, some seconds under a simulator of processors
constexpr uint32_t kStepsToAnExit = 8;          // as in the shader

}  // namespace

Result<LoopBehavior> probe_loops(Device& device) {
  const std::array bindings{LayoutBinding{0, 0, BufferKind::StorageReadWrite}};
  PipelineDescription description;
  description.spirv = loop_probe_spv;
  description.bindings = bindings;
  KEM_TRY(const std::unique_ptr<Pipeline> pipeline, device.make_pipeline(description));

  using Words = std::array<uint32_t, 3>;
  const auto initial = std::bit_cast<std::array<uint8_t, sizeof(Words)>>(Words{kIterations, 0, 0});
  std::array<uint8_t, sizeof(Words)> result{};
  const std::array arguments{
      Argument{0, 0, BufferKind::StorageReadWrite, sizeof(Words), std::span(initial), std::span(result)}};
  Dispatch dispatch;
  dispatch.deadline = std::chrono::steady_clock::now() + kTimeLimit;
  KEM_CHECK(device.run(*pipeline, arguments, dispatch));
  const auto [bound, counted, steps] = std::bit_cast<Words>(result);
  return LoopBehavior{counted == bound ? 0 : counted, steps != kStepsToAnExit};
}

}  // namespace kem::vulkan
