// Pipeline creation: a Program and a request to GLSL and its reflection.
#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "wgsl/glsl/writer.h"
#include "wgsl/ir/lower.h"
#include "wgsl/quoted.h"
#include "wgsl/sem/extensions.h"
#include "wgsl/sem/override_eval.h"
#include "wgsl/sem/program.h"
#include "wgsl/stage_clock.h"
#include "wgsl/transform/transform.h"
#include "wgsl/wgsl.h"

namespace kem::wgsl {
namespace {

using sem::AccessMode;
using sem::AddressSpace;
using sem::Type;

constexpr uint64_t kWorkgroupAlignment = 16;  // WebGPU rounds each variable's size up to this for its limit

Result<const sem::Function*> find_entry_point(const sem::Info& info, const std::string& name) {
  const sem::Function* found = nullptr;
  std::string known;
  for (const sem::Function* f : info.functions) {
    if (f->stage == sem::PipelineStage::None) continue;
    known += (known.empty() ? "" : ", ") + quoted(f->name);
    if (name.empty() ? f->stage != sem::PipelineStage::Compute : f->name != name) continue;
    if (found != nullptr) {
      return fail(ErrorClass::InvalidArgument, "the kernel has more than one compute entry point: name one");
    }
    found = f;
  }
  if (found == nullptr) {
    const std::string wanted = name.empty() ? "a compute entry point" : "an entry point " + quoted(name);
    return fail(ErrorClass::InvalidArgument,
                "the kernel does not have " + wanted + (known.empty() ? "" : "; it has " + known));
  }
  if (found->stage != sem::PipelineStage::Compute) {
    return fail(ErrorClass::InvalidArgument, quoted(found->name) + " is not a compute entry point");
  }
  return found;
}

// Valid WGSL that this build cannot run: named with its place in the source.
void check_supported(const sem::Function& entry, Diagnostics& diagnostics) {
  for (const sem::Variable* v : entry.module_variables) {
    if (v->kind != sem::Variable::Kind::Var) continue;
    if (v->space == AddressSpace::Handle) {
      diagnostics.error(v->span, quoted(v->name) + " is a texture or sampler: only buffers are supported");
    }
  }
}

void check_features(const ir::Module& module, const sem::Function& entry, const DeviceFeatures& features,
                    Diagnostics& diagnostics) {
  const Span span = entry.syntax->name.span;
  if (module.uses_f16 && !features.f16) diagnostics.error(span, "the kernel uses f16, which this device does not have");
  for (const ir::Variable* v : module.variables) {
    const bool immediate_f16 =
        v->space == AddressSpace::Immediate && (sem::as_pointer(v->type)->store->traits & sem::kContainsF16) != 0;
    if (immediate_f16 && !features.f16_immediates) {
      diagnostics.error(v->span, quoted(v->name) + " has f16 in address space 'immediate', which this device does not");
    }
  }
  if (module.uses_subgroups && !features.subgroups) {
    diagnostics.error(span, "the kernel uses subgroups, which this device does not have");
  }
  if (module.subgroup_size != 0 && !features.subgroup_size_control) {
    diagnostics.error(entry.subgroup_size->span,
                      "the kernel asks for a subgroup size, which this device cannot choose");
  }
}

void check_workgroup_size(const ir::Module& module, const sem::Function& entry, const DeviceFeatures& features,
                          Diagnostics& diagnostics) {
  const auto& size = module.workgroup_size;
  const uint32_t limits[] = {features.max_workgroup_size_x, features.max_workgroup_size_y,
                             features.max_workgroup_size_z};
  for (size_t k = 0; k < 3; ++k) {
    if (size[k] <= limits[k]) continue;
    const Span span = entry.workgroup_size[k] != nullptr ? entry.workgroup_size[k]->span : entry.syntax->name.span;
    diagnostics.error(span, "workgroup_size " + std::string(1, "xyz"[k]) + " is " + std::to_string(size[k]) +
                                ", over the limit of " + std::to_string(limits[k]));
  }
  if (diagnostics.has_errors()) return;
  const uint64_t total = uint64_t{size[0]} * size[1] * size[2];
  if (total > features.max_workgroup_invocations) {
    diagnostics.error(entry.syntax->name.span, "a workgroup has " + std::to_string(total) +
                                                   " invocations, over the limit of " +
                                                   std::to_string(features.max_workgroup_invocations));
  }
}

// Spec "subgroup_size": pipeline-creation errors.
void check_subgroup_size(const ir::Module& module, const sem::Function& entry, const DeviceFeatures& features,
                         Diagnostics& diagnostics) {
  const uint32_t size = module.subgroup_size;
  if (size == 0) return;
  const Span span = entry.subgroup_size->span;
  if (size < features.min_subgroup_size || size > features.max_subgroup_size) {
    diagnostics.error(span, "subgroup_size is " + std::to_string(size) + ", this device has sizes from " +
                                std::to_string(features.min_subgroup_size) + " to " +
                                std::to_string(features.max_subgroup_size));
  } else if (module.workgroup_size[0] % size != 0) {
    diagnostics.error(span, "workgroup_size x is " + std::to_string(module.workgroup_size[0]) +
                                ", not a multiple of the subgroup_size " + std::to_string(size));
  }
}

uint64_t element_stride(const Type* store) {
  if (const auto* buffer = sem::as_buffer(store)) return buffer->size_kind == sem::Array::Count::Runtime ? 4 : 0;
  if (const auto* structure = sem::as_struct(store); structure != nullptr && !structure->members.empty()) {
    store = structure->members.back().type;
  }
  const auto* array = sem::as_array(store);
  return array != nullptr && array->count_kind == sem::Array::Count::Runtime ? sem::array_stride(array) : 0;
}

Binding binding_of(const ir::Variable& v) {
  const Type* store = sem::as_pointer(v.type)->store;
  Binding b;
  b.group = v.group;
  b.binding = v.binding;
  b.kind = v.space == AddressSpace::Uniform ? BindingKind::Uniform
           : v.access == AccessMode::Read   ? BindingKind::StorageRead
                                            : BindingKind::StorageReadWrite;
  b.name = v.name;
  b.type = sem::spelling(store);
  b.min_size = sem::size_of(store);
  b.element_stride = element_stride(store);
  return b;
}

// What GLSL can say; no device has more.
constexpr uint32_t kLastGroup = 62;
constexpr uint32_t kLastBinding = 65'534;

void check_place(const ir::Variable& v, Diagnostics& diagnostics) {
  const auto check = [&](const char* what, uint32_t number, uint32_t last) {
    if (number <= last) return;
    diagnostics.error(v.span, quoted(v.name) + " has " + what + " " + std::to_string(number) + ", over the limit of " +
                                  std::to_string(last));
  };
  check("group", v.group, kLastGroup);
  check("binding", v.binding, kLastBinding);
}

void reflect_bindings(const ir::Module& module, const DeviceFeatures& features, Reflection& reflection,
                      Diagnostics& diagnostics) {
  for (const ir::Variable* v : module.variables) {
    if (v->space != AddressSpace::Uniform && v->space != AddressSpace::Storage) continue;
    check_place(*v, diagnostics);
    Binding b = binding_of(*v);
    const bool uniform = b.kind == BindingKind::Uniform;
    const uint64_t limit = uniform ? features.max_uniform_bytes : features.max_storage_bytes;
    if (b.min_size > limit) {
      diagnostics.error(v->span, quoted(v->name) + " needs " + std::to_string(b.min_size) +
                                     " bytes, over the limit of " + std::to_string(limit) + " for a " +
                                     (uniform ? "uniform" : "storage") + " buffer");
    }
    reflection.bindings.push_back(std::move(b));
  }
  std::sort(reflection.bindings.begin(), reflection.bindings.end(), [](const Binding& a, const Binding& b) {
    return std::pair(a.group, a.binding) < std::pair(b.group, b.binding);
  });
}

void reflect_unread(const transform::UnreadPass& pass, Reflection& reflection) {
  for (const ir::Variable* v : pass.found()) {
    for (Binding& b : reflection.bindings) {
      if (b.group == v->group && b.binding == v->binding) b.read = false;
    }
  }
}

void reflect_workgroup_memory(const ir::Module& module, const DeviceFeatures& features, Reflection& reflection,
                              Diagnostics& diagnostics) {
  for (const ir::Variable* v : module.variables) {
    if (v->space != AddressSpace::Workgroup) continue;
    const uint64_t size = sem::size_of(sem::as_pointer(v->type)->store);
    const uint64_t rounded = (size + kWorkgroupAlignment - 1) / kWorkgroupAlignment * kWorkgroupAlignment;
    reflection.workgroup_bytes = rounded < size ? UINT64_MAX : reflection.workgroup_bytes + rounded;
    if (reflection.workgroup_bytes > features.max_workgroup_bytes) {
      diagnostics.error(v->span, "with " + quoted(v->name) + " the workgroup variables take " +
                                     std::to_string(reflection.workgroup_bytes) + " bytes, over the limit of " +
                                     std::to_string(features.max_workgroup_bytes));
      return;
    }
  }
}

constexpr uint64_t kImmediateAlignment = 4;  // of the push constants' size

void reflect_immediates(const ir::Module& module, const DeviceFeatures& features, Reflection& reflection,
                        Diagnostics& diagnostics) {
  for (const ir::Variable* v : module.variables) {
    if (v->space != AddressSpace::Immediate) continue;
    const uint64_t size = sem::size_of(sem::as_pointer(v->type)->store);
    const uint64_t rounded = (size + kImmediateAlignment - 1) / kImmediateAlignment * kImmediateAlignment;
    if (rounded > features.max_immediate_bytes) {
      diagnostics.error(v->span, quoted(v->name) + " takes " + std::to_string(rounded) + " bytes, over the limit of " +
                                     std::to_string(features.max_immediate_bytes) + " in address space 'immediate'");
      return;
    }
    reflection.immediate_bytes = static_cast<uint32_t>(rounded);
  }
}

void reflect_variables(const ir::Module& module, const DeviceFeatures& features, Reflection& reflection,
                       Diagnostics& diagnostics) {
  reflect_bindings(module, features, reflection, diagnostics);
  reflect_workgroup_memory(module, features, reflection, diagnostics);
  reflect_immediates(module, features, reflection, diagnostics);
}

// The first place in group 0 that no binding takes.
Reflection::Trap free_place(const Reflection& reflection) {
  Reflection::Trap trap;
  for (const Binding& b : reflection.bindings) {
    if (b.group == 0 && b.binding == trap.binding) ++trap.binding;
  }
  return trap;
}

// In a debug build, what each pass leaves behind is verified.
class Passes {
 public:
  explicit Passes(ir::Module& module) : module_(module) {}

