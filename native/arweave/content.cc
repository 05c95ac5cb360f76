#include "arweave/source.h"
#include "base/digest.h"

namespace kem::arweave {
namespace {

constexpr size_t kIdLength = 43;

// Unicode 15, table 3-7: the lead byte's row tells how many bytes follow and what the first of them may be.
struct LeadRow {
  uint8_t first;
  uint8_t last;
  size_t following;
  uint8_t low;
  uint8_t high;
};

constexpr LeadRow kLeadRows[] = {
    {0x00, 0x7f, 0, 0, 0},       {0xc2, 0xdf, 1, 0x80, 0xbf}, {0xe0, 0xe0, 2, 0xa0, 0xbf},
    {0xe1, 0xec, 2, 0x80, 0xbf}, {0xed, 0xed, 2, 0x80, 0x9f}, {0xee, 0xef, 2, 0x80, 0xbf},
    {0xf0, 0xf0, 3, 0x90, 0xbf}, {0xf1, 0xf3, 3, 0x80, 0xbf}, {0xf4, 0xf4, 3, 0x80, 0x8f},
};

// Length of the well-formed sequence that the text begins with, 0 if there is none.
size_t sequence(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  for (const LeadRow& row : kLeadRows) {
    if (byte(0) < row.first || byte(0) > row.last) continue;
    if (text.size() <= row.following) return 0;
    for (size_t i = 1; i <= row.following; ++i) {
      if (byte(i) < (i == 1 ? row.low : 0x80) || byte(i) > (i == 1 ? row.high : 0xbf)) return 0;
    }
    return row.following + 1;
  }
  return 0;
}

}  // namespace

Status check_kernel_id(std::string_view id) {
  // 43 characters carry 258 bits, two more than an id has: the same id must have one spelling only.
  const auto bytes = id.size() == kIdLength ? unbase64url(id) : std::nullopt;
  if (bytes && base64url(*bytes) == id) return {};
  if (id.size() != kIdLength) {
    return fail(ErrorClass::InvalidKernelId, "a kernel id has 43 base64url characters, this one has " +
                                                 std::to_string(id.size()) + (id.size() == 1 ? " byte" : " bytes"));
  }
  return fail(ErrorClass::InvalidKernelId, bytes ? "the kernel id's last character has stray bits"
                                                 : "the kernel id has a character that is not base64url");
}

Status check_content(std::string_view bytes, const Limits& limits) {
  if (bytes.size() > limits.source_bytes) {
    return fail(ErrorClass::KernelTooLarge, "more than " + std::to_string(limits.source_bytes) + " bytes");
  }
  if (bytes.empty()) return fail(ErrorClass::InvalidKernel, "no bytes");
  for (size_t at = 0; at < bytes.size();) {
    if (bytes[at] == '\0') return fail(ErrorClass::InvalidKernel, "a NUL byte at offset " + std::to_string(at));
    const size_t length = sequence(bytes.substr(at, 4));
    if (length == 0) return fail(ErrorClass::InvalidKernel, "invalid UTF-8 at offset " + std::to_string(at));
    at += length;
  }
  return {};
}

}  // namespace kem::arweave
