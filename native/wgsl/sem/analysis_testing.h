// For the tests of what runs on a resolved module: WGSL text to Info.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/diagnostic.h"
#include "wgsl/sem/program.h"
#include "wgsl/syntax/parse.h"

namespace kem::wgsl::sem::testing {

class Resolved {
 public:
  explicit Resolved(std::string text, LanguageExtensions language = LanguageExtensions::All)
      : source_(std::move(text)) {
    options_.language_extensions = language;
    options_.features.f16 = true;
    options_.features.subgroups = true;
    options_.features.subgroup_size_control = true;
    module_ = parse(source_, options_.limits, diagnostics_);
    if (module_ != nullptr) info_ = resolve(*module_, types_, options_, diagnostics_);
    if (info_ == nullptr) ADD_FAILURE() << render(source_, diagnostics_);
  }

  bool ok() const { return info_ != nullptr; }
  const ast::Module& module() const { return *module_; }
  const Info& info() const { return *info_; }
  const Source& source() const { return source_; }
  TypeTable& types() { return types_; }
  const Options& options() const { return options_; }

  const Function* function(std::string_view name) const {
    for (const Function* f : info_->functions) {
      if (f->name == name) return f;
    }
    return nullptr;
  }

 private:
  Options options_;
  Source source_;
  Diagnostics diagnostics_;
  std::unique_ptr<const ast::Module> module_;
  TypeTable types_;
  std::unique_ptr<Info> info_;
};

}  // namespace kem::wgsl::sem::testing
