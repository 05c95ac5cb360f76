// The names that module-scope declarations use without declaring them themselves, collected while they are read: which
// declaration depends on which is known without looking through the tree once more. Private to syntax/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arena.h"
#include "wgsl/syntax/ast.h"
#include "wgsl/syntax/symbol_table.h"

namespace kem::wgsl {

class Mentions {
 public:
  // A function-scope declaration ends with the innermost of these (spec "Declaration and Scope").
  class Scope {
   public:
    explicit Scope(Mentions& mentions) : mentions_(mentions), first_(mentions.locals_.size()) {}
    ~Scope() { mentions_.end_locals(first_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Mentions& mentions_;
    size_t first_;
  };

  Mentions() {
    found_.reserve(32);
    locals_.reserve(32);
  }

  // A module-scope declaration begins.
  void begin() {
    ++declaration_;
    found_.clear();
  }
  void mention(const Symbol* symbol, Span span) {
    State& state = state_of(symbol);
    if (state.locals != 0 || state.declaration == declaration_) return;
    state.declaration = declaration_;
    found_.push_back({symbol, span});
  }
  // The name means a function-scope declaration from here to the end of the scope.
  void declare(const Symbol* symbol) {
    ++state_of(symbol).locals;
    locals_.push_back(symbol);
  }
  // What was mentioned since begin(), each name where it stood first.
  std::span<const ast::Mention> found(Arena& arena) const { return arena.copy(found_); }

 private:
  struct State {
    uint32_t locals = 0;       // function-scope declarations of the name that have not ended
    uint32_t declaration = 0;  // the last one that mentioned it, by number
  };

  State& state_of(const Symbol* symbol) {
    if (symbol->id >= states_.size()) states_.resize(std::max<size_t>(symbol->id + 1, states_.size() * 2));
    return states_[symbol->id];
  }
  void end_locals(size_t first) {
    for (; locals_.size() > first; locals_.pop_back()) --states_[locals_.back()->id].locals;
  }

  uint32_t declaration_ = 0;
  std::vector<ast::Mention> found_;
  std::vector<const Symbol*> locals_;
  std::vector<State> states_;  // by Symbol::id
};

}  // namespace kem::wgsl
