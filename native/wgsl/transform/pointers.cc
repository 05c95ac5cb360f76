#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

#include "wgsl/transform/rewrite.h"
#include "wgsl/transform/transform.h"

namespace kem::wgsl::transform {
namespace {

using ir::Builder;
using ir::Function;
using ir::Instruction;
using ir::Op;
using ir::Value;

bool is_module_pointer(const sem::Type* type) {
  const auto* pointer = sem::as_pointer(type);
  return pointer != nullptr && pointer->space != sem::AddressSpace::Function;
}

// A pointer as the variable it goes into and the steps to take there.
struct Path {
  Value* root = nullptr;
  std::vector<Value*> steps;
};

Path path_of(Value* pointer) {
  Path path;
  while (pointer->kind == ir::ValueKind::Instruction && static_cast<Instruction*>(pointer)->op == Op::Access) {
    const auto& operands = static_cast<Instruction*>(pointer)->operands;
    path.steps.insert(path.steps.begin(), operands.begin() + 1, operands.end());
    pointer = operands[0];
  }
  path.root = pointer;
  return path;
}

// Which steps select a structure's member: part of the copy's identity, while indices are its arguments.
std::vector<bool> member_steps(const Path& path) {
  std::vector<bool> members;
  const sem::Type* type = sem::as_pointer(path.root->type)->store;
  for (const Value* step : path.steps) {
    const auto* structure = sem::as_struct(type);
    members.push_back(structure != nullptr);
    if (structure != nullptr) {
      type = structure->members[static_cast<size_t>(*ir::constant_integer(step))].type;
    } else if (const auto* array = sem::as_array(type)) {
      type = array->element;
    } else if (const auto* matrix = sem::as_matrix(type)) {
      type = matrix->column;
    } else {
      type = sem::as_vector(type)->element;
    }
  }
  return members;
}

}  // namespace

class PointersPass::Impl {
 public:
  Impl(ir::Module& module, Diagnostics& diagnostics) : module_(module), diagnostics_(diagnostics) {}

  std::vector<Function*> run(std::span<Function* const> functions) {
    for (Function* f : functions) visit(f);
    return std::exchange(ordered_, {});
  }

 private:
  // Depth-first, so that callees come before callers in `ordered_`.
  void visit(Function* f) {
    if (!visited_.insert(f).second) return;
    std::vector<Instruction*> calls;
    for_each(f->body, [&](Instruction& i) {
      if (i.op == Op::Call) calls.push_back(&i);
    });
    for (Instruction* call : calls) {
      if (diagnostics_.has_errors()) return;
      const auto& parameters = call->callee->parameters;
      if (std::any_of(parameters.begin(), parameters.end(), [](auto* p) { return is_module_pointer(p->type); })) {
        specialize(*call);
      }
      if (!diagnostics_.has_errors()) visit(call->callee);
    }
    ordered_.push_back(f);
  }

  void specialize(Instruction& call) {
    std::string key = std::to_string(call.callee->id);
    std::vector<Value*> arguments;
    std::vector<Path> paths(call.operands.size());
    for (size_t k = 0; k < call.operands.size(); ++k) {
      Value* argument = call.operands[k];
      if (!is_module_pointer(argument->type)) {
        arguments.push_back(argument);
        continue;
      }
      paths[k] = path_of(argument);
      key += ";" + std::to_string(k) + ":" + std::to_string(paths[k].root->id);
      const std::vector<bool> members = member_steps(paths[k]);
      for (size_t s = 0; s < members.size(); ++s) {
        Value* step = paths[k].steps[s];
        if (members[s]) {
          key += "." + std::to_string(*ir::constant_integer(step));
        } else {
          key += step->type->is(sem::TypeKind::I32) ? "[i]" : "[u]";
          arguments.push_back(step);
        }
      }
    }
    Function*& copy = copies_[key];
    if (copy == nullptr) copy = make_copy(*call.callee, paths, call.span);
    call.callee = copy;
    call.operands = std::move(arguments);
  }

  Function* make_copy(const Function& from, const std::vector<Path>& paths, Span span) {
    Function* to = module_.function(from.name, from.return_type);
    Cloner cloner(module_);
    Builder b(module_, to->body->instructions, span);
    const auto add = [&](const sem::Type* type, std::string_view name) {
      to->parameters.push_back(module_.parameter(type, name, static_cast<uint32_t>(to->parameters.size())));
      return to->parameters.back();
    };
    for (const ir::Parameter* p : from.parameters) {
      const Path& path = paths[p->index];
      if (path.root == nullptr) {
        cloner.map[p] = add(p->type, p->name);
        continue;
      }
      const std::vector<bool> members = member_steps(path);
      std::vector<Value*> steps;
      for (size_t s = 0; s < members.size(); ++s) {
        steps.push_back(members[s] ? path.steps[s] : add(path.steps[s]->type, "index"));
      }
      cloner.map[p] = steps.empty() ? path.root : b.access(path.root, std::move(steps));
    }
    cloner.copy_into(*to->body, *from.body);
    for_each(to->body, [&](Instruction&) { ++instructions_; });
    if (copies_.size() > kMaxSpecializations || instructions_ > kMaxSpecializedInstructions) {
      diagnostics_.error(span, "too many combinations of pointer arguments: more than " +
                                   std::to_string(kMaxSpecializations) + " copies of functions would be needed");
    }
    return to;
  }

  ir::Module& module_;
  Diagnostics& diagnostics_;
  std::map<std::string, Function*> copies_;
  std::unordered_set<const Function*> visited_;
  std::vector<Function*> ordered_;
  size_t instructions_ = 0;
};

PointersPass::PointersPass(ir::Module& module, Diagnostics& diagnostics)
    : impl_(std::make_unique<Impl>(module, diagnostics)) {}
PointersPass::~PointersPass() = default;

std::vector<Function*> PointersPass::run(std::span<Function* const> functions) { return impl_->run(functions); }

void pointers(ir::Module& module, Diagnostics& diagnostics) {
  const bool any = std::any_of(module.functions.begin(), module.functions.end(), [](const Function* f) {
    return std::any_of(f->parameters.begin(), f->parameters.end(), [](auto* p) { return is_module_pointer(p->type); });
  });
  if (!any) return;
  std::vector<Function*> ordered = PointersPass(module, diagnostics).run(std::span(&module.entry, 1));
  if (!diagnostics.has_errors()) module.functions = std::move(ordered);
}

}  // namespace kem::wgsl::transform
