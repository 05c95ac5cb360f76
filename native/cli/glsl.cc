// kem glsl: the GLSL that a kernel becomes.
#include <array>

#include "cli/command.h"
#include "cli/io.h"
#include "cli/translate.h"

namespace kem::cli {
namespace {

constexpr std::array kOptions{kEntryOption, kConstantOption, kLanguageOption,
                              Option{"out", "FILE", "write there (standard output)"}};

int run(const Arguments& arguments) {
  const auto translation = translate_file(arguments);
  if (!translation) return report_failure(translation.error(), false);
  write_error(translation->warnings);
  const std::string& glsl = translation->shader.glsl;
  const std::span bytes{reinterpret_cast<const uint8_t*>(glsl.data()), glsl.size()};
  const auto written = write_file(arguments.single("out").value_or("-"), bytes);
  return written ? kDone : report_failure(written.error(), false);
}

}  // namespace

const Command kGlsl{"glsl", "FILE", 1, 1, "translate a kernel to GLSL", kOptions, run};

}  // namespace kem::cli
