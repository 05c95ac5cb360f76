#include "wgsl/sem/extensions.h"

#include <algorithm>

namespace kem::wgsl::sem {
namespace {

constexpr EnableExtension kEnable[] = {
    {"f16", &DeviceFeatures::f16}, {"subgroups", &DeviceFeatures::subgroups},
    {"clip_distances", nullptr},   {"dual_source_blending", nullptr},
    {"primitive_index", nullptr},  {"subgroup_size_control", nullptr},
};

constexpr LanguageExtension kLanguage[] = {
    {"readonly_and_readwrite_storage_textures", true},
    {"packed_4x8_integer_dot_product", true},
    {"unrestricted_pointer_parameters", true},
    {"pointer_composite_access", true},
    {"uniform_buffer_standard_layout", true},
    {"subgroup_id", true},
    {"subgroup_uniformity", false},
    {"texture_and_sampler_let", true},
    {"texture_formats_tier1", true},
    {"linear_indexing", true},
    {"immediate_address_space", false},
    {"fragment_depth", true},
    {"buffer_view", false},
};

template <class Row>
const Row* find(std::span<const Row> rows, std::string_view name) {
  const auto it = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  return it == rows.end() ? nullptr : &*it;
}

}  // namespace

std::span<const EnableExtension> enable_extensions() { return kEnable; }
std::span<const LanguageExtension> language_extensions() { return kLanguage; }
const EnableExtension* find_enable_extension(std::string_view name) { return find(enable_extensions(), name); }
const LanguageExtension* find_language_extension(std::string_view name) { return find(language_extensions(), name); }

}  // namespace kem::wgsl::sem
