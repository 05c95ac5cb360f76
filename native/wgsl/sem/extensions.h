// Enable-extensions and language extensions (spec "Extensions"): one table, which everything that asks for one reads.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "wgsl/wgsl.h"

namespace kem::wgsl::sem {

// clang-format off
#define KEM_WGSL_ENABLE_EXTENSIONS(ROW)                                                                         \
  ROW(F16, "f16") ROW(ClipDistances, "clip_distances") ROW(DualSourceBlending, "dual_source_blending")          \
  ROW(Subgroups, "subgroups") ROW(PrimitiveIndex, "primitive_index")                                            \
  ROW(SubgroupSizeControl, "subgroup_size_control")
#define KEM_WGSL_LANGUAGE_EXTENSIONS(ROW)                                                                       \
  ROW(ReadonlyAndReadwriteStorageTextures, "readonly_and_readwrite_storage_textures")                           \
  ROW(Packed4x8IntegerDotProduct, "packed_4x8_integer_dot_product")                                             \
  ROW(UnrestrictedPointerParameters, "unrestricted_pointer_parameters")                                         \
  ROW(PointerCompositeAccess, "pointer_composite_access")                                                       \
  ROW(UniformBufferStandardLayout, "uniform_buffer_standard_layout") ROW(SubgroupId, "subgroup_id")             \
  ROW(SubgroupUniformity, "subgroup_uniformity") ROW(TextureAndSamplerLet, "texture_and_sampler_let")           \
  ROW(TextureFormatsTier1, "texture_formats_tier1") ROW(LinearIndexing, "linear_indexing")                      \
  ROW(ImmediateAddressSpace, "immediate_address_space") ROW(FragmentDepth, "fragment_depth")                    \
  ROW(BufferView, "buffer_view")
// clang-format on

enum class Enable : uint8_t {
#define KEM_ROW(id, spelling) id,
  KEM_WGSL_ENABLE_EXTENSIONS(KEM_ROW)
#undef KEM_ROW
};
enum class Language : uint8_t {
#define KEM_ROW(id, spelling) id,
  KEM_WGSL_LANGUAGE_EXTENSIONS(KEM_ROW)
#undef KEM_ROW
};

std::string_view name(Enable extension);
std::string_view name(Language extension);
std::optional<Enable> find_enable_extension(std::string_view name);
std::optional<Language> find_language_extension(std::string_view name);

Extension::Status status(Enable extension, const Options& options);
Extension::Status status(Language extension, const Options& options);
inline bool is_available(Language extension, const Options& options) {
  return status(extension, options) == Extension::Status::Available;
}

}  // namespace kem::wgsl::sem
