// Tables of programs that compile() accepts or refuses, by the specification's section.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "wgsl/wgsl.h"

namespace kem::wgsl::sem::testing {

struct Case {
  const char* source;
  const char* error = nullptr;  // part of the diagnostics; null: accepted, without any
};

inline Options all_features() {
  Options options;
  options.features.f16 = true;
  options.features.subgroups = true;
  options.features.subgroup_size_control = true;
  return options;
}

inline void check(std::initializer_list<Case> cases, const Options& options = all_features()) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.source);
    const Compilation compilation = compile(c.source, options);
    if (c.error == nullptr) {
      EXPECT_TRUE(compilation.program.has_value());
      EXPECT_EQ(compilation.diagnostics, "");
    } else {
      EXPECT_FALSE(compilation.program.has_value());
      EXPECT_NE(compilation.diagnostics.find(c.error), std::string::npos) << compilation.diagnostics;
    }
  }
}

}  // namespace kem::wgsl::sem::testing