  template <class Pass, class... Args>
  void run(const char* name, Pass pass, Args&&... args) {
    if (!problem_.empty()) return;
    pass(module_, std::forward<Args>(args)...);
    check(name);
  }
  void check([[maybe_unused]] const char* name) {
#ifndef NDEBUG
    const std::string problem = ir::verify(module_);
    if (!problem.empty()) problem_ = std::string("after ") + name + ": " + problem;
#endif
  }
  const std::string& problem() const { return problem_; }

 private:
  ir::Module& module_;
  std::string problem_;
};

// Takes one function after the other through all passes and to its text, while it is in the caches. What cannot go
// that way, and what has an error, is refused: passes over the whole module tell errors in their order.
class ByFunction : public ir::FunctionSink {
 public:
  ByFunction(const Options& options, Reflection& reflection, Diagnostics& diagnostics)
      : options_(options), reflection_(reflection), diagnostics_(diagnostics) {
    if (options_.times == nullptr) return;
    options_.times->lower = options_.times->transform = options_.times->write_glsl = {};
  }

  // Whether all passes can: there are no views of buffers.
  static bool fits(const sem::Function& entry) {
    return std::ranges::none_of(entry.module_variables, [](const sem::Variable* v) {
      return v->kind == sem::Variable::Kind::Var && sem::as_buffer(v->type) != nullptr;
    });
  }

