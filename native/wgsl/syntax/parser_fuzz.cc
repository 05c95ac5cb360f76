// libFuzzer target: any bytes give a module or diagnostics, and a module prints.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "wgsl/fuzz_mutator.h"
#include "wgsl/syntax/ast_printer.h"
#include "wgsl/syntax/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const kem::Source source(std::string(reinterpret_cast<const char*>(data), size));
  kem::Diagnostics diagnostics;
  const auto module = kem::wgsl::parse(source, kem::Limits{}, diagnostics);
  if ((module == nullptr) != diagnostics.has_errors()) std::abort();
  if (module != nullptr && kem::wgsl::ast::print(*module).size() > (size + 1) * 4096) std::abort();
  static_cast<void>(kem::render(source, diagnostics));
  return 0;
}
