#include "core/executable.h"

#include <bit>

namespace kem::core {
namespace {

// The part of a key after the kernel.
std::string pipeline_key(std::string_view entry_point, std::span<const wgsl::Constant> constants) {
  std::string key = " " + std::to_string(entry_point.size()) + ":";
  key += entry_point;
  for (const wgsl::Constant& constant : constants) {
    key += " " + std::to_string(constant.key.size()) + ":" + constant.key;
    key += "=" + std::to_string(std::bit_cast<uint64_t>(constant.value));
  }
  return key;
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
  return "text " + hex(digest) + pipeline_key(entry_point, constants);
}

std::string key_of(const Wanted& wanted) {
  if (wanted.txid == nullptr) return text_key(sha256(wanted.text), wanted.entry_point, wanted.constants);
  return "id " + *wanted.txid + pipeline_key(wanted.entry_point, wanted.constants);
}

}  // namespace kem::core
