// GLSL to SPIR-V through glslang's library: the only user of glslang and SPIRV-Tools. Thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// What glslang 12 does to our GLSL; spirv_test.cc holds it to the first four.
//
// - f32 literals are exact with 9 significant digits, denormals and -0.0 included; over the largest f32 they become
//   infinity. They are parsed, kept and folded as f64 and rounded when SPIR-V is made.
// - So constant expressions don't give what f32 arithmetic gives: 1e20*1e20-1e40 is 0, not NaN. Operators and most
//   float built-ins fold whenever every operand is constant, also through const variables: an expression that is to
//   be computed in f32 must have been computed before it is written, or read a variable.
// - uintBitsToFloat(0x7fc00000u) is not folded: the way to write NaN and infinity. 0.0/0.0 and 1.0/0.0 fold too,
//   but to a NaN whose sign and payload are glslang's affair.
// - Constant integers fold with wrapping. x/0 folds to 2147483647 or 4294967295u, x%0 to x, INT_MIN/-1 to INT_MIN,
//   INT_MIN%-1 to 0; shift counts are taken modulo 32. The literals 2147483648 (i32) wraps; over 32 bits is refused.
// - Conversions of constants out of range are C's: int(3e9) is INT_MIN, uint(-1.0) 4294967295u, uint(5e9) 705032704u.
// - round(2.5) folds to 3.0, half away from zero; roundEven(2.5) to 2.0.
// - Nothing with a variable in it is simplified: x*0.0, x-x, n/0 and n<<33 reach the driver as written.
// - a*b+c is OpFMul and OpFAdd; only `precise` (NoContraction) keeps a driver from fusing them.
// - c ? a : b with scalar or vector a and b becomes OpSelect, which evaluates both, unless one has side effects.
//   && and || branch; if (false) and code after return stay, or go, without a diagnostic.
// - Parentheses, blocks and else-if chains nest until the parser's stack of 10,000 entries is full: then it refuses
//   ("memory exhausted"). That is about 1,000 nested statements or else-ifs, 3,000 nested operators or calls.
//   kSafeNesting stays below all of them.
// - Building SPIR-V recurses through the basic blocks one after the other, 224 bytes of stack each: 37,000 of them
//   overran 8 MiB. A loop with a break makes six, an if three.
// - Each use of a constant is looked for among all constants of its kind, 10 ns for each that is passed, and a use of
//   a table is one of all its elements: 20 KB of source with a table of 2,000 took 10 s. See constant_lookups.h.
//   Time grows straight with everything else (10,000 statements: 0.2 s). Unused functions cost. (TProgram::link(),
//   which is not called, takes time with the square of the number of calls: half of all for a module of 1 MiB.)
// - Memory grows straight with the text: 60 bytes for a byte of ordinary code, 130 for the worst found; then, while
//   SPIR-V is made, 25 bytes more.
// - SPIRV-Tools' validator takes time with the third power of nested control flow, else-ifs included (200: 0.2 s,
//   1,000: 25 s) and of calls in one expression (1,000: 0.5 s).
namespace kem::spirv {

// Nesting of statements, else-ifs included, and of parentheses, calls and indices that always compiles.
constexpr uint32_t kSafeNesting = 500;

// Over these a shader is refused as UnsupportedKernel, for glslang would take too much stack or time. The levels of
// an expression are its operators: a + b + c has two.
constexpr size_t kMostBytes = 3u << 19;  // what a module of 1 MiB becomes, within 256 MiB
constexpr size_t kMostExpressionLevels = 16'384;
constexpr size_t kMostFunctions = 4'096;
constexpr size_t kMostLiterals = 8'192;
constexpr uint64_t kMostConstantLookups = 1u << 26;  // see constant_lookups.h; 0.7 s
constexpr size_t kMostBranches = 8'192;              // if, else, for, case, break, return, && and so on

// Whether a module keeps the names of its variables and types (OpName, OpMemberName, OpSource): an eighth of a small
// one's instructions, for readers alone.
enum class Names { Drop, Keep };

// A compute shader in GLSL (#version 460, Vulkan semantics) to SPIR-V 1.3 for Vulkan 1.1, unoptimised. Callable from
// threads with 512 KiB of stack; deep expressions are compiled on a thread of their own. The preprocessor defines
// nothing, not even VULKAN, and there are no constants gl_Max....
// The GLSL comes from our own writer, so a refusal is a bug of ours: Internal, with glslang's log and the line.
Result<std::vector<uint32_t>> compile(std::string_view glsl, Names names = Names::Drop);

// spirv-val for Vulkan 1.1. Internal, with the validator's words, if the module is invalid.
Status validate(std::span<const uint32_t> words);

// The module's assembly text, as spirv-dis prints it.
Result<std::string> disassemble(std::span<const uint32_t> words);

// Does the work that the process's first compile would otherwise wait for (glslang's built-in symbol tables,
// some 15 ms). Blocks; call it from a background thread. Idempotent.
void warm_up();

// Frees what glslang keeps for the process (its symbol tables, some MiB): for the unloading of the library, after
// its threads were joined. Waits for compilations that run; a later compile() starts anew.
void release();

}  // namespace kem::spirv
