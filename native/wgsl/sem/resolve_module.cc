// The module as a whole: directives, module-scope names, what each entry point's stage allows.
#include <algorithm>

#include "wgsl/quoted.h"
#include "wgsl/sem/extensions.h"
#include "wgsl/sem/resolver.h"

namespace kem::wgsl::sem {
namespace {

constexpr uint8_t bit(PipelineStage stage) { return static_cast<uint8_t>(1u << static_cast<uint8_t>(stage)); }

std::string_view stage_name(PipelineStage stage) {
  switch (stage) {
    case PipelineStage::Compute:
      return "compute";
    case PipelineStage::Vertex:
      return "vertex";
    default:
      return "fragment";
  }
}

constexpr std::string_view kRules[] = {"derivative_uniformity", "subgroup_uniformity"};

std::optional<Severity> severity_of(std::string_view name) {
  if (name == "error") return Severity::Error;
  if (name == "warning") return Severity::Warning;
  if (name == "info") return Severity::Info;
  if (name == "off") return Severity::Off;
  return std::nullopt;
}

std::vector<std::string_view> names_of(Extension::Kind kind, const Options& options) {
  std::vector<std::string_view> names;
  for (const Extension& extension : extensions(options))
    if (extension.kind == kind) names.push_back(extension.name);
  return names;
}

std::string_view why_not(Extension::Status status) {
  switch (status) {
    case Extension::Status::NoDevice:
      return "is not available on this device";
    case Extension::Status::SwitchedOff:
      return "is switched off";
    default:
      return "is not supported";
  }
}

void suggest(Diagnostic& diagnostic, const ast::Ident& written, const std::vector<std::string_view>& names) {
  if (const auto suggestion = nearest(written.name(), names))
    diagnostic.notes.push_back({written.span, "did you mean " + quoted(*suggestion) + "?"});
}

}  // namespace

Resolver::Resolver(const ast::Module& module, TypeTable& types, const Options& options, Diagnostics& diagnostics)
    : module_(module),
      types_(types),
      options_(options),
      diagnostics_(diagnostics),
      eval_(types, options.limits),
      info_(std::make_unique<Info>()),
      globals_(module.symbol_count, types),
      scopes_(module.symbol_count) {
  info_->expressions = ExprInfos(module.expression_count);
  info_->variables.resize(module.variable_count);
}

std::unique_ptr<Info> Resolver::run() {
  info_->has_subgroup_scope = is_available(Language::SubgroupUniformity, options_);
  directives();
  const DeclaredNames names = collect_names();
  in_order(module_, names, diagnostics_, [&](uint32_t index, bool in_cycle) {
    const ast::Decl& decl = *module_.declarations[index];
    const ast::Ident name = name_of(decl);
    if (in_cycle) {
      globals_.declare(name.symbol, {});
      return;
    }
    // A second declaration of a name has been reported; it must not replace the first one.
    if (name.symbol != nullptr && names.find(name.symbol) != index) return;
    info_->expressions.begin(module_.first_expressions[index], module_.first_expressions[index + 1]);
    declaration(decl);
  });
  if (diagnostics_.has_errors()) return nullptr;
  finish();
  return diagnostics_.has_errors() ? nullptr : std::move(info_);
}

void Resolver::directives() {
  for (const ast::Directive* directive : module_.directives) {
    switch (directive->kind) {
      case ast::DirectiveKind::Enable:
        enable(*directive);
        break;
      case ast::DirectiveKind::Requires:
        require(*directive);
        break;
      case ast::DirectiveKind::Diagnostic:
        filter(*directive->diagnostic, directive->span, {0, UINT32_MAX});
        break;
    }
  }
}

void Resolver::enable(const ast::Directive& directive) {
  for (const ast::Ident& named : directive.names) {
    const auto extension = find_enable_extension(named.name());
    if (!extension) {
      Diagnostic& diagnostic = error(named.span, "unknown extension " + quoted(named.name()));
      if (find_language_extension(named.name()))
        diagnostic.notes.push_back({named.span, "it is a language extension: use 'requires'"});
      suggest(diagnostic, named, names_of(Extension::Kind::Enable, options_));
      continue;
    }
    if (const auto status = sem::status(*extension, options_); status != Extension::Status::Available) {
      error(named.span, "extension " + quoted(named.name()) + " " + std::string(why_not(status)));
      continue;
    }
    info_->enables_f16 |= extension == Enable::F16;
    info_->enables_subgroup_size_control |= extension == Enable::SubgroupSizeControl;
    // Spec "Enable Extensions": subgroup_size_control enables subgroups too.
    info_->enables_subgroups |= extension == Enable::Subgroups || extension == Enable::SubgroupSizeControl;
  }
}

void Resolver::require(const ast::Directive& directive) {
  for (const ast::Ident& named : directive.names) {
    const auto extension = find_language_extension(named.name());
    if (!extension) {
      Diagnostic& diagnostic = error(named.span, "unknown language extension " + quoted(named.name()));
      if (find_enable_extension(named.name()))
        diagnostic.notes.push_back({named.span, "it is an enable-extension: use 'enable'"});
      suggest(diagnostic, named, names_of(Extension::Kind::Language, options_));
    } else if (const auto status = sem::status(*extension, options_); status != Extension::Status::Available) {
      error(named.span, "language extension " + quoted(named.name()) + " " + std::string(why_not(status)));
    }
  }
}

bool Resolver::needs(Language extension, const std::string& what, Span span) {
  const auto status = sem::status(extension, options_);
  if (status == Extension::Status::Available) return true;
  error(span,
        what + " needs language extension " + quoted(name(extension)) + ", which " + std::string(why_not(status)));
  return false;
}

void Resolver::filter(const ast::DiagnosticControl& control, Span span, Span range) {
  const auto severity = severity_of(control.severity.name());
  if (!severity) {
    Diagnostic& diagnostic = error(control.severity.span, "unknown severity " + quoted(control.severity.name()));
    suggest(diagnostic, control.severity, {"error", "warning", "info", "off"});
    return;
  }
  std::string_view rule = control.rule.name();
  if (const std::string_view owner = control.rule_namespace.name(); !owner.empty()) {
    rule = types_.arena().copy(std::string(owner) + "." + std::string(rule));  // some other implementation's rule
  } else if (std::find(std::begin(kRules), std::end(kRules), rule) == std::end(kRules)) {
    Diagnostic& diagnostic = diagnostics_.warning(control.rule.span, "unrecognized diagnostic rule " + quoted(rule));
    suggest(diagnostic, control.rule, {std::begin(kRules), std::end(kRules)});
  }
  const auto [other, is_new] = filtered_.try_emplace({range.begin, range.end, rule}, *severity);
  if (is_new) {
    info_->filters.push_back({range, rule, *severity});
  } else if (other->second != *severity) {
    error(span, "diagnostic filters for rule " + quoted(rule) + " conflict: " + std::string(name(other->second)) +
                    " and " + std::string(name(*severity)));
  }
}

DeclaredNames Resolver::collect_names() {
  DeclaredNames names(module_.symbol_count);
  for (uint32_t i = 0; i < module_.declarations.size(); i++) {
    const ast::Ident name = name_of(*module_.declarations[i]);
    if (name.symbol == nullptr) continue;
    const uint32_t first = names.find(name.symbol);
    if (first == DeclaredNames::kNone) {
      names.declare(name.symbol, i);
      continue;
    }
    Diagnostic& diagnostic = error(name.span, "redeclaration of " + quoted(name.name()));
    diagnostic.notes.push_back({name_of(*module_.declarations[first]).span, quoted(name.name()) + " declared here"});
  }
  return names;
}

void Resolver::declaration(const ast::Decl& declaration) {
  switch (declaration.kind) {
    case ast::DeclKind::Variable:
      return module_variable(static_cast<const ast::Variable&>(declaration));
    case ast::DeclKind::Alias:
      return alias(static_cast<const ast::Alias&>(declaration));
    case ast::DeclKind::Struct:
      return structure(static_cast<const ast::Struct&>(declaration));
    case ast::DeclKind::Function:
      return function(static_cast<const ast::Function&>(declaration));
    case ast::DeclKind::ConstAssert:
      return const_assert(static_cast<const ast::ConstAssert&>(declaration));
  }
}

void Resolver::const_assert(const ast::ConstAssert& assertion) {
  const Type* type = value_at(assertion.condition, Stage::Constant, "the condition of 'const_assert'");
  if (type == nullptr) return;
  if (!type->is(TypeKind::Bool)) {
    error(assertion.condition->span, "the condition of 'const_assert' must be bool, not " + quoted(spelling(type)));
    return;
  }
  const Value* value = at(assertion.condition).value;
  if (value != nullptr && !value->boolean) error(assertion.condition->span, "const assertion failed");
}

void Resolver::finish() {
  // Outermost first: ranges nest, so a wider one begins earlier or ends later.
  std::stable_sort(info_->filters.begin(), info_->filters.end(), [](const auto& a, const auto& b) {
    return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end > b.span.end;
  });
  check_stages();
  for (const Function* function : info_->functions)
    if (function->stage != PipelineStage::None) check_entry_point(*function);
}

// Functions come after their callees, so one pass gives what each does with all that it calls. For each rule
// only the first violation per set of allowed stages matters.
void Resolver::check_stages() {
  std::vector<std::map<uint8_t, StageRule>> all(facts_.size());  // by Function::index
  for (const Function* function : info_->functions) {
    std::map<uint8_t, StageRule>& rules = all[function->index];
    const FunctionFacts& facts = facts_[function->index];
    for (const StageRule& rule : facts.rules) rules.try_emplace(rule.allowed, rule);
    for (const auto& [callee, span] : facts.calls)
      for (const auto& [allowed, rule] : all[callee->index]) rules.try_emplace(allowed, rule);
    if (function->stage == PipelineStage::None) continue;
    for (const auto& [allowed, rule] : rules) {
      if ((allowed & bit(function->stage)) != 0) continue;
      Diagnostic& diagnostic =
          error(rule.span, rule.what + " cannot be used in the " + std::string(stage_name(function->stage)) + " stage");
      diagnostic.notes.push_back({function->syntax->name.span, "used by entry point " + quoted(function->name)});
    }
  }
}

void Resolver::check_entry_point(const Function& entry) {
  uint64_t private_bytes = 0;
  for (const Variable* variable : entry.module_variables) {
    if (variable->kind != Variable::Kind::Var) continue;
    std::string problem;
    if (variable->space == AddressSpace::Workgroup && entry.stage != PipelineStage::Compute)
      problem = "variable " + quoted(variable->name) + " in address space 'workgroup'";
    const bool is_texture = variable->type->is(TypeKind::Texture);
    const AccessMode access = is_texture ? static_cast<const Texture*>(variable->type)->access : variable->access;
    const bool writes = (is_texture || variable->space == AddressSpace::Storage) && access != AccessMode::Read;
    if (writes && entry.stage == PipelineStage::Vertex)
      problem = "variable " + quoted(variable->name) + " with access mode " + quoted(name(access));
    if (!problem.empty()) {
      Diagnostic& diagnostic =
          error(variable->span, problem + " cannot be used in the " + std::string(stage_name(entry.stage)) + " stage");
      diagnostic.notes.push_back({entry.syntax->name.span, "used by entry point " + quoted(entry.name)});
    }
    if (variable->space == AddressSpace::Private) private_bytes += size_of(variable->type);
  }
  if (private_bytes > options_.limits.private_bytes)
    error(entry.syntax->name.span, "the private variables of entry point " + quoted(entry.name) + " take " +
                                       std::to_string(private_bytes) + " bytes, the limit is " +
                                       std::to_string(options_.limits.private_bytes));
  check_resources(entry);
  check_immediates(entry);
}

// Spec "Variables in the immediate address space": an entry point has one at most.
void Resolver::check_immediates(const Function& entry) {
  const Variable* first = nullptr;
  for (const Variable* variable : entry.module_variables) {
    if (variable->kind != Variable::Kind::Var || variable->space != AddressSpace::Immediate) continue;
    if (first == nullptr) {
      first = variable;
      continue;
    }
    Diagnostic& diagnostic = error(variable->span, "entry point " + quoted(entry.name) +
                                                       " uses more than one variable in address space 'immediate'");
    diagnostic.notes.push_back({first->span, quoted(first->name) + " declared here"});
    diagnostic.notes.push_back({entry.syntax->name.span, "used by entry point " + quoted(entry.name)});
    return;
  }
}

void Resolver::check_resources(const Function& entry) {
  std::map<std::pair<uint32_t, uint32_t>, const Variable*> bound;
  for (const Variable* variable : entry.module_variables) {
    if (!variable->group || !variable->binding) continue;
    const auto [it, is_new] = bound.try_emplace({*variable->group, *variable->binding}, variable);
    if (is_new) continue;
    Diagnostic& diagnostic =
        error(variable->span, "entry point " + quoted(entry.name) + " uses two resources at '@group(" +
                                  std::to_string(*variable->group) + ") @binding(" +
                                  std::to_string(*variable->binding) + ")'");
    diagnostic.notes.push_back({it->second->span, quoted(it->second->name) + " declared here"});
    diagnostic.notes.push_back({entry.syntax->name.span, "used by entry point " + quoted(entry.name)});
  }
}

std::unique_ptr<Info> resolve(const ast::Module& module, TypeTable& types, const Options& options,
                              Diagnostics& diagnostics) {
  return Resolver(module, types, options, diagnostics).run();
}

}  // namespace kem::wgsl::sem
