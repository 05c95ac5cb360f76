#include "wgsl/ir/lower.h"

#include <algorithm>
#include <bit>

#include "wgsl/ir/lowerer.h"

namespace kem::wgsl::ir {

using sem::TypeKind;

namespace {

bool mentions_f16(const Type* type) {
  const auto* view = sem::as_pointer(type);
  return ((view != nullptr ? view->store : type)->traits & sem::kContainsF16) != 0;
}

// The built-in value of an entry point's structure's member.
sem::BuiltinValue builtin_of(const sem::StructMember& member) {
  const auto attribute =
      std::ranges::find(member.syntax->attributes, ast::AttributeKind::Builtin, &ast::Attribute::kind);
  return *sem::find_builtin_value((*attribute)->names[0].name());
}

bool takes_module_pointer(const sem::Function& function) {
  return std::ranges::any_of(function.parameters, [](const sem::Variable* parameter) {
    const auto* pointer = sem::as_pointer(parameter->type);
    return pointer != nullptr && pointer->space != AddressSpace::Function;
  });
}

bool takes_subgroup_number(const sem::Function& entry) {
  const auto is_number = [](sem::BuiltinValue value) {
    return value == sem::BuiltinValue::SubgroupId || value == sem::BuiltinValue::NumSubgroups;
  };
  return std::ranges::any_of(entry.parameters, [&](const sem::Variable* parameter) {
    if (parameter->builtin) return is_number(*parameter->builtin);
    const sem::Struct* structure = sem::as_struct(parameter->type);
    return structure != nullptr && std::ranges::any_of(structure->members, is_number, builtin_of);
  });
}

}  // namespace

Lowerer::Lowerer(const Program::Impl& program, const OverrideValues& overrides, const Options& options,
                 Diagnostics& diagnostics)
    : program_(program),
      info_(*program.info),
      types_(*program.types),
      overrides_(overrides),
      options_(options),
      diagnostics_(diagnostics),
      module_(std::make_unique<Module>()),
      eval_(*program.types, options_.limits, module_->values) {
  module_->types = program.types.get();
}

std::unique_ptr<Module> Lowerer::run(const sem::Function& entry) {
  module_variables(entry);
  workgroup_size(entry);
  subgroup_size(entry);
  for (const sem::Function* f : reachable(info_, entry)) {
    if (diagnostics_.has_errors()) return nullptr;
    module_->functions.push_back(declare(*f));
    function(*f);
  }
  if (diagnostics_.has_errors()) return nullptr;
  module_->entry = functions_.at(&entry);
  return std::move(module_);
}

// So many that they stay in a core's caches from one pass to the next, and that each pass's code serves for a while.
constexpr size_t kGroup = 1024;

std::unique_ptr<Module> Lowerer::run_each(const sem::Function& entry, FunctionSink& sink) {
  module_variables(entry);
  workgroup_size(entry);
  subgroup_size(entry);
  const std::vector<const sem::Function*> functions = reachable(info_, entry);
  for (const sem::Function* f : functions) module_->functions.push_back(declare(*f));
  module_->entry = functions_.at(&entry);
  if (diagnostics_.has_errors() || !sink.begin(*module_) || !with_pointers(functions, sink)) return nullptr;
  module_->keep();
  std::vector<Function*> group;
  size_t before = module_->instruction_count();  // before the group
  for (const sem::Function* f : functions) {
    if (takes_module_pointer(*f)) continue;
    group.push_back(functions_.at(f));
    group.back()->body = module_->block();
    function(*f);
    if (diagnostics_.has_errors() || too_large(*module_)) return nullptr;
    const size_t total = module_->instruction_count();  // the sink's passes make more, which do not count
    if (total - before < kGroup && f != functions.back()) continue;
    if (!sink.functions(*module_, group)) return nullptr;
    for (Function* done : group) done->body = nullptr;
    group.clear();
    module_->take_back(total);
    before = total;
  }
  return std::move(module_);
}

bool Lowerer::with_pointers(std::span<const sem::Function* const> functions, FunctionSink& sink) {
  std::vector<Function*> lowered;
  for (const sem::Function* f : functions) {
    if (!takes_module_pointer(*f)) continue;
    function(*f);
    if (diagnostics_.has_errors() || too_large(*module_)) return false;
    lowered.push_back(functions_.at(f));
  }
  if (!lowered.empty()) sink.with_pointers(lowered);
  return true;
}

// The order of Info::functions.
std::vector<const sem::Function*> reachable(const sem::Info& info, const sem::Function& entry) {
  std::vector<bool> seen(info.functions.size());  // by Function::index
  std::vector<const sem::Function*> work;
  work.reserve(info.functions.size());
  work.push_back(&entry);
  seen[entry.index] = true;
  while (!work.empty()) {
    const sem::Function* f = work.back();
    work.pop_back();
    for (const sem::Function* callee : f->callees) {
      if (seen[callee->index]) continue;
      seen[callee->index] = true;
      work.push_back(callee);
    }
  }
  std::vector<const sem::Function*> ordered;
  ordered.reserve(info.functions.size());
  for (const sem::Function* f : info.functions) {
    if (seen[f->index]) ordered.push_back(f);
  }
  return ordered;
}

void Lowerer::module_variable(const sem::Variable& variable) {
  if (variable.kind != sem::Variable::Kind::Var) return;  // overrides are values
  if (variable.space == AddressSpace::Handle) {
    diagnostics_.error(variable.span, "'" + std::string(variable.name) + "' is used by the entry point, but " +
                                          sem::spelling(variable.type) + " is not available on this device");
    return;
  }
  const Type* store = concrete(variable.type);
  if (store == nullptr) return;
  Variable* v = module_->variable(types_.pointer(variable.space, store, variable.access), variable.name);
  v->group = variable.group.value_or(0);
  v->binding = variable.binding.value_or(0);
  v->span = variable.span;
  if (variable.initializer != nullptr) v->initializer = early_value(variable.initializer);
  module_->uses_f16 |= mentions_f16(store);
  module_->variables.push_back(v);
  set_value(variable, v);
}

void Lowerer::module_variables(const sem::Function& entry) {
  for (const sem::Variable* variable : entry.module_variables) module_variable(*variable);
  if (!options_.miscounted_subgroups || !takes_subgroup_number(entry)) return;
  const Type* counter = types_.atomic(types_.u32());
  module_->subgroup_counter = module_->variable(
      types_.pointer(sem::AddressSpace::Workgroup, counter, sem::AccessMode::ReadWrite), "subgroup_counter");
  module_->variables.push_back(module_->subgroup_counter);
}

void Lowerer::workgroup_size(const sem::Function& entry) {
  for (size_t i = 0; i < entry.workgroup_size.size(); ++i) {
    const ast::Expr* e = entry.workgroup_size[i];
    if (e == nullptr) continue;
    const sem::Value* size = early_value(e);
    if (size == nullptr) continue;
    if (size->integer < 1 || size->integer > UINT32_MAX) {
      diagnostics_.error(e->span, "workgroup_size must be at least 1, but is " + std::to_string(size->integer));
      continue;
    }
    module_->workgroup_size[i] = static_cast<uint32_t>(size->integer);
  }
  module_->rows_split_subgroups = options_.miscounted_subgroups;
}

void Lowerer::subgroup_size(const sem::Function& entry) {
  if (entry.subgroup_size == nullptr) return;
  const sem::Value* size = early_value(entry.subgroup_size);
  if (size == nullptr) return;
  if (size->integer < 1 || size->integer > UINT32_MAX || !std::has_single_bit(static_cast<uint64_t>(size->integer))) {
    diagnostics_.error(entry.subgroup_size->span,
                       "subgroup_size must be a power of two, but is " + std::to_string(size->integer));
    return;
  }
  module_->subgroup_size = static_cast<uint32_t>(size->integer);
}

Function* Lowerer::declare(const sem::Function& function) {
  return functions_[&function] = module_->function(function.name, function.return_type);
}

void Lowerer::function(const sem::Function& function) {
  Function* f = functions_.at(&function);
  block_ = f->body;
  module_->uses_f16 |= mentions_f16(function.return_type);
  for (const sem::Variable* parameter : function.parameters) {
    if (function.stage != sem::PipelineStage::None) {
      entry_parameter(*f, *parameter);
      continue;
    }
    const auto index = static_cast<uint32_t>(f->parameters.size());
    Parameter* p = module_->parameter(concrete(parameter->type), parameter->name, index);
    module_->uses_f16 |= mentions_f16(p->type);
    f->parameters.push_back(p);
    set_value(*parameter, p);
  }
  statements(function.syntax->body->statements);
  if (!ended(*block_)) {
    // Behaviour analysis has shown that a function with a result returns on every path.
    const Op end = function.return_type->is(TypeKind::Void) ? Op::Return : Op::Unreachable;
    emit(end, types_.void_type(), {}, function.syntax->span);
  }
}

// A structure of built-in values becomes one parameter per member (spec "Built-in Inputs and Outputs").
void Lowerer::entry_parameter(Function& f, const sem::Variable& parameter) {
  const sem::Struct* structure = sem::as_struct(parameter.type);
  if (structure == nullptr) {
    set_value(parameter, builtin_parameter(f, parameter.type, parameter.name, *parameter.builtin));
    return;
  }
  std::vector<Value*> members;
  for (const sem::StructMember& member : structure->members) {
    members.push_back(builtin_parameter(f, member.type, member.name, builtin_of(member)));
  }
  Instruction* whole = emit(Op::Construct, structure, std::move(members), parameter.span);
  whole->name = parameter.name;
  set_value(parameter, whole);
}

Value* Lowerer::builtin_parameter(Function& f, const Type* type, std::string_view name, sem::BuiltinValue builtin) {
  Parameter* p = module_->parameter(type, name, static_cast<uint32_t>(f.parameters.size()));
  p->builtin = builtin;
  module_->uses_subgroups |= builtin >= sem::BuiltinValue::SubgroupInvocationId;
  f.parameters.push_back(p);
  return p;
}

const Type* Lowerer::concrete(const Type* type) {
  if (const auto found = concrete_.find(type); found != concrete_.end()) return found->second;
  const Type* result = type;
  if (const auto* array = sem::as_array(type); array != nullptr) {
    const Type* element = concrete(array->element);
    if (array->count_kind == sem::Array::Count::Override) {
      const sem::Value* count = early_value(array->count_expr);
      if (count != nullptr && count->integer < 1) {
        diagnostics_.error(array->count_expr->span,
                           "an array needs at least 1 element, but its count is " + std::to_string(count->integer));
      }
      result =
          types_.array(element, count == nullptr || count->integer < 1 ? 1 : static_cast<uint64_t>(count->integer));
    }
  } else if (const auto* buffer = sem::as_buffer(type);
             buffer != nullptr && buffer->size_kind == sem::Array::Count::Override) {
    const sem::Value* size = early_value(buffer->size_expr);
    if (size != nullptr && (size->integer < 1 || size->integer > UINT32_MAX)) {
      diagnostics_.error(buffer->size_expr->span,
                         "a buffer needs at least 1 byte, but its size is " + std::to_string(size->integer));
    }
    const bool good = size != nullptr && size->integer >= 1 && size->integer <= UINT32_MAX;
    result = types_.buffer(good ? static_cast<uint64_t>(size->integer) : 4);
  } else if (const auto* view = sem::as_pointer(type)) {
    result = types_.pointer(view->space, concrete(view->store), view->access);
  } else if (const auto* reference = sem::as_reference(type)) {
    result = types_.pointer(reference->space, concrete(reference->store), reference->access);
  }
  concrete_[type] = result;
  return result;
}

Instruction* Lowerer::emit(Op op, const Type* type, Operands&& operands, Span span) {
  Instruction* i = module_->instruction(op, type, std::move(operands), span);
  module_->uses_f16 |= mentions_f16(type);
  block_->instructions.push_back(i);
  return i;
}

Value* Lowerer::load(Value* pointer, Span span) {
  return emit(Op::Load, sem::as_pointer(pointer->type)->store, {pointer}, span);
}

void Lowerer::store(Value* pointer, Value* value, Span span) {
  emit(Op::Store, types_.void_type(), {pointer, value}, span);
}

Value* Lowerer::access(Value* base, Value* index, const Type* component, Span span) {
  const auto* view = sem::as_pointer(base->type);
  const Type* type = view == nullptr ? component : types_.pointer(view->space, component, view->access);
  return emit(Op::Access, type, {base, index}, span);
}

void Lowerer::set_value(const sem::Variable& variable, Value* value) {
  if (variable.id >= values_.size()) values_.resize(std::max<size_t>(variable.id + 1, 2 * values_.size()));
  values_[variable.id] = value;
}

Value* Lowerer::constant(const sem::Value* value) {
  module_->uses_f16 |= mentions_f16(value->type);
  return module_->constant(value);
}

Value* Lowerer::u32(uint32_t value) { return constant(eval_.integer(types_.u32(), value)); }

bool Lowerer::ended(const Block& block) {
  if (block.instructions.empty()) return false;
  switch (block.instructions.back()->op) {
    case Op::Break:
    case Op::Continue:
    case Op::Return:
    case Op::Unreachable:
      return true;
    default:
      return false;
  }
}

std::unique_ptr<Module> lower(const Program::Impl& program, const sem::Function& entry, const OverrideValues& overrides,
                              const Options& options, Diagnostics& diagnostics) {
  return Lowerer(program, overrides, options, diagnostics).run(entry);
}

std::unique_ptr<Module> lower_each(const Program::Impl& program, const sem::Function& entry,
                                   const OverrideValues& overrides, const Options& options, Diagnostics& diagnostics,
                                   FunctionSink& sink) {
  return Lowerer(program, overrides, options, diagnostics).run_each(entry, sink);
}

}  // namespace kem::wgsl::ir
