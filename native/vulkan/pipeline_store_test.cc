// The store over a driver that is made of strings, then over the driver at hand.
#include "vulkan/pipeline_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <vector>

#include "double_words.spv.h"
#include "vulkan/device.h"

namespace kem::vulkan {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// A pipeline is a line of text; what the driver keeps is Vulkan's header and the lines, in order.
struct FakeCache {
  std::set<std::string> pipelines;
};

constexpr uint32_t kVendor = 0x10de, kDevice = 0x2335;
constexpr std::array<uint8_t, VK_UUID_SIZE> kUuid{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

FakeCache& fake(VkPipelineCache handle) { return *reinterpret_cast<FakeCache*>(handle); }

std::string header() {
  VkPipelineCacheHeaderVersionOne head{sizeof head, VK_PIPELINE_CACHE_HEADER_VERSION_ONE, kVendor, kDevice, {}};
  std::copy(kUuid.begin(), kUuid.end(), head.pipelineCacheUUID);
  return {reinterpret_cast<const char*>(&head), sizeof head};
}

std::string data(const FakeCache& cache) {
  std::string bytes = header();
  for (const std::string& pipeline : cache.pipelines) bytes += pipeline + "\n";
  return bytes;
}

bool refuses_data = false;
std::vector<std::string> data_seen;  // what caches were made from

VKAPI_ATTR VkResult VKAPI_CALL create(VkDevice, const VkPipelineCacheCreateInfo* info, const VkAllocationCallbacks*,
                                      VkPipelineCache* cache) {
  const std::string bytes(static_cast<const char*>(info->pInitialData), info->initialDataSize);
  if (!bytes.empty()) data_seen.push_back(bytes);
  if (!bytes.empty() && refuses_data) return VK_ERROR_UNKNOWN;
  auto made = std::make_unique<FakeCache>();
  for (size_t at = header().size(); at < bytes.size();) {
    const size_t end = bytes.find('\n', at);
    made->pipelines.insert(bytes.substr(at, end - at));
    at = end + 1;
  }
  *cache = reinterpret_cast<VkPipelineCache>(made.release());
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroy(VkDevice, VkPipelineCache cache, const VkAllocationCallbacks*) {
  delete &fake(cache);
}

VKAPI_ATTR VkResult VKAPI_CALL get_data(VkDevice, VkPipelineCache cache, size_t* size, void* out) {
  const std::string bytes = data(fake(cache));
  if (out == nullptr) {
    *size = bytes.size();
    return VK_SUCCESS;
  }
  if (*size < bytes.size()) return VK_INCOMPLETE;
  *size = bytes.size();
  std::memcpy(out, bytes.data(), bytes.size());
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL merge(VkDevice, VkPipelineCache into, uint32_t count, const VkPipelineCache* from) {
  for (uint32_t i = 0; i < count; ++i)
    fake(into).pipelines.insert(fake(from[i]).pipelines.begin(), fake(from[i]).pipelines.end());
  return VK_SUCCESS;
}

class PipelineStoreTest : public testing::Test {
 protected:
  PipelineStoreTest() {
    std::string name = (fs::temp_directory_path() / "kem-pipelines-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) options.directory = name;
    options.quiet = options.longest = 1h;  // so that close() writes
    context.info.vendor = kVendor;
    context.info.device = kDevice;
    context.driver_version = 7;
    context.pipeline_cache_uuid = kUuid;
    context.vk.vkCreatePipelineCache = create;
    context.vk.vkDestroyPipelineCache = destroy;
    context.vk.vkGetPipelineCacheData = get_data;
    context.vk.vkMergePipelineCaches = merge;
    refuses_data = false;
    data_seen.clear();
  }
  ~PipelineStoreTest() override {
    std::error_code ignored;
    fs::remove_all(options.directory, ignored);
  }

  std::unique_ptr<PipelineStore> open() { return *PipelineStore::open(context, options); }
  static void add(PipelineStore& store, const std::string& pipeline) {
    fake(store.handle()).pipelines.insert(pipeline);
    store.changed();
  }
  std::set<std::string> kept() { return fake(open()->handle()).pipelines; }
  fs::path record() const {
    for (const auto& entry : fs::directory_iterator(options.directory / "sha256")) return entry.path();
    return {};
  }

  Context context;
  PipelineStore::Options options;
};

using Pipelines = std::set<std::string>;

TEST_F(PipelineStoreTest, KeepsPipelinesForTheNextProcess) {
  EXPECT_EQ(kept(), Pipelines{});
  add(*open(), "one");
  EXPECT_EQ(kept(), Pipelines{"one"});
  add(*open(), "two");
  EXPECT_EQ(kept(), (Pipelines{"one", "two"}));
}

TEST_F(PipelineStoreTest, WritesWhenNoPipelineWasMadeForAWhile) {
  options.quiet = 1ms;
  const auto store = open();
  add(*store, "one");
  while (kept() != Pipelines{"one"}) std::this_thread::sleep_for(1ms);
  options.quiet = 1h;
  options.longest = 1ms;
  const auto other = open();
  add(*other, "two");
  while (kept() != Pipelines{"one", "two"}) std::this_thread::sleep_for(1ms);
}

TEST_F(PipelineStoreTest, WritesNothingWhereNothingIsNew) {
  add(*open(), "one");
  fs::remove_all(options.directory);
  const auto store = open();
  store->changed();
  store->close();
  EXPECT_FALSE(fs::exists(options.directory)) << "a header alone is worth nothing";
  add(*open(), "one");
  const auto again = open();
  again->changed();
  const auto written = fs::last_write_time(record());
  again->close();
  EXPECT_EQ(fs::last_write_time(record()), written);
}

TEST_F(PipelineStoreTest, CorruptRecordsNeverReachTheDriver) {
  const auto corruptions = {
      +[](std::string& bytes) { bytes.clear(); },
      +[](std::string& bytes) { bytes.resize(bytes.size() / 2); },
      +[](std::string& bytes) { bytes.pop_back(); },
      +[](std::string& bytes) { bytes.back() = '!'; },
      +[](std::string& bytes) { bytes[0] = '!'; },
      +[](std::string& bytes) { bytes += "more\n"; },
      +[](std::string& bytes) { bytes.assign(100'000, '\xff'); },
  };
  for (const auto corrupt : corruptions) {
    add(*open(), "one");
    std::string bytes = *read_file(record(), options.most_bytes);
    corrupt(bytes);
    std::ofstream(record(), std::ios::binary | std::ios::trunc) << bytes;
    data_seen.clear();
    {
      const auto store = open();
      EXPECT_EQ(data_seen, std::vector<std::string>{});
      add(*store, "two");
    }
    EXPECT_EQ(kept(), Pipelines{"two"});
    fs::remove_all(options.directory);
  }
}

// Whole files, but not what this store writes.
TEST_F(PipelineStoreTest, ForeignRecordsNeverReachTheDriver) {
  const std::string key = pipeline_store_key(context);
  const std::string head = "kem pipeline cache 1 " + key + "\n";
  const auto with = [&](size_t byte) {
    std::string changed = header();
    changed[byte] = static_cast<char>(changed[byte] ^ 0x20);
    return head + changed + "pipeline\n";
  };
  for (const std::string& foreign : {std::string("nonsense"), head, head + header().substr(1), header() + "pipeline\n",
                                     "kem pipeline cache 2 " + key + "\n" + header() + "pipeline\n", with(0), with(4),
                                     with(8), with(12), with(16), with(31)}) {
    DiskCache(options.directory, 1u << 20).put(key, foreign);
    const auto store = open();
    EXPECT_EQ(data_seen, std::vector<std::string>{}) << foreign;
    add(*store, "mine");
    store->close();
    EXPECT_EQ(kept(), Pipelines{"mine"});
    data_seen.clear();
  }
}

TEST_F(PipelineStoreTest, EveryDriverHasItsOwnRecord) {
  add(*open(), "one");
  const auto others = {
      +[](Context& other) { other.driver_version = 8; },
      +[](Context& other) { other.pipeline_cache_uuid[15] = 0; },
      +[](Context& other) { other.info.device = 1; },
      +[](Context& other) { other.info.vendor = 1; },
  };
  for (const auto change : others) {
    Context other = context;
    change(other);
    EXPECT_TRUE(fake((*PipelineStore::open(other, options))->handle()).pipelines.empty());
  }
  EXPECT_EQ(kept(), Pipelines{"one"});
}

TEST_F(PipelineStoreTest, ARecordThatTheDriverRefusesIsReplaced) {
  add(*open(), "one");
  refuses_data = true;
  {
    const auto store = open();
    refuses_data = false;
    add(*store, "two");
  }
  EXPECT_EQ(kept(), Pipelines{"two"});
}

TEST_F(PipelineStoreTest, TakesInWhatOthersWroteSince) {
  const auto first = open(), second = open();
  add(*first, "first");
  add(*second, "second");
  first->close();
  second->close();
  EXPECT_EQ(kept(), (Pipelines{"first", "second"}));
}

TEST_F(PipelineStoreTest, ProcessesWriteAtOnce) {
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int round = 0; round < 50; ++round) add(*open(), std::to_string(writer) + " " + std::to_string(round));
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const Pipelines all = kept();
  EXPECT_GE(all.size(), 50u) << "each writer keeps at least its own";
  for (const std::string& pipeline : all) EXPECT_EQ(pipeline.find_first_not_of("0123456789 "), std::string::npos);
}

TEST_F(PipelineStoreTest, ARecordOverItsBoundBeginsAnew) {
  options.most_bytes = 1000;
  add(*open(), "one");
  add(*open(), std::string(2000, 'x'));
  EXPECT_EQ(kept(), Pipelines{});
  add(*open(), "two");
  EXPECT_EQ(kept(), Pipelines{"two"});
}

TEST_F(PipelineStoreTest, NoDirectoryAndUnusableDirectoriesKeepNothing) {
  const fs::path directory = options.directory;
  std::ofstream(directory / "file") << "x";
  for (const fs::path& unusable : {fs::path(), directory / "file"}) {
    options.directory = unusable;
    add(*open(), "one");
    EXPECT_EQ(kept(), Pipelines{});
  }
  options.directory = directory;
}

// What a real driver keeps, if it keeps anything (Mesa 22.3's lavapipe does not), or a corrupted record: pipelines
// work either way, and the validation layer has nothing to say.
TEST_F(PipelineStoreTest, OnTheDriverAtHand) {
  DeviceOptions device_options;
  device_options.validation = true;
  device_options.pipeline_cache = options.directory;
  for (int process = 0; process < 3; ++process) {
    std::shared_ptr<const ValidationLog> log;
    {
      const auto device = DeviceImpl::open(device_options);
      ASSERT_TRUE(device) << device.error().message;
      log = (*device)->shared_validation_log();
      const std::vector<LayoutBinding> bindings{{0, 0, BufferKind::StorageRead}, {0, 1, BufferKind::StorageReadWrite}};
      const auto pipeline = (*device)->make_pipeline({double_words_spv, bindings, 32, {}});
      ASSERT_TRUE(pipeline) << pipeline.error().message;
      const std::vector<uint8_t> input{1, 0, 0, 0, 3, 0, 0, 0};
      std::vector<uint8_t> output(8);
      const std::vector<Argument> arguments{{0, 0, BufferKind::StorageRead, 8, input, {}},
                                            {0, 1, BufferKind::StorageReadWrite, 8, {}, output}};
      const auto times =
          (*device)->run(**pipeline, arguments, {{1, 1, 1}, std::chrono::steady_clock::now() + 60s, nullptr});
      ASSERT_TRUE(times) << times.error().message;
      EXPECT_THAT(output, testing::ElementsAre(2, 0, 0, 0, 6, 0, 0, 0));
    }
    EXPECT_THAT(log->texts(), testing::IsEmpty());
    if (process != 1 || !fs::exists(options.directory / "sha256")) continue;
    for (const auto& entry : fs::directory_iterator(options.directory / "sha256"))
      fs::resize_file(entry.path(), entry.file_size() / 2);
  }
}

}  // namespace
}  // namespace kem::vulkan