  bool begin(ir::Module& module) override {
    reflect_variables(module, options_.features, reflection_, diagnostics_);
    if (options_.slow_array_constants) transform::mark_large_private_variables(module);
    state_.emplace(module, options_, reflection_, diagnostics_);
    return !diagnostics_.has_errors();
  }

  // They are verified when they are copied: what they call may be lowered later.
  void with_pointers(std::span<ir::Function* const> functions) override {
    clock_.add(&FrontEndTimes::lower);
    for (ir::Function* f : functions) state_->bounds.run(*f);
    copies_ = true;
    clock_.add(&FrontEndTimes::transform);
  }

  bool functions(ir::Module& module, std::span<ir::Function* const> lowered) override {
    clock_.add(&FrontEndTimes::lower);
    if (!verified("lowering", module, lowered)) return false;
    for (ir::Function* f : lowered) state_->bounds.run(*f);
    if (!copies_) return finished(module, lowered);
    const std::vector<ir::Function*> all = with_copies(module, lowered);
    const bool good = !diagnostics_.has_errors() && verified("pointers", module, all) && finished(module, all);
    for (ir::Function* f : all) f->body = nullptr;  // as those of all functions
    return good;
  }

  Result<std::string> finish() {
    reflect_unread(state_->unread, reflection_);
    if (state_->budget.counts()) reflection_.trap = state_->trap;
    auto text = state_->writer.finish();
    clock_.add(&FrontEndTimes::write_glsl);
    return text;
  }

