#include "wgsl/sem/resolve_order.h"

#include <algorithm>

#include "wgsl/sem/scope.h"

namespace kem::wgsl::sem {
namespace {

// Depth-first over the mentions with a stack of its own: the source decides how long a chain is.
class Sorter {
 public:
  Sorter(const ast::Module& module, const DeclaredNames& names, Diagnostics& diagnostics,
         const std::function<void(uint32_t, bool)>& done)
      : module_(module),
        diagnostics_(diagnostics),
        names_(names),
        done_(done),
        state_(module.declarations.size()),
        in_cycle_(module.declarations.size()) {}

  void run() {
    for (uint32_t i = 0; i < state_.size() && !diagnostics_.full(); i++)
      if (state_[i] == State::New) visit(i);
  }

 private:
  enum class State : uint8_t { New, Open, Done };
  struct Frame {
    uint32_t index;
    size_t next = 0;  // mention to follow next
  };

  // Every cycle that a declaration is part of is known when all it mentions has been followed.
  void visit(uint32_t start) {
    std::vector<Frame>& stack = stack_;
    stack.assign(1, {start});
    state_[start] = State::Open;
    while (!stack.empty() && !diagnostics_.full()) {
      Frame& frame = stack.back();
      const std::span<const ast::Mention> mentions = module_.mentions[frame.index];
      if (frame.next == mentions.size()) {
        const uint32_t index = frame.index;
        state_[index] = State::Done;
        stack.pop_back();
        done_(index, in_cycle_[index]);
        continue;
      }
      const uint32_t target = names_.find(mentions[frame.next++].symbol);
      if (target == DeclaredNames::kNone) continue;  // predeclared
      if (state_[target] == State::Open) {
        report_cycle(stack, target);
      } else if (state_[target] == State::New) {
        state_[target] = State::Open;
        stack.push_back({target});
      }
    }
  }

  void report_cycle(const std::vector<Frame>& stack, uint32_t target) {
    const auto first =
        std::find_if(stack.begin(), stack.end(), [&](const Frame& frame) { return frame.index == target; });
    const bool known = std::all_of(first, stack.end(), [&](const Frame& f) { return in_cycle_[f.index]; });
    for (auto frame = first; frame != stack.end(); ++frame) in_cycle_[frame->index] = true;
    if (known) return;
    const ast::Ident name = name_of(*module_.declarations[target]);
    Diagnostic& error = diagnostics_.error(name.span, "cyclic declaration of '" + std::string(name.name()) + "'");
    const bool function = module_.declarations[target]->kind == ast::DeclKind::Function;
    if (function) error.notes.push_back({name.span, "functions cannot be recursive: use a loop"});
    constexpr size_t kMostNotes = 10;
    for (auto frame = first; frame != stack.end() && error.notes.size() < kMostNotes; ++frame) {
      const ast::Mention& mention = module_.mentions[frame->index][frame->next - 1];
      error.notes.push_back({mention.span, "'" + std::string(name_of(*module_.declarations[frame->index]).name()) +
                                               "' refers to '" + std::string(mention.symbol->text) + "' here"});
    }
  }

  const ast::Module& module_;
  Diagnostics& diagnostics_;
  const DeclaredNames& names_;
  const std::function<void(uint32_t, bool)>& done_;
  std::vector<Frame> stack_;
  std::vector<State> state_;    // by index
  std::vector<bool> in_cycle_;  // by index: these have been reported
};

}  // namespace

ast::Ident name_of(const ast::Decl& declaration) {
  switch (declaration.kind) {
    case ast::DeclKind::Variable:
      return static_cast<const ast::Variable&>(declaration).name;
    case ast::DeclKind::Alias:
      return static_cast<const ast::Alias&>(declaration).name;
    case ast::DeclKind::Struct:
      return static_cast<const ast::Struct&>(declaration).name;
    case ast::DeclKind::Function:
      return static_cast<const ast::Function&>(declaration).name;
    case ast::DeclKind::ConstAssert:
      break;
  }
  return {nullptr, declaration.span};
}

void in_order(const ast::Module& module, const DeclaredNames& names, Diagnostics& diagnostics,
              const std::function<void(uint32_t index, bool in_cycle)>& f) {
  Sorter(module, names, diagnostics, f).run();
}

}  // namespace kem::wgsl::sem
