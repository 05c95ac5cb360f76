#include "vulkan/pipeline_store.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include "vulkan/vk_error.h"

namespace kem::vulkan {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kMagic = "kem pipeline cache 1 ";
// Several drivers' records, and what records were before.
constexpr uint64_t kRecordsInDirectory = 4;

void append_hex(std::string& text, uint32_t value) {
  for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(value >> shift) & 15];
}

std::string record_head(const std::string& key) { return std::string(kMagic) + key + "\n"; }

// Vulkan's own header before the driver's bytes: VkPipelineCacheHeaderVersionOne, 32 bytes.
bool is_of(const Context& context, std::string_view data) {
  VkPipelineCacheHeaderVersionOne header{};
  if (data.size() < sizeof header) return false;
  std::memcpy(&header, data.data(), sizeof header);
  return header.headerSize >= sizeof header && header.headerSize <= data.size() &&
         header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE && header.vendorID == context.info.vendor &&
         header.deviceID == context.info.device &&
         std::equal(context.pipeline_cache_uuid.begin(), context.pipeline_cache_uuid.end(), header.pipelineCacheUUID);
}

// A driver that keeps nothing answers with the header alone.
bool has_pipelines(const std::string& data) { return data.size() > sizeof(VkPipelineCacheHeaderVersionOne); }

}  // namespace

std::string pipeline_store_key(const Context& context) {
  std::string key;
  for (const uint32_t part : {context.info.vendor, context.info.device, context.driver_version}) {
    append_hex(key, part);
    key += '-';
  }
  return key + hex(context.pipeline_cache_uuid);
}

PipelineStore::PipelineStore(const Context& context, Options options)
    : context_(context),
      options_(std::move(options)),
      key_(pipeline_store_key(context)),
      disk_(options_.directory, kRecordsInDirectory * options_.most_bytes) {}

PipelineStore::~PipelineStore() { close(); }

Result<std::unique_ptr<PipelineStore>> PipelineStore::open(const Context& context, Options options) {
  std::unique_ptr<PipelineStore> store(new PipelineStore(context, std::move(options)));
  if (const auto data = store->stored()) {
    auto cache = store->make_cache(*data);
    if (cache) {
      store->cache_ = *std::move(cache);
      store->known_ = sha256(*data);
      return store;
    }
    store->disk_.drop(store->key_);  // the driver does not want it
  }
  KEM_TRY(store->cache_, store->make_cache({}));
  return store;
}

Result<PipelineCache> PipelineStore::make_cache(std::string_view initial) const {
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = initial.size();
  info.pInitialData = initial.data();
  VkPipelineCache cache = VK_NULL_HANDLE;
  KEM_VK("vkCreatePipelineCache", context_.vk.vkCreatePipelineCache(context_.device, &info, nullptr, &cache));
  return PipelineCache(context_, cache);
}

// The driver's data in the record on disk, if there is one of this driver.
std::optional<std::string> PipelineStore::stored() {
  auto record = disk_.get(key_);
  if (!record) return std::nullopt;
  const std::string head = record_head(key_);
  if (record->starts_with(head)) {
    record->erase(0, head.size());
    if (is_of(context_, *record)) return record;
  }
  disk_.drop(key_);
  return std::nullopt;
}

std::optional<std::string> PipelineStore::data_of(VkPipelineCache cache) const {
  // Other threads may add pipelines between the two calls.
  for (int attempt = 0; attempt < 3; ++attempt) {
    size_t size = 0;
    if (context_.vk.vkGetPipelineCacheData(context_.device, cache, &size, nullptr) != VK_SUCCESS) return std::nullopt;
    std::string data(size, '\0');
    const VkResult result = context_.vk.vkGetPipelineCacheData(context_.device, cache, &size, data.data());
    data.resize(std::min(size, data.size()));
    if (result == VK_SUCCESS) return data;
    if (result != VK_INCOMPLETE) return std::nullopt;
  }
  return std::nullopt;
}

// Ours and those of a record that another store wrote, in a third cache: the target of a merge must not be in use.
std::optional<std::string> PipelineStore::with_others(const std::string& others) const {
  const auto merged = make_cache(others);
  if (!merged) return std::nullopt;
  const VkResult result = context_.vk.vkMergePipelineCaches(context_.device, merged->get(), 1, cache_.address());
  return result == VK_SUCCESS ? data_of(merged->get()) : std::nullopt;
}

// Without memory there is no record: what is in it can be made again.
void PipelineStore::write() noexcept {
  try {
    replace_record();
  } catch (const std::exception&) {
    return;
  }
}

void PipelineStore::replace_record() {
  auto data = data_of(cache_.get());
  if (!data || !has_pipelines(*data) || !is_of(context_, *data) || sha256(*data) == known_) return;
  if (const auto others = stored(); others && sha256(*others) != known_) {
    if (auto merged = with_others(*others)) data = std::move(merged);
  }
  const std::string record = record_head(key_) + *data;
  if (record.size() > options_.most_bytes) return disk_.drop(key_);
  disk_.put(key_, record);
  known_ = sha256(*data);
}

void PipelineStore::changed() {
  if (options_.directory.empty()) return;
  const std::lock_guard lock(mutex_);
  latest_change_ = Clock::now();
  if (!std::exchange(unwritten_, true)) first_change_ = latest_change_;
  if (closing_) return;
  if (thread_.joinable()) return wake_.notify_one();
  try {
    thread_ = std::thread([this] { keep(); });
  } catch (const std::system_error&) {
    return;  // close() writes it
  }
}

void PipelineStore::keep() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const auto due = std::min(latest_change_ + options_.quiet, first_change_ + options_.longest);
    if (!unwritten_) {
      wake_.wait(lock);
    } else if (Clock::now() < due) {
      wake_.wait_until(lock, due);
    } else {
      unwritten_ = false;
      lock.unlock();
      write();
      lock.lock();
    }
  }
}

void PipelineStore::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (std::exchange(unwritten_, false)) write();
}

}  // namespace kem::vulkan
