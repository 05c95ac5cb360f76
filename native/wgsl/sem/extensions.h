// Enable-extensions and language extensions (spec "Extensions").
#pragma once

#include <span>
#include <string_view>

#include "wgsl/wgsl.h"

namespace kem::wgsl::sem {

struct EnableExtension {
  std::string_view name;
  bool DeviceFeatures::*feature;  // what of the device it needs; null: no device of ours has it
};

struct LanguageExtension {
  std::string_view name;
  bool supported;
};

std::span<const EnableExtension> enable_extensions();
std::span<const LanguageExtension> language_extensions();

const EnableExtension* find_enable_extension(std::string_view name);
const LanguageExtension* find_language_extension(std::string_view name);

}  // namespace kem::wgsl::sem
