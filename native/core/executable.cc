#include "core/executable.h"

#include <bit>

namespace kem::core {
namespace {

// Enough for an id, or a digest, and a short entry point.
constexpr size_t kUsualKey = 96;

// The part of a key after the kernel.
void append_pipeline(std::string& key, std::string_view entry_point, std::span<const wgsl::Constant> constants) {
  const auto append = [&key](std::string_view text) {
    key += ' ';
    key += std::to_string(text.size());
    key += ':';
    key += text;
  };
  append(entry_point);
  for (const wgsl::Constant& constant : constants) {
    append(constant.key);
    key += '=';
    key += std::to_string(std::bit_cast<uint64_t>(constant.value));
  }
}

Wanted wanted(const std::variant<KernelId, KernelText>& id, std::string_view entry_point,
              std::span<const wgsl::Constant> constants) {
  Wanted wanted{nullptr, {}, entry_point, constants};
  if (const auto* named = std::get_if<KernelId>(&id)) wanted.txid = &named->txid;
  if (const auto* text = std::get_if<KernelText>(&id)) wanted.text = text->wgsl;
  return wanted;
}

}  // namespace

Wanted wanted(const Job& job) { return wanted(job.kernel, job.entry_point, job.constants); }
Wanted wanted(const BindingJob& job) { return {nullptr, job.wgsl, job.entry_point, job.constants}; }
Wanted wanted(const Chain::Kernel& kernel) { return wanted(kernel.id, kernel.entry_point, kernel.constants); }

std::string text_key(const Sha256& digest, std::string_view entry_point, std::span<const wgsl::Constant> constants) {
  std::string key;
  key.reserve(kUsualKey);
  key += "text ";
  key += hex(digest);
  append_pipeline(key, entry_point, constants);
  return key;
}

std::string key_of(const Wanted& wanted) {
  if (wanted.txid == nullptr) return text_key(sha256(wanted.text), wanted.entry_point, wanted.constants);
  std::string key;
  key.reserve(kUsualKey);
  key += "id ";
  key += *wanted.txid;
  append_pipeline(key, wanted.entry_point, wanted.constants);
  return key;
}

}  // namespace kem::core
