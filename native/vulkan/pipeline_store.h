// The device's VkPipelineCache, and what of it outlives the process.
//
// What the driver made of pipelines lies in a DiskCache under a key of vendor, device, driver version and
// pipelineCacheUUID, in a record that repeats the key. The driver sees no byte of a record that is not whole (its
// SHA-256), not ours (its first line) or another driver's (its key and Vulkan's own header, section "Pipeline Cache
// Header"): such a record is as good as none, and the next one takes its place.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/digest.h"
#include "base/disk_cache.h"
#include "vulkan/context.h"

namespace kem::vulkan {

// Thread-safe; so are several stores, of this process and of others, on one directory: each writes whole records and
// takes into its own what another has written since.
class PipelineStore {
 public:
  struct Options {
    std::filesystem::path directory;           // empty: nothing is kept
    uint64_t most_bytes = 16u << 20;           // of a record; more than that begins anew with the next process
    std::chrono::milliseconds quiet{1000};     // without a new pipeline before the record is written
    std::chrono::milliseconds longest{30000};  // after the first new pipeline, however many follow
  };

  // With what an earlier process left, if anything. The context outlives the store.
  static Result<std::unique_ptr<PipelineStore>> open(const Context& context, Options options);
  ~PipelineStore();  // as close()
  PipelineStore(const PipelineStore&) = delete;
  PipelineStore& operator=(const PipelineStore&) = delete;

  VkPipelineCache handle() const { return cache_.get(); }

  // A pipeline was made with the handle. Takes microseconds: a thread of the store writes the record later, when no
  // pipeline has been made for a while.
  void changed();

  // Writes now what is not written yet and ends the thread.
  void close();

 private:
  PipelineStore(const Context& context, Options options);
  Result<PipelineCache> make_cache(std::string_view initial) const;
  std::optional<std::string> stored();
  std::optional<std::string> data_of(VkPipelineCache cache) const;
  std::optional<std::string> with_others(const std::string& others) const;
  void write() noexcept;
  void replace_record();
  void keep();

  const Context& context_;
  const Options options_;
  const std::string key_;
  DiskCache disk_;
  PipelineCache cache_;
  std::optional<Sha256> known_;  // of the driver's data in the record as it was last read or written

  std::mutex mutex_;
  std::condition_variable wake_;
  std::thread thread_;  // from the first change on
  bool closing_ = false;
  bool unwritten_ = false;
  std::chrono::steady_clock::time_point first_change_, latest_change_;
};

// The record's name: a key of DiskCache.
std::string pipeline_store_key(const Context& context);

}  // namespace kem::vulkan
