#include "base/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <random>
#include <vector>

#include "base/digest.h"

namespace kem {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestKey = 128;
constexpr uint64_t kEntryBytes = 65;
// No writer takes this long: what is older was left by a process that died.
constexpr std::chrono::hours kTemporaryAge{1};

bool is_key(std::string_view key) {
  return !key.empty() && key.size() <= kLongestKey && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

uint64_t random_token() {
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

class File {
 public:
  File(const fs::path& path, int flags, mode_t mode = 0) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

struct Content {
  fs::path path;
  uint64_t bytes;
  fs::file_time_type written;
};

void list(const fs::path& directory, std::vector<Content>& out) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code size_error;
    std::error_code time_error;
    const uint64_t bytes = entry->file_size(size_error);
    const auto written = entry->last_write_time(time_error);
    if (!size_error && !time_error) out.push_back({entry->path(), bytes, written});
  }
}

void remove_stale_temporaries(const fs::path& directory) {
  std::vector<Content> temporaries;
  list(directory, temporaries);
  for (const Content& temporary : temporaries) {
    std::error_code ignored;
    if (fs::file_time_type::clock::now() - temporary.written > kTemporaryAge) fs::remove(temporary.path, ignored);
  }
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path, uint64_t most_bytes) {
  const File file(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (static_cast<uint64_t>(status.st_size) > most_bytes) return std::nullopt;
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

DiskCache::DiskCache(fs::path directory, uint64_t most_bytes)
    : directory_(std::move(directory)), most_bytes_(most_bytes), token_(random_token()) {}

std::optional<std::string> DiskCache::get(std::string_view key) {
  if (directory_.empty() || !is_key(key)) return std::nullopt;
  const auto entry = read_file(directory_ / "keys" / key, kEntryBytes);
  if (!entry) return std::nullopt;
  const std::string_view digest = std::string_view(*entry).substr(0, kEntryBytes - 1);
  if (entry->size() == kEntryBytes && is_key(digest)) {
    const fs::path path = directory_ / "sha256" / digest;
    auto bytes = read_file(path, most_bytes_);
    if (bytes && hex(sha256(*bytes)) == digest) return bytes;
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  drop(key);
  return std::nullopt;
}

void DiskCache::put(std::string_view key, std::string_view bytes) {
  if (directory_.empty() || !is_key(key) || bytes.size() > most_bytes_) return;
  std::error_code error;
  for (const char* part : {"keys", "sha256", "tmp"}) {
    if (fs::create_directories(directory_ / part, error); error) return;
  }
  make_room(bytes.size() + kEntryBytes);
  const std::string digest = hex(sha256(bytes));
  // The content first: an entry never names bytes that were not there when it was written.
  if (write_whole(directory_ / "sha256" / digest, bytes)) write_whole(directory_ / "keys" / key, digest + "\n");
}

void DiskCache::drop(std::string_view key) {
  if (directory_.empty() || !is_key(key)) return;
  std::error_code ignored;
  fs::remove(directory_ / "keys" / key, ignored);
}

bool DiskCache::write_whole(const fs::path& path, std::string_view bytes) {
  const fs::path temporary =
      directory_ / "tmp" /
      (path.filename().string() + "." + std::to_string(token_) + "." + std::to_string(next_temporary_++));
  std::error_code ignored;
  {
    const File file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
    if (!file) return false;
    if (!write_all(file.get(), bytes)) {
      fs::remove(temporary, ignored);
      return false;
    }
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) fs::remove(temporary, ignored);
  return !error;
}

void DiskCache::make_room(uint64_t added) {
  const std::lock_guard lock(room_mutex_);
  if (bytes_ && (*bytes_ += added) <= most_bytes_) return;
  remove_stale_temporaries(directory_ / "tmp");
  std::vector<Content> contents;
  list(directory_ / "sha256", contents);
  list(directory_ / "keys", contents);
  uint64_t total = added;
  for (const Content& content : contents) total += content.bytes;
  if (total > most_bytes_) {
    std::sort(contents.begin(), contents.end(),
              [](const Content& a, const Content& b) { return a.written < b.written; });
    // Down to three quarters, so that a full cache is not listed anew for every entry.
    const uint64_t enough = most_bytes_ / 4 * 3;
    for (const Content& content : contents) {
      if (total <= enough) break;
      std::error_code ignored;
      fs::remove(content.path, ignored);
      total -= content.bytes;
    }
  }
  bytes_ = total;
}

}  // namespace kem
