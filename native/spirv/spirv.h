// GLSL to SPIR-V through glslang's library: the only user of glslang and SPIRV-Tools. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kem::spirv {

// A compute shader in GLSL (#version 460, Vulkan semantics) to SPIR-V 1.3 for Vulkan 1.1, unoptimised.
// The GLSL comes from our own writer, so a refusal is a bug of ours: Internal, with glslang's log and the line.
Result<std::vector<uint32_t>> compile(std::string_view glsl);

// spirv-val for Vulkan 1.1. Internal, with the validator's words, if the module is invalid.
Status validate(std::span<const uint32_t> words);

// The module's assembly text, as spirv-dis prints it.
Result<std::string> disassemble(std::span<const uint32_t> words);

// Does the work that the process's first compile would otherwise wait for (glslang's built-in symbol tables,
// some 100 ms). Blocks; call it from a background thread. Idempotent.
void warm_up();

// Frees what glslang keeps for the process (its symbol tables, some MiB): for the unloading of the library, after
// its threads were joined. Waits for compilations that run; a later compile() starts anew.
void release();

}  // namespace kem::spirv