  const std::string& problem() const { return problem_; }  // in a debug build, what the passes left wrong

 private:
  // The functions, and before each the copies of those with pointers that it calls; the module has them too.
  std::vector<ir::Function*> with_copies(ir::Module& module, std::span<ir::Function* const> functions) {
    std::vector<ir::Function*> all = state_->pointers.run(functions);
    auto next = functions.begin();
    for (ir::Function* f : all) {
      if (f == *next) {
        ++next;
      } else {
        while (module.functions[place_] != *next) ++place_;
        module.functions.insert(module.functions.begin() + static_cast<ptrdiff_t>(place_++), f);
      }
    }
    return all;
  }

  bool finished(ir::Module& module, std::span<ir::Function* const> functions) {
    for (ir::Function* f : functions) {
      state_->limits.run(*f);
      state_->unread.run(*f);
    }
    if (diagnostics_.has_errors()) return false;
    const bool last = functions.back() == module.entry;
    if (last) transform::entry_point(module);
    if (options_.slow_array_constants) {
      for (ir::Function* f : functions) state_->selection.run(*f);
    }
    state_->passes.operations(functions);
    if (last && options_.slow_array_constants) transform::zero_private_variables(module);
    if (options_.count_loops) state_->budget.run(functions);
    state_->passes.last(functions);
    if (!verified("the passes", module, functions)) return false;
    clock_.add(&FrontEndTimes::transform);
    bool short_enough = true;
    for (const ir::Function* f : functions) short_enough = short_enough && state_->writer.function(*f);
    clock_.add(&FrontEndTimes::write_glsl);
    return short_enough;
  }

  struct State {
    State(ir::Module& module, const Options& options, const Reflection& reflection, Diagnostics& diagnostics)
        : bounds(transform::bounds_pass(module)),
          pointers(module, diagnostics),
          limits(module, diagnostics),
          unread(module),
          selection(transform::selection(module)),
          passes(module, options.slow_array_constants, options.misread_loop_exits),
          trap(free_place(reflection)),
          budget(module, trap.group, trap.binding),
          writer(module, options.limits.generated_bytes) {}

    transform::Rewriter bounds;
    transform::PointersPass pointers;
    transform::LimitsPass limits;
    transform::UnreadPass unread;
    transform::Rewriter selection;
    transform::FunctionPasses passes;
    const Reflection::Trap trap;
    transform::LoopBudget budget;
    glsl::Writer writer;
  };

