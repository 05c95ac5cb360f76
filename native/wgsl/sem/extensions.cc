#include "wgsl/sem/extensions.h"

#include <algorithm>
#include <array>

namespace kem::wgsl {
namespace sem {
namespace {

using Status = Extension::Status;
using Feature = bool DeviceFeatures::*;

// What an extension asks of the device. Null feature: nothing, for a language extension; what no compute device
// gives, for an enable-extension.
struct Row {
  std::string_view name;
  Feature feature = nullptr;
  std::string_view needs{};    // in words
  bool supported = true;       // language extensions: in this implementation
  bool first_release = false;  // language extensions: in WebGPU's first release
};

// In the order of the enumerators, which is the specification's.
constexpr std::array kEnable{
    Row{"f16", &DeviceFeatures::f16, "shaderFloat16 and 16-bit storage"},
    Row{"clip_distances", nullptr, "a render stage"},
    Row{"dual_source_blending", nullptr, "a render stage"},
    Row{"subgroups", &DeviceFeatures::subgroups, "subgroup operations in compute"},
    Row{"primitive_index", nullptr, "a render stage"},
    Row{"subgroup_size_control", &DeviceFeatures::subgroup_size_control, "subgroup operations of a chosen size"},
};
constexpr std::array kLanguage{
    Row{"readonly_and_readwrite_storage_textures", nullptr, "", true, true},
    Row{"packed_4x8_integer_dot_product", nullptr, "", true, true},
    Row{"unrestricted_pointer_parameters", nullptr, "", true, true},
    Row{"pointer_composite_access", nullptr, "", true, true},
    Row{"uniform_buffer_standard_layout", &DeviceFeatures::uniform_standard_layout, "std430 in uniform buffers"},
    Row{"subgroup_id"},
    Row{"subgroup_uniformity"},
    Row{"texture_and_sampler_let"},
    Row{"texture_formats_tier1"},
    Row{"linear_indexing"},
    Row{"immediate_address_space"},
    Row{"fragment_depth"},
    Row{"buffer_view"},
};

#define KEM_ROW(id, spelling) static_assert(kEnable[static_cast<size_t>(Enable::id)].name == spelling);
KEM_WGSL_ENABLE_EXTENSIONS(KEM_ROW)
#undef KEM_ROW
#define KEM_ROW(id, spelling) static_assert(kLanguage[static_cast<size_t>(Language::id)].name == spelling);
KEM_WGSL_LANGUAGE_EXTENSIONS(KEM_ROW)
#undef KEM_ROW

const Row& row(Enable extension) { return kEnable[static_cast<size_t>(extension)]; }
const Row& row(Language extension) { return kLanguage[static_cast<size_t>(extension)]; }

template <class Id, size_t N>
std::optional<Id> find(const std::array<Row, N>& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &Row::name);
  if (found == rows.end()) return std::nullopt;
  return static_cast<Id>(found - rows.begin());
}

}  // namespace

std::string_view name(Enable extension) { return row(extension).name; }
std::string_view name(Language extension) { return row(extension).name; }
std::optional<Enable> find_enable_extension(std::string_view name) { return find<Enable>(kEnable, name); }
std::optional<Language> find_language_extension(std::string_view name) { return find<Language>(kLanguage, name); }

Status status(Enable extension, const Options& options) {
  const Feature feature = row(extension).feature;
  return feature != nullptr && options.features.*feature ? Status::Available : Status::NoDevice;
}

Status status(Language extension, const Options& options) {
  const Row& r = row(extension);
  if (!r.supported) return Status::Unsupported;
  if (!r.first_release && options.language_extensions == LanguageExtensions::First) return Status::SwitchedOff;
  return r.feature == nullptr || options.features.*r.feature ? Status::Available : Status::NoDevice;
}

}  // namespace sem

std::string_view name(Extension::Kind kind) { return kind == Extension::Kind::Enable ? "enable" : "language"; }

std::string_view name(Extension::Status status) {
  switch (status) {
    case Extension::Status::Available:
      return "available";
    case Extension::Status::NoDevice:
      return "no_device";
    case Extension::Status::SwitchedOff:
      return "switched_off";
    case Extension::Status::Unsupported:
      break;
  }
  return "unsupported";
}

std::vector<Extension> extensions(const Options& options) {
  std::vector<Extension> all;
  const auto add = [&](auto id, Extension::Kind kind) {
    all.push_back({sem::row(id).name, kind, sem::status(id, options), sem::row(id).needs});
  };
  for (size_t i = 0; i < sem::kEnable.size(); ++i) add(static_cast<sem::Enable>(i), Extension::Kind::Enable);
  for (size_t i = 0; i < sem::kLanguage.size(); ++i) add(static_cast<sem::Language>(i), Extension::Kind::Language);
  return all;
}

}  // namespace kem::wgsl
