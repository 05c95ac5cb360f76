# Writes HEADER with one SHA-256 over the files named in LIST, in the order of their names.
file(STRINGS "${LIST}" files)
list(SORT files)
set(digests "")
foreach(file IN LISTS files)
  file(SHA256 "${file}" digest)
  string(APPEND digests "${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE "${HEADER}" "#pragma once
#include <string_view>
namespace kem::core {
inline constexpr std::string_view kFrontEndDigest = \"${digest}\";
}  // namespace kem::core
")
