#include "wgsl/glsl/names.h"

namespace kem::wgsl::glsl {
namespace {

constexpr size_t kMaxStem = 40;

enum CharacterKind : uint8_t { kOther, kLetter, kDigit };

constexpr std::array<CharacterKind, 256> kKinds = [] {
  std::array<CharacterKind, 256> kinds{};
  for (size_t c = 'a'; c <= 'z'; ++c) kinds[c] = kLetter;
  for (size_t c = 'A'; c <= 'Z'; ++c) kinds[c] = kLetter;
  for (size_t c = '0'; c <= '9'; ++c) kinds[c] = kDigit;
  return kinds;
}();

}  // namespace

Stem::Stem(std::string_view name) {
  char* const begin = text_.data();
  char* end = begin;
  for (const char c : name) {
    if (end == begin + kMaxStem) break;
    const CharacterKind kind = kKinds[static_cast<unsigned char>(c)];
    if (kind == kLetter || (kind == kDigit && end != begin)) {
      *end++ = c;
    } else if (end != begin && end[-1] != '_') {
      *end++ = '_';
    }
  }
  if (end != begin && end[-1] == '_') --end;
  if (end == begin) *end++ = 'v';
  size_ = static_cast<size_t>(end - begin);
  for (const std::string_view reserved : {"gl", "GL", "kem"}) {  // with an underscore, which may come with the number
    if (!view().starts_with(reserved) || (size_ > reserved.size() && text_[reserved.size()] != '_')) continue;
    std::memmove(begin + 1, begin, size_++);
    *begin = 'x';
  }
}

std::string_view Names::unique(std::string_view hint, std::string_view mark) {
  const Stem stem(hint);
  auto found = counts_.find(stem.view());
  if (found == counts_.end()) found = counts_.emplace(memory_.copy(stem.view()), 0).first;
  std::array<char, 64> name;
  char* end = name.data();
  for (const std::string_view part : {stem.view(), mark}) {
    std::memcpy(end, part.data(), part.size());
    end += part.size();
  }
  end = std::to_chars(end, name.data() + name.size(), ++found->second).ptr;
  return memory_.copy(std::string_view(name.data(), static_cast<size_t>(end - name.data())));
}

}  // namespace kem::wgsl::glsl
