#include <spirv-tools/libspirv.h>

#include <memory>

#include "spirv/spirv.h"

namespace kem::spirv {
namespace {

constexpr spv_target_env kTarget = SPV_ENV_VULKAN_1_1;

struct ContextDeleter {
  void operator()(spv_context context) const { spvContextDestroy(context); }
};
struct DiagnosticDeleter {
  void operator()(spv_diagnostic diagnostic) const { spvDiagnosticDestroy(diagnostic); }
};
struct OptionsDeleter {
  void operator()(spv_validator_options options) const { spvValidatorOptionsDestroy(options); }
};
struct TextDeleter {
  void operator()(spv_text text) const { spvTextDestroy(text); }
};
using Context = std::unique_ptr<spv_context_t, ContextDeleter>;
using Diagnostic = std::unique_ptr<spv_diagnostic_t, DiagnosticDeleter>;
using Options = std::unique_ptr<spv_validator_options_t, OptionsDeleter>;
using Text = std::unique_ptr<spv_text_t, TextDeleter>;

tl::unexpected<Error> failure(std::string_view what, spv_result_t code, const Diagnostic& diagnostic) {
  std::string message(what);
  message += ": ";
  if (diagnostic != nullptr && diagnostic->error != nullptr)
    message += "word " + std::to_string(diagnostic->position.index) + ": " + diagnostic->error;
  else
    message += "SPIRV-Tools result " + std::to_string(code);
  return fail(ErrorClass::Internal, std::move(message));
}

Status validate(std::span<const uint32_t> words, bool with_names) {
  const Context context(spvContextCreate(kTarget));
  spv_const_binary_t binary{words.data(), words.size()};
  const Options options(spvValidatorOptionsCreate());
  spvValidatorOptionsSetFriendlyNames(options.get(), with_names);
  // The device feature uniformBufferStandardLayout: without it the front-end refuses what needs it.
  spvValidatorOptionsSetUniformBufferStandardLayout(options.get(), true);
  spv_diagnostic raw = nullptr;
  const spv_result_t code = spvValidateWithOptions(context.get(), options.get(), &binary, &raw);
  const Diagnostic diagnostic(raw);
  if (code != SPV_SUCCESS) return failure("invalid SPIR-V", code, diagnostic);
  return {};
}

}  // namespace

// Names for the message take a third of the validator's time: they are made where there is a message.
Status validate(std::span<const uint32_t> words) {
  if (validate(words, false)) return {};
  return validate(words, true);
}

Result<std::string> disassemble(std::span<const uint32_t> words) {
  const Context context(spvContextCreate(kTarget));
  constexpr uint32_t kOptions =
      SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES | SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_NO_HEADER;
  spv_text raw_text = nullptr;
  spv_diagnostic raw = nullptr;
  const spv_result_t code = spvBinaryToText(context.get(), words.data(), words.size(), kOptions, &raw_text, &raw);
  const Diagnostic diagnostic(raw);
  const Text text(raw_text);
  if (code != SPV_SUCCESS || text == nullptr) return failure("SPIR-V that can't be disassembled", code, diagnostic);
  return std::string(text->str, text->length);
}

}  // namespace kem::spirv