  bool verified([[maybe_unused]] const char* after, [[maybe_unused]] const ir::Module& module,
                [[maybe_unused]] std::span<ir::Function* const> functions) {
#ifndef NDEBUG
    for (const ir::Function* f : functions) {
      const std::string problem = ir::verify(module, *f);
      if (!problem.empty()) problem_ = std::string("after ") + after + ": " + problem;
    }
#endif
    return problem_.empty();
  }

  const Options& options_;
  Reflection& reflection_;
  Diagnostics& diagnostics_;
  std::optional<State> state_;
  StageClock clock_{options_.times};
  bool copies_ = false;  // functions with pointers are copied
  size_t place_ = 0;     // in the module's functions: copies come there or behind
  std::string problem_;
};

class Generator {
 public:
  Generator(const Program& program, const PipelineRequest& request, const Options& options,
            std::vector<LocatedDiagnostic>* located)
      : program_(program.impl()),
        request_(request),
        options_(options),
        located_(located),
        diagnostics_(options.limits.diagnostics) {}

  Result<Shader> run() {
    KEM_TRY(const sem::Function* entry, find_entry_point(*program_.info, request_.entry_point));
    check_supported(*entry, diagnostics_);
    KEM_CHECK(no_errors(ErrorClass::UnsupportedKernel));
    sem::ConstEval eval(*program_.types, options_.limits, values_);
    auto overrides = sem::bind_overrides(*program_.info, *entry, request_.constants, eval, diagnostics_);
    KEM_CHECK(no_errors(ErrorClass::InvalidKernel));
    if (!overrides) return fail(std::move(overrides).error());
    if (ByFunction::fits(*entry)) {
      if (by_function(*entry, *overrides)) return std::move(shader_);
      if (!problem_.empty()) return fail(ErrorClass::Internal, problem_);
      diagnostics_ = Diagnostics(options_.limits.diagnostics);
      shader_ = {};
    }
    return whole(*entry, *overrides);
  }

 private:
  bool by_function(const sem::Function& entry, const ir::OverrideValues& overrides) {
    ByFunction functions(options_, shader_.reflection, diagnostics_);
    const auto module = ir::lower_each(program_, entry, overrides, options_, diagnostics_, functions);
    problem_ = functions.problem();
    if (module == nullptr) return false;
    check_features(*module, entry, options_.features, diagnostics_);
    reflect_sizes(*module, entry);
    if (diagnostics_.has_errors()) return false;
    auto text = functions.finish();
    if (!text) return false;
    shader_.glsl = std::move(*text);
    return true;
  }

  Result<Shader> whole(const sem::Function& entry, const ir::OverrideValues& overrides) {
    StageClock clock(options_.times);
    const auto module = ir::lower(program_, entry, overrides, options_, diagnostics_);
    KEM_CHECK(no_errors(ErrorClass::InvalidKernel));
    KEM_CHECK(check_size(*module, entry));
    KEM_CHECK(reflect(*module, entry));
    clock.done(&FrontEndTimes::lower);
    KEM_CHECK(transform(*module));
    clock.done(&FrontEndTimes::transform);
    KEM_CHECK(write(*module));
    clock.done(&FrontEndTimes::write_glsl);
    return std::move(shader_);
  }

  Status no_errors(ErrorClass error_class) const {
    if (!diagnostics_.has_errors()) return {};
    if (located_ != nullptr) *located_ = locate(program_.source, diagnostics_);
    return fail(error_class, render(program_.source, diagnostics_));
  }

  Status check_size(const ir::Module& module, const sem::Function& entry) {
    if (ir::too_large(module)) {
      diagnostics_.error(entry.syntax->name.span, "entry point " + quoted(entry.name) +
                                                      " and the functions it calls have more than " +
                                                      std::to_string(ir::kMaxLoweredInstructions) + " operations");
    }
    return no_errors(ErrorClass::UnsupportedKernel);
  }

