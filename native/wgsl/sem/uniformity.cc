// Functions in turn: from each one's graph its tags, which its callers need, and its failures.
#include <algorithm>
#include <string>

#include "wgsl/quoted.h"
#include "wgsl/sem/uniformity_impl.h"
#include "wgsl/sem/validate.h"

namespace kem::wgsl::sem {
namespace uniformity {

FilterIndex::FilterIndex(const std::vector<DiagnosticFilter>& filters, std::string_view rule) {
  for (const DiagnosticFilter& filter : filters) {
    if (filter.rule == rule) ranges_.push_back({filter.span, filter.severity, 0});
  }
  // Ranges nest: of those that begin together the longest is outermost.
  std::ranges::stable_sort(ranges_, [](const Range& a, const Range& b) {
    return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
  });
  std::vector<size_t> open;
  for (size_t i = 0; i < ranges_.size(); ++i) {
    while (!open.empty() && ranges_[open.back()].span.end <= ranges_[i].span.begin) open.pop_back();
    ranges_[i].parent = open.empty() ? 0 : open.back() + 1;
    open.push_back(i);
  }
}

Severity FilterIndex::at(Span location) const {
  const auto after = std::ranges::upper_bound(ranges_, location.begin, {}, [](const Range& r) { return r.span.begin; });
  for (auto i = static_cast<size_t>(after - ranges_.begin()); i != 0; i = ranges_[i - 1].parent) {
    if (ranges_[i - 1].span.end > location.begin) return ranges_[i - 1].severity;
  }
  return Severity::Error;
}

namespace {

std::string ordinal_argument(uint32_t index) { return "argument " + std::to_string(index + 1); }

std::string describe_module_variable(const Variable& variable) {
  std::string text = "reading from ";
  if (variable.space == AddressSpace::Storage) text += "read_write storage buffer ";
  if (variable.space == AddressSpace::Workgroup) text += "workgroup variable ";
  if (variable.space == AddressSpace::Private) text += "private variable ";
  return text + quoted(variable.name) + " may give a non-uniform value";
}

std::string describe(const Cause& cause) {
  switch (cause.reason) {
    case Reason::Condition:
      return "control flow depends on a possibly non-uniform value";
    case Reason::ModuleVariable:
      return describe_module_variable(*cause.variable);
    case Reason::PointerParameter:
      return "reading through pointer " + quoted(cause.variable->name) + " may give a non-uniform value";
    case Reason::EntryInput:
      return "input " + quoted(cause.variable->name) + " of the entry point may be non-uniform";
    case Reason::BuiltinResult:
    case Reason::CallResult:
      return quoted(cause.name) + " may return a non-uniform value";
    case Reason::CallOutput:
      return quoted(cause.name) + " may leave a non-uniform value in what its " + ordinal_argument(cause.index) +
             " points to";
    case Reason::None:
      break;
  }
  return {};
}

// Analysis of one function after its graph is built.
class Tagger {
 public:
  Tagger(Context& context, const Function& function, const Builder& builder, Diagnostics& diagnostics)
      : context_(context), function_(function), builder_(builder), diagnostics_(diagnostics) {
    summary_.parameters.resize(function.parameters.size());
  }

  Summary run() {
    Graph::Marks marks = builder_.graph.marks();
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Info}) {
      check(severity, marks);
      for (Node special = 0; !builder_.graph.is_interior(special); ++special) marks.parent[special] = kNoNode;
    }
    tag_return();
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      if (is_tracked(function_.parameters[i])) tag_output(i);
    }
    return std::move(summary_);
  }

 private:
  void check(Severity severity, Graph::Marks& marks) {
    std::vector<std::pair<const Builder::Placed*, Node>> met;
    bool failed = false;
    for (const Builder::Placed& placed : builder_.required) {
      if (placed.requirement.severity != severity) continue;
      bool fails = false;
      builder_.graph.search(placed.node, marks, [&](Node special) {
        if (special == Graph::kMayBeNonUniform) {
          fails = true;
        } else {
          met.emplace_back(&placed, special);
        }
      });
      if (fails) report(placed.requirement, builder_.graph.causes_to(Graph::kMayBeNonUniform, marks));
      failed |= fails;
      marks.parent[Graph::kMayBeNonUniform] = kNoNode;  // each requirement may fail for reasons of its own
    }
    if (failed) return;
    for (const auto& [placed, special] : met) tag_required(placed->requirement, special);
  }

  void tag_required(const Requirement& requirement, Node special) {
    const auto tag = [&](const Requirement*& slot) {
      if (slot != nullptr) return;
      context_.requirements.push_back(requirement);
      slot = &context_.requirements.back();
    };
    if (special == Graph::kControlFlowStart) tag(summary_.control_flow_required);
    if (special < Graph::parameter_value(0)) return;
    Summary::Parameter& parameter = summary_.parameters[(special - Graph::parameter_value(0)) / 3];
    if ((special - Graph::parameter_value(0)) % 3 == 0) tag(parameter.value_required);
    if ((special - Graph::parameter_value(0)) % 3 == 1) tag(parameter.contents_required);
  }

  void tag_return() {
    Graph::Marks marks = builder_.graph.marks();
    builder_.graph.search(Graph::kReturnValue, marks, [&](Node special) {
      if (special == Graph::kMayBeNonUniform) summary_.return_may_be_non_uniform = true;
      for_parameter(
          special, [&](size_t i) { summary_.parameters[i].value_returned = true; },
          [&](size_t i) { summary_.parameters[i].contents_returned = true; });
    });
    if (summary_.return_may_be_non_uniform) summary_.return_cause = last_cause(marks);
  }

