// The form of a compiled shader in the disk cache, and the key it is found by.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/compiler.h"

namespace kem::core {

// SHA-256, in hex, over everything that the SPIR-V and its reflection depend on: source, entry point, constants,
// front-end limits, device features, and the sources of the front-end that this library was built from.
std::string shader_key(const ShaderRequest& request);

// The part of the key that comes from the options, readable.
std::string options_key(const wgsl::Options& options);

// CBOR (RFC 8949): a map with the SPIR-V as a byte string in the host's byte order.
std::string encode_shader(const CompiledShader& shader);
// nullopt for anything that encode_shader of this version does not write.
std::optional<CompiledShader> decode_shader(std::string_view record);

}  // namespace kem::core
