// A directory of byte strings that survives restarts and may be shared by processes. Content-addressed: bytes lie
// in a file named by their SHA-256, and a small entry per key names the digest. What does not match its digest is
// dropped. A directory that cannot be used is no error, only no cache.
//
//   DIR/keys/<key>       64 hex digits and a line feed
//   DIR/sha256/<digest>  the bytes
//   DIR/tmp/             files on their way: written whole, then renamed
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace kem {

// Thread-safe; so are several processes on one directory.
class DiskCache {
 public:
  // An empty directory: caches nothing. Nothing is touched before the first get or put. Once the content is over
  // `most_bytes`, the oldest of it is removed.
  DiskCache(std::filesystem::path directory, uint64_t most_bytes);

  // Keys are 1 to 128 of the characters A-Z a-z 0-9 _ -; any other key caches nothing.
  std::optional<std::string> get(std::string_view key);
  void put(std::string_view key, std::string_view bytes);
  void drop(std::string_view key);

 private:
  bool write_whole(const std::filesystem::path& path, std::string_view bytes);
  void make_room(uint64_t added);

  const std::filesystem::path directory_;
  const uint64_t most_bytes_;
  const uint64_t token_;  // tells this writer's temporary files from every other's
  std::atomic<uint64_t> next_temporary_{0};
  std::mutex room_mutex_;
  std::optional<uint64_t> bytes_;  // content on disk as far as this process knows; not yet counted: nullopt
};

// A regular file's bytes; nullopt if it is not there, not regular, over `most_bytes`, or cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path, uint64_t most_bytes);

}  // namespace kem
