// kem_floors SECONDS LARGE_BYTES [UUID]: what hand-written Vulkan takes for the work of a call, as the rows of
// kem_bench_peers.erl: a JSON array of objects of name, value and unit, medians of what SECONDS each allow.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "gpu.h"

namespace floors {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kSmall = 16;
constexpr int kSteps = 1000;

struct Row {
  std::string name;
  double microseconds;
};

double median(double seconds, const std::function<void()>& work) {
  work();
  std::vector<double> times;
  const auto begin = Clock::now();
  while (times.size() < 3 || Clock::now() - begin < std::chrono::duration<double>(seconds)) {
    const auto round = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - round).count());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

void fill(const Buffer& buffer) {
  for (uint32_t i = 0; i < buffer.size / sizeof i; ++i) static_cast<uint32_t*>(buffer.mapped)[i] = i;
}

void check_doubled(const Buffer& buffer) {
  for (uint32_t i = 0; i < buffer.size / sizeof i; ++i)
    if (static_cast<const uint32_t*>(buffer.mapped)[i] != i * 2) die("the output is not the input doubled");
}

// Both ways of waiting; a processor that is the device is not to be kept busy by a poll.
void measure_both(const Gpu& gpu, std::vector<Row>& rows, const std::string& name, double seconds,
                  const std::function<void(bool polling)>& work) {
  rows.push_back({name + ", blocking", median(seconds, [&] { work(false); })});
  if (!gpu.is_cpu()) rows.push_back({name + ", polling", median(seconds, [&] { work(true); })});
}

void measure_empty(const Gpu& gpu, std::vector<Row>& rows, double seconds) {
  const VkCommandBuffer commands = gpu.begin();
  gpu.end(commands);
  measure_both(gpu, rows, "empty submit", seconds, [&](bool polling) { gpu.run(commands, polling); });
  gpu.release(commands);
}

// A call on prerecorded commands: the caller's bytes in, the kernel on memory that both sides reach, its bytes out.
void measure_small(const Gpu& gpu, std::vector<Row>& rows, double seconds) {
  const Buffer from = gpu.make_buffer(kSmall, Place::Near), to = gpu.make_buffer(kSmall, Place::Host);
  std::vector<uint32_t> input{0, 1, 2, 3}, output(4);
  const VkCommandBuffer commands = gpu.begin();
  gpu.record_kernel(commands, from, to);
  gpu.record_barrier(commands);
  gpu.end(commands);
  measure_both(gpu, rows, "16-byte call", seconds, [&](bool polling) {
    std::memcpy(from.mapped, input.data(), kSmall);
    gpu.run(commands, polling);
    std::memcpy(output.data(), to.mapped, kSmall);
  });
  check_doubled(to);
  gpu.release(commands);
  gpu.destroy(from);
  gpu.destroy(to);
}

// The kernel alone on host memory, which is where a processor's data are anyway.
void measure_in_place(const Gpu& gpu, std::vector<Row>& rows, double seconds, uint64_t bytes) {
  const Buffer from = gpu.make_buffer(bytes, Place::Host), to = gpu.make_buffer(bytes, Place::Host);
  fill(from);
  const VkCommandBuffer commands = gpu.begin();
  gpu.record_kernel(commands, from, to);
  gpu.record_barrier(commands);
  gpu.end(commands);
  rows.push_back({"large kernel on host memory", median(seconds, [&] { gpu.run(commands, false); })});
  check_doubled(to);
  gpu.release(commands);
  gpu.destroy(from);
  gpu.destroy(to);
}

// By DMA to the device, kernel, by DMA back, from and to memory that is pinned and filled already.
void measure_by_copies(const Gpu& gpu, std::vector<Row>& rows, double seconds, uint64_t bytes) {
  const Buffer in = gpu.make_buffer(bytes, Place::Host), out = gpu.make_buffer(bytes, Place::Host);
  const Buffer from = gpu.make_buffer(bytes, Place::Device), to = gpu.make_buffer(bytes, Place::Device);
  fill(in);
  const VkCommandBuffer commands = gpu.begin();
  gpu.record_copy(commands, in, from);
  gpu.record_barrier(commands);
  gpu.record_kernel(commands, from, to);
  gpu.record_barrier(commands);
  gpu.record_copy(commands, to, out);
  gpu.record_barrier(commands);
  gpu.end(commands);
  rows.push_back({"large copies and kernel", median(seconds, [&] { gpu.run(commands, false); })});
  check_doubled(out);
  gpu.release(commands);
  for (const Buffer& buffer : {in, out, from, to}) gpu.destroy(buffer);
}

// A step of a chain: a dispatch that waits for the one before, all of them in one command buffer.
void measure_chain(const Gpu& gpu, std::vector<Row>& rows, double seconds) {
  const Buffer one = gpu.make_buffer(kSmall, Place::Device), other = gpu.make_buffer(kSmall, Place::Device);
  const VkCommandBuffer commands = gpu.begin();
  gpu.record_kernel(commands, one, other);
  for (int step = 1; step < kSteps; ++step) {
    gpu.record_barrier(commands);
    gpu.record_dispatch(commands, kSmall / sizeof(uint32_t));
  }
  gpu.end(commands);
  rows.push_back({"step of a chain", median(seconds, [&] { gpu.run(commands, false); }) / kSteps});
  gpu.release(commands);
  gpu.destroy(one);
  gpu.destroy(other);
}

void print(const std::vector<Row>& rows) {
  std::printf("[");
  for (size_t i = 0; i < rows.size(); ++i) {
    std::printf("%s{\"name\":\"%s\",\"value\":%.3f,\"unit\":\"us\"}", i == 0 ? "" : ",", rows[i].name.c_str(),
                rows[i].microseconds);
  }
  std::printf("]\n");
}

void measure(double seconds, uint64_t bytes, const std::string& uuid) {
  const Gpu gpu(uuid);
  std::vector<Row> rows{{"driver's start", gpu.start_time()}};
  measure_empty(gpu, rows, seconds);
  measure_small(gpu, rows, seconds);
  measure_chain(gpu, rows, seconds);
  if (bytes != 0 && bytes <= gpu.largest()) {
    if (gpu.is_cpu()) measure_in_place(gpu, rows, seconds, bytes);
    if (!gpu.is_cpu()) measure_by_copies(gpu, rows, seconds, bytes);
  }
  print(rows);
}

}  // namespace
}  // namespace floors

int main(int count, char** arguments) {
  if (count < 3) floors::die("usage: kem_floors SECONDS LARGE_BYTES [UUID]");
  floors::measure(std::atof(arguments[1]), std::strtoull(arguments[2], nullptr, 10), count > 3 ? arguments[3] : "");
  return 0;
}
