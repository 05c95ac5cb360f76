// kem spirv: the SPIR-V that a kernel becomes, as assembly text or as the module's bytes.
#include "spirv/spirv.h"

#include <array>

#include "cli/command.h"
#include "cli/io.h"
#include "cli/translate.h"

namespace kem::cli {
namespace {

constexpr std::array kOptions{kEntryOption, kConstantOption, kLanguageOption,
                              Option{"binary", "", "the module itself, in little-endian words"},
                              Option{"out", "FILE", "write there (standard output)"}};

std::vector<uint8_t> little_endian(std::span<const uint32_t> words) {
  std::vector<uint8_t> bytes;
  bytes.reserve(words.size() * 4);
  for (uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(word >> shift));
  }
  return bytes;
}

Status emit(const Arguments& arguments) {
  KEM_TRY(const Translation translation, translate_file(arguments));
  write_error(translation.warnings);
  KEM_TRY(const std::vector<uint32_t> words, spirv::compile(translation.shader.glsl, spirv::Names::Keep));
  KEM_CHECK(spirv::validate(words));
  const std::string path = arguments.single("out").value_or("-");
  if (arguments.has("binary")) return write_file(path, little_endian(words));
  KEM_TRY(const std::string text, spirv::disassemble(words));
  return write_file(path, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

int run(const Arguments& arguments) {
  const Status done = emit(arguments);
  return done ? kDone : report_failure(done.error(), false);
}

}  // namespace

const Command kSpirv{"spirv", "FILE", 1, 1, "translate a kernel to SPIR-V", kOptions, run};

}  // namespace kem::cli