  void tag_output(size_t output) {
    Summary::Parameter& parameter = summary_.parameters[output];
    Graph::Marks marks = builder_.graph.marks();
    builder_.graph.search(Graph::parameter_output(output), marks, [&](Node special) {
      if (special == Graph::kMayBeNonUniform) parameter.output_may_be_non_uniform = true;
      for_parameter(
          special, [&](size_t i) { parameter.output_values.push_back(static_cast<uint32_t>(i)); },
          [&](size_t i) { parameter.output_contents.push_back(static_cast<uint32_t>(i)); });
    });
    if (parameter.output_may_be_non_uniform) parameter.output_cause = last_cause(marks);
  }

  template <class Value, class Contents>
  void for_parameter(Node special, Value value, Contents contents) const {
    if (special < Graph::parameter_value(0)) return;
    const size_t i = (special - Graph::parameter_value(0)) / 3;
    if ((special - Graph::parameter_value(0)) % 3 == 0) value(i);
    if ((special - Graph::parameter_value(0)) % 3 == 1) contents(i);
  }

  std::optional<Cause> last_cause(const Graph::Marks& marks) const {
    const std::vector<Cause> causes = builder_.graph.causes_to(Graph::kMayBeNonUniform, marks);
    if (causes.empty()) return std::nullopt;
    return causes.back();
  }

  // The diagnostic stands at the built-in function's call; notes lead from there up the calls to this function, and
  // then to the reason.
  void report(const Requirement& requirement, const std::vector<Cause>& causes) {
    std::vector<const Requirement*> chain;
    for (const Requirement* at = &requirement; at != nullptr; at = at->inner) chain.push_back(at);
    const Requirement& innermost = *chain.back();
    const bool control_flow = innermost.kind == Requirement::Kind::ControlFlow;
    std::string message = quoted(innermost.builtin) + " must only be called from uniform control flow";
    if (!control_flow)
      message = ordinal_argument(innermost.argument) + " of " + quoted(innermost.builtin) + " must be uniform";
    Diagnostic& diagnostic = diagnostics_.add(
        requirement.severity, control_flow ? innermost.call->span : innermost.call->args[innermost.argument]->span,
        std::move(message));
    diagnostic.rule = innermost.rule;
    for (auto outer = chain.rbegin() + 1; outer != chain.rend(); ++outer) add_call(diagnostic, **outer);
    add_causes(diagnostic, causes);
  }

  static void add_call(Diagnostic& diagnostic, const Requirement& outer) {
    const std::string callee = quoted(outer.callee->name);
    if (outer.kind == Requirement::Kind::ControlFlow) {
      diagnostic.notes.push_back({outer.call->span, callee + " is called here"});
      return;
    }
    const std::string what =
        outer.kind == Requirement::Kind::Value ? " must be uniform" : " must point to a uniform value";
    diagnostic.notes.push_back(
        {outer.call->args[outer.argument]->span, ordinal_argument(outer.argument) + " of " + callee + what});
  }

  // The first branch that divides control flow, and where the value comes from that decides it.
  void add_causes(Diagnostic& diagnostic, const std::vector<Cause>& causes) const {
    const auto branch = std::ranges::find(causes, Reason::Condition, &Cause::reason);
    if (branch != causes.end()) diagnostic.notes.push_back({branch->span, describe(*branch)});
    if (causes.empty() || causes.back().reason == Reason::Condition) return;
    std::optional<Cause> source = causes.back();
    for (size_t depth = 0; source && depth < 16; ++depth) {  // enough notes for a person
      diagnostic.notes.push_back({source->span, describe(*source)});
      source = inner_cause(*source);
    }
  }

  std::optional<Cause> inner_cause(const Cause& cause) const {
    if (cause.function == nullptr) return std::nullopt;
    const Summary& callee = context_.summaries.at(cause.function);
    if (cause.reason == Reason::CallResult) return callee.return_cause;
    return callee.parameters[cause.index].output_cause;
  }

  Context& context_;
  const Function& function_;
  const Builder& builder_;
  Diagnostics& diagnostics_;
  Summary summary_;
};

}  // namespace
}  // namespace uniformity

namespace {

// False, with a diagnostic, if a function is too large.
bool analyse(const Info& info, uniformity::Scope scope, Diagnostics& diagnostics) {
  uniformity::Context context(info, scope);
  for (const Function* function : info.functions) {
    uniformity::Builder builder(context, *function);
    builder.run();
    if (builder.graph.full()) {
      diagnostics.error(function->syntax->name.span,
                        "function '" + std::string(function->name) + "' is too large for the uniformity analysis");
      return false;
    }
    context.summaries.emplace(function, uniformity::Tagger(context, *function, builder, diagnostics).run());
  }
  return true;
}

}  // namespace

void validate_uniformity(const ast::Module&, const Info& info, Diagnostics& diagnostics) {
  using uniformity::Scope;
  if (!info.asks_for_uniformity) return;  // the usual case
  if (!info.has_subgroup_scope) {
    analyse(info, Scope::All, diagnostics);
    return;
  }
  // A module without subgroup operations has nothing that the second analysis could find.
  if (analyse(info, Scope::Workgroup, diagnostics) && info.enables_subgroups) {
    analyse(info, Scope::Subgroup, diagnostics);
  }
}

}  // namespace kem::wgsl::sem
