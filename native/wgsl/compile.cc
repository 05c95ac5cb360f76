// compile(): text to a checked Program.
#include "wgsl/sem/extensions.h"
#include "wgsl/sem/program.h"
#include "wgsl/sem/validate.h"
#include "wgsl/stage_clock.h"
#include "wgsl/syntax/parse.h"
#include "wgsl/wgsl.h"

namespace kem::wgsl {
namespace {

EntryPointInfo::Stage stage_of(sem::PipelineStage stage) {
  switch (stage) {
    case sem::PipelineStage::Vertex:
      return EntryPointInfo::Stage::Vertex;
    case sem::PipelineStage::Fragment:
      return EntryPointInfo::Stage::Fragment;
    default:
      return EntryPointInfo::Stage::Compute;
  }
}

void describe(Program::Impl& impl) {
  for (const sem::Function* function : impl.info->functions)
    if (function->stage != sem::PipelineStage::None)
      impl.entry_points.push_back({std::string(function->name), stage_of(function->stage)});
  for (const sem::Variable* variable : impl.info->overrides)
    impl.overrides.push_back({std::string(variable->name), variable->override_id, sem::spelling(variable->type),
                              variable->initializer != nullptr});
}

// False, with a diagnostic, if there was an error.
bool check(Program::Impl* impl, const Options& options, Diagnostics& diagnostics) {
  if (impl->source.text().size() > options.limits.source_bytes) {
    diagnostics.error({0, 0}, "source has " + std::to_string(impl->source.text().size()) + " bytes, the limit is " +
                                  std::to_string(options.limits.source_bytes));
    return false;
  }
  StageClock clock(options.times);
  impl->module = parse(impl->source, options.limits, diagnostics);
  if (impl->module == nullptr) return false;
  clock.done(&FrontEndTimes::parse);
  impl->types = std::make_unique<sem::TypeTable>();
  impl->info = sem::resolve(*impl->module, *impl->types, options, diagnostics);
  if (impl->info == nullptr) return false;
  clock.done(&FrontEndTimes::resolve);
  for (const sem::Validator validate : sem::kValidators) {
    validate(*impl->module, *impl->info, diagnostics);
    if (diagnostics.has_errors()) return false;
  }
  describe(*impl);
  clock.done(&FrontEndTimes::validate);
  return true;
}

}  // namespace

namespace {

// Whether a directive asks for what only the device lacks.
bool asks_device_for_more(const ast::Module& module, const Options& options) {
  for (const ast::Directive* directive : module.directives) {
    for (const ast::Ident& ident : directive->names) {
      const auto enable = sem::find_enable_extension(ident.name());
      const auto language = sem::find_language_extension(ident.name());
      if (directive->kind == ast::DirectiveKind::Enable && enable &&
          sem::status(*enable, options) == Extension::Status::NoDevice) {
        return true;
      }
      if (directive->kind == ast::DirectiveKind::Requires && language &&
          sem::status(*language, options) == Extension::Status::NoDevice) {
        return true;
      }
    }
  }
  return false;
}

bool would_pass_elsewhere(const Program::Impl& refused, Options options) {
  if (refused.module == nullptr || !asks_device_for_more(*refused.module, options)) return false;
  options.features.f16 = options.features.subgroups = options.features.subgroup_size_control = true;
  options.features.uniform_standard_layout = true;
  options.times = nullptr;
  Program::Impl again{Source(refused.source.text())};
  Diagnostics diagnostics(options.limits.diagnostics);
  return check(&again, options, diagnostics);
}

}  // namespace

Program::Program(std::unique_ptr<const Impl> impl) : impl_(std::move(impl)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

const std::vector<EntryPointInfo>& Program::entry_points() const { return impl_->entry_points; }
const std::vector<Override>& Program::overrides() const { return impl_->overrides; }
const Source& Program::source() const { return impl_->source; }

Compilation compile(std::string source, const Options& options, std::string name) {
  auto impl = std::make_unique<Program::Impl>(Source(std::move(source), std::move(name)));
  Diagnostics diagnostics(options.limits.diagnostics);
  const bool good = check(impl.get(), options, diagnostics);
  Compilation result;
  if (!diagnostics.empty()) {
    result.diagnostics = render(impl->source, diagnostics);
    result.located = locate(impl->source, diagnostics);
  }
  if (good) {
    result.program.emplace(std::move(impl));
  } else {
    result.device_lacks = would_pass_elsewhere(*impl, options);
  }
  return result;
}

}  // namespace kem::wgsl
