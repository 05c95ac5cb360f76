// How long GlslangToSpv() would look for the constants and types that it has made before.
#pragma once

#include <cstdint>

class TIntermNode;

namespace kem::spirv {

// spv::Builder keeps constants in lists, one for each kind of type, and looks through a list from its beginning
// whenever a constant is used. A use of a table, which glslang writes out again, looks up all its elements and then,
// among tables, itself. Types of arrays, with their sizes, and of pointers are in such lists too.
//
// The entries that are passed on the way, or a number over `most` as soon as there are more. For trees of the thread's
// pool; takes a stack as deep as GlslangToSpv() does.
uint64_t count_constant_lookups(TIntermNode& tree, uint64_t most);

}  // namespace kem::spirv
