#include "base/disk_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "base/lru_cache.h"

namespace kem {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPlenty = 1u << 30;

class DiskCacheTest : public ::testing::Test {
 protected:
  DiskCacheTest() {
    std::string name = (fs::temp_directory_path() / "kem-cache-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) directory = name;
  }
  ~DiskCacheTest() override {
    std::error_code ignored;
    fs::remove_all(directory, ignored);
  }
  size_t files(const char* part) const {
    std::error_code error;
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(directory / part, error), fs::directory_iterator()));
  }
  fs::path directory;
};

std::string content(int writer) {
  return std::string(static_cast<size_t>(5000 + writer), static_cast<char>('a' + writer));
}

bool is_content(const std::string& bytes) {
  return bytes.size() >= 5000 && bytes == content(static_cast<int>(bytes.size() - 5000));
}

TEST_F(DiskCacheTest, KeepsAcrossInstances) {
  EXPECT_FALSE(DiskCache(directory, kPlenty).get("key"));
  const std::string bytes("a\0b\n", 4);
  DiskCache(directory, kPlenty).put("key", bytes);
  DiskCache cache(directory, kPlenty);
  EXPECT_EQ(cache.get("key"), bytes);
  cache.put("key", "other");
  EXPECT_EQ(cache.get("key"), "other");
  cache.put("same", "other");
  EXPECT_EQ(files("sha256"), 2u) << "the same bytes are kept once";
  cache.drop("key");
  EXPECT_FALSE(cache.get("key"));
  EXPECT_EQ(cache.get("same"), "other");
  EXPECT_EQ(files("tmp"), 0u);
}

TEST_F(DiskCacheTest, KeysThatAreNoFileNamesCacheNothing) {
  DiskCache cache(directory, kPlenty);
  for (const std::string& key : {std::string(), std::string("../x"), std::string("a/b"), std::string("."),
                                 std::string("a\0b", 3), std::string(129, 'a')}) {
    cache.put(key, "bytes");
    EXPECT_FALSE(cache.get(key));
  }
}

TEST_F(DiskCacheTest, CorruptEntriesAreDroppedAndReplaced) {
  const fs::path blob = directory / "sha256" / hex(sha256("bytes"));
  const auto corruptions = {
      +[](const fs::path& root, const fs::path& file) {
        std::ofstream(file) << "Bytes";
        static_cast<void>(root);
      },
      +[](const fs::path& root, const fs::path& file) {
        std::ofstream(file) << "";
        static_cast<void>(root);
      },
      +[](const fs::path& root, const fs::path& file) {
        fs::remove(file);
        static_cast<void>(root);
      },
      +[](const fs::path& root, const fs::path&) { std::ofstream(root / "keys" / "key") << "nonsense"; },
      +[](const fs::path& root, const fs::path&) {
        std::ofstream(root / "keys" / "key") << std::string(64, '/') + "\n";
      },
      +[](const fs::path& root, const fs::path&) { std::ofstream(root / "keys" / "key") << std::string(100000, '0'); },
  };
  for (const auto corrupt : corruptions) {
    DiskCache cache(directory, kPlenty);
    cache.put("key", "bytes");
    ASSERT_EQ(cache.get("key"), "bytes");
    corrupt(directory, blob);
    EXPECT_FALSE(cache.get("key"));
    cache.put("key", "bytes");
    EXPECT_EQ(cache.get("key"), "bytes");
  }
}

TEST_F(DiskCacheTest, NoDirectoryAndUnusableDirectoriesAreNoCache) {
  DiskCache none({}, kPlenty);
  none.put("key", "bytes");
  EXPECT_FALSE(none.get("key"));
  std::ofstream(directory / "file") << "x";
  DiskCache blocked(directory / "file", kPlenty);
  blocked.put("key", "bytes");
  EXPECT_FALSE(blocked.get("key"));
}

TEST_F(DiskCacheTest, StaysBelowItsBound) {
  DiskCache cache(directory, 100'000);
  for (int i = 0; i < 100; ++i) cache.put("key" + std::to_string(i), std::string(10'000, static_cast<char>(i)));
  uint64_t total = 0;
  for (const char* part : {"sha256", "keys"}) {
    for (const auto& entry : fs::directory_iterator(directory / part)) total += entry.file_size();
  }
  EXPECT_LE(total, 100'000u);
  EXPECT_TRUE(cache.get("key99"));
  EXPECT_FALSE(cache.get("key0"));
  cache.put("huge", std::string(100'001, 'x'));
  EXPECT_FALSE(cache.get("huge"));
}

TEST_F(DiskCacheTest, StaleTemporariesGo) {
  fs::create_directories(directory / "tmp");
  std::ofstream(directory / "tmp" / "old") << "x";
  std::ofstream(directory / "tmp" / "young") << "x";
  fs::last_write_time(directory / "tmp" / "old", fs::file_time_type::clock::now() - std::chrono::hours(2));
  DiskCache(directory, kPlenty).put("key", "bytes");
  EXPECT_FALSE(fs::exists(directory / "tmp" / "old"));
  EXPECT_TRUE(fs::exists(directory / "tmp" / "young"));
}

// Whoever reads sees one writer's whole bytes or nothing.
int write_and_read(const fs::path& directory, int writer) {
  DiskCache cache(directory, kPlenty);
  for (int round = 0; round < 200; ++round) {
    cache.put("key", content(writer));
    const auto bytes = cache.get("key");
    if (bytes && !is_content(*bytes)) return 1;
  }
  return 0;
}

TEST_F(DiskCacheTest, ProcessesWriteAtOnce) {
  std::vector<pid_t> children;
  for (int writer = 0; writer < 3; ++writer) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(write_and_read(directory, writer));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const auto bytes = DiskCache(directory, kPlenty).get("key");
  ASSERT_TRUE(bytes);
  EXPECT_TRUE(is_content(*bytes));
  EXPECT_EQ(files("tmp"), 0u);
}

TEST_F(DiskCacheTest, ThreadsWriteAtOnce) {
  DiskCache shared(directory, kPlenty);
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> torn{0};
  for (int writer = 0; writer < 4; ++writer) {
    threads.emplace_back([&, writer] {
      for (int round = 0; round < 100; ++round) {
        shared.put("key", content(writer));
        const auto bytes = shared.get("key");
        torn += bytes && !is_content(*bytes);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(torn, 0);
}

TEST(LruCache, ForgetsWhatWasUsedLongestAgo) {
  LruCache<int> cache(3);
  for (int i = 0; i < 3; ++i) cache.insert(std::to_string(i), i);
  ASSERT_NE(cache.find("0"), nullptr);
  cache.insert("3", 3);
  EXPECT_EQ(cache.find("1"), nullptr);
  EXPECT_EQ(*cache.find("0"), 0);
  cache.insert("big", 9, 3);
  EXPECT_EQ(cache.size(), 1u);
  cache.insert("too big", 9, 4);
  EXPECT_EQ(cache.find("too big"), nullptr);
  EXPECT_EQ(*cache.find("big"), 9);
  cache.insert("big", 10, 1);
  EXPECT_EQ(*cache.find("big"), 10);
  cache.erase("big");
  EXPECT_EQ(cache.size(), 0u);
}

}  // namespace
}  // namespace kem