  Status reflect(const ir::Module& module, const sem::Function& entry) {
    check_features(module, entry, options_.features, diagnostics_);
    KEM_CHECK(no_errors(ErrorClass::UnsupportedKernel));
    reflect_sizes(module, entry);
    reflect_variables(module, options_.features, shader_.reflection, diagnostics_);
    return no_errors(ErrorClass::InvalidKernel);
  }

  void reflect_sizes(const ir::Module& module, const sem::Function& entry) {
    Reflection& r = shader_.reflection;
    r.entry_point = entry.name;
    r.workgroup_size = module.workgroup_size;
    r.uses_f16 = module.uses_f16;
    r.uses_subgroups = module.uses_subgroups;
    r.subgroup_size = module.subgroup_size;
    check_workgroup_size(module, entry, options_.features, diagnostics_);
    check_subgroup_size(module, entry, options_.features, diagnostics_);
  }

  Status transform(ir::Module& module) {
    Passes passes(module);
    passes.check("lowering");
    passes.run("views", transform::views, sem::is_available(sem::Language::UniformBufferStandardLayout, options_),
               diagnostics_);
    KEM_CHECK(no_errors(ErrorClass::UnsupportedKernel));
    passes.run("bounds", transform::bounds);
    passes.run("pointers", transform::pointers, diagnostics_);
    KEM_CHECK(no_errors(ErrorClass::UnsupportedKernel));
    transform::limits(module, diagnostics_);
    KEM_CHECK(no_errors(ErrorClass::UnsupportedKernel));
    transform::UnreadPass unread(module);
    for (const ir::Function* f : module.functions) unread.run(*f);
    reflect_unread(unread, shader_.reflection);
    passes.run("entry_point", transform::entry_point);
    if (options_.slow_array_constants) {
      passes.run("selection", [](ir::Module& m) {
        transform::Rewriter pass = transform::selection(m);
        for (ir::Function* f : m.functions) pass.run(*f);
      });
    }
    if (needs_whole_module()) {
      passes.run("operations", [this](ir::Module& m) {
        transform::FunctionPasses functions(m, options_.slow_array_constants, false);
        functions.operations(m.functions);
        if (!options_.slow_array_constants) return;
        transform::mark_large_private_variables(m);
        transform::zero_private_variables(m);
      });
    }
    if (options_.count_loops) {
      passes.run("loop_budget", [this](ir::Module& m) {
        const Reflection::Trap place = free_place(shader_.reflection);
        transform::LoopBudget budget(m, place.group, place.binding);
        budget.run(m.functions);
        if (budget.counts()) shader_.reflection.trap = place;
      });
    }
    if (!passes.problem().empty()) return fail(ErrorClass::Internal, passes.problem());
    return {};
  }

  // Passes between the operations and the writing look at all functions together.
  bool needs_whole_module() const { return options_.count_loops || options_.slow_array_constants; }

  // Each function is finished and then written while it is in the caches.
  Status write(ir::Module& module) {
    transform::FunctionPasses functions(module, false, options_.misread_loop_exits);
    KEM_TRY(shader_.glsl, glsl::write(module, options_.limits.generated_bytes, [&](ir::Function& f) {
              ir::Function* const one[] = {&f};
              if (!needs_whole_module()) functions.operations(one);
              functions.last(one);
            }));
    Passes passes(module);
    passes.check("the last passes");
    if (!passes.problem().empty()) return fail(ErrorClass::Internal, passes.problem());
    return {};
  }

  const Program::Impl& program_;
  const PipelineRequest& request_;
  const Options& options_;
  std::vector<LocatedDiagnostic>* const located_;
  Arena values_;  // of the overrides
  Diagnostics diagnostics_;
  Shader shader_;
  std::string problem_;  // of the passes over functions
};

}  // namespace

Result<Shader> generate(const Program& program, const PipelineRequest& request, const Options& options,
                        std::vector<LocatedDiagnostic>* located) {
  if (located != nullptr) located->clear();
  const std::lock_guard lock(program.impl().types_mutex);
  return Generator(program, request, options, located).run();
}

}  // namespace kem::wgsl
