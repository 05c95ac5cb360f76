#include "arweave/store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/digest.h"
#include "base/disk_cache.h"

namespace kem::arweave {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr uint64_t kMostIndexBytes = 16u << 20;
constexpr size_t kSha256Digits = 64;

bool is_below(const fs::path& path, const fs::path& directory) {
  return std::mismatch(directory.begin(), directory.end(), path.begin(), path.end()).first == directory.end();
}

}  // namespace

Result<Kernel> StoreSource::fetch(std::string_view id, const std::atomic<bool>&) {
  KEM_TRY(const Entry entry, look_up(id));
  KEM_TRY(const fs::path path, resolve(entry.file));
  std::error_code error;
  if (const auto size = fs::file_size(path, error); !error && size > limits_.source_bytes) {
    return fail(ErrorClass::KernelTooLarge,
                "kernel store: " + path.string() + ": more than " + std::to_string(limits_.source_bytes) + " bytes");
  }
  auto bytes = read_file(path, limits_.source_bytes);
  if (!bytes) return fail(ErrorClass::IoError, "kernel store: cannot read " + path.string());
  if (Status status = check_content(*bytes, limits_); !status) {
    return fail(status.error().error_class, "kernel store: " + path.string() + ": " + status.error().message);
  }
  if (!entry.sha256.empty() && hex(sha256(*bytes)) != entry.sha256) {
    return fail(ErrorClass::KernelUnverified, "kernel store: " + path.string() + " is not the file that " +
                                                  "index.json names: its SHA-256 is " + hex(sha256(*bytes)));
  }
  return Kernel{std::move(*bytes), "store"};
}

Result<StoreSource::Entry> StoreSource::look_up(std::string_view id) const {
  const fs::path index = directory_ / "index.json";
  std::error_code error;
  if (!fs::exists(index, error)) {
    return fail(ErrorClass::KernelNotFound, "the kernel store " + directory_.string() + " has no index.json");
  }
  // Read anew each time: the fetcher's memory is before this, and the index may have grown.
  const auto text = read_file(index, kMostIndexBytes);
  if (!text) return fail(ErrorClass::IoError, "kernel store: cannot read " + index.string());
  const json entries = json::parse(*text, nullptr, false);
  if (!entries.is_object()) return fail(ErrorClass::IoError, "kernel store: " + index.string() + " is no JSON object");
  const auto found = entries.find(std::string(id));
  if (found == entries.end()) {
    return fail(ErrorClass::KernelNotFound, "not in the kernel store " + directory_.string());
  }
  const tl::unexpected<Error> malformed =
      fail(ErrorClass::IoError, "kernel store: " + index.string() + ": the entry of " + std::string(id) +
                                    " must be a file name or an object with \"file\" and, if wanted, \"sha256\"");
  if (found->is_string()) return Entry{found->get<std::string>(), {}};
  if (!found->is_object() || !found->contains("file") || !found->at("file").is_string()) return malformed;
  Entry entry{found->at("file").get<std::string>(), {}};
  if (!found->contains("sha256")) return entry;
  const json& pin = found->at("sha256");
  if (!pin.is_string()) return malformed;
  const auto digest = unhex(pin.get<std::string>());
  if (!digest || digest->size() * 2 != kSha256Digits) return malformed;
  entry.sha256 = hex(*digest);
  return entry;
}

Result<fs::path> StoreSource::resolve(const std::string& file) const {
  const fs::path name(file);
  const bool climbs = std::find(name.begin(), name.end(), "..") != name.end();
  if (file.empty() || file.find('\0') != std::string::npos || name.is_absolute() || climbs) {
    return fail(ErrorClass::IoError, "kernel store: index.json names '" + file + "', which is not below the store");
  }
  std::error_code error;
  const fs::path root = fs::canonical(directory_, error);
  const fs::path path = error ? fs::path() : fs::canonical(root / name, error);
  if (error) return fail(ErrorClass::IoError, "kernel store: " + (directory_ / name).string() + ": " + error.message());
  if (!is_below(path, root)) {
    return fail(ErrorClass::IoError, "kernel store: '" + file + "' is a link that leads out of the store");
  }
  return path;
}

}  // namespace kem::arweave
