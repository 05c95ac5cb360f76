#include "nif/inspect.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nif/terms.h"

namespace kem::nif {
namespace {

// Builds maps with binary keys.
class MapBuilder {
 public:
  explicit MapBuilder(ErlNifEnv* env) : env_(env), map_(enif_make_new_map(env)) {}

  MapBuilder& term(std::string_view key, ERL_NIF_TERM value) {
    enif_make_map_put(env_, map_, encode_binary(env_, key), value, &map_);
    return *this;
  }
  MapBuilder& text(std::string_view key, std::string_view value) { return term(key, encode_binary(env_, value)); }
  MapBuilder& number(std::string_view key, uint64_t value) { return term(key, enif_make_uint64(env_, value)); }
  template <class Range>
  MapBuilder& numbers(std::string_view key, const Range& values) {
    std::vector<ERL_NIF_TERM> terms;
    terms.reserve(std::size(values));
    for (uint64_t value : values) terms.push_back(enif_make_uint64(env_, value));
    return list(key, terms);
  }
  MapBuilder& list(std::string_view key, const std::vector<ERL_NIF_TERM>& terms) {
    return term(key, enif_make_list_from_array(env_, terms.data(), static_cast<unsigned>(terms.size())));
  }
  ERL_NIF_TERM get() const { return map_; }

 private:
  ErlNifEnv* env_;
  ERL_NIF_TERM map_;
};

std::string_view name(wgsl::BindingKind kind) {
  switch (kind) {
    case wgsl::BindingKind::Uniform:
      return "uniform";
    case wgsl::BindingKind::StorageRead:
      return "storage, read";
    case wgsl::BindingKind::StorageReadWrite:
      return "storage, read_write";
  }
  return "";
}

ERL_NIF_TERM encode_binding(ErlNifEnv* env, const wgsl::Binding& binding) {
  return MapBuilder(env)
      .number("group", binding.group)
      .number("binding", binding.binding)
      .text("kind", name(binding.kind))
      .text("name", binding.name)
      .text("type", binding.type)
      .number("min_size", binding.min_size)
      .number("element_stride", binding.element_stride)
      .get();
}

ERL_NIF_TERM encode_override(ErlNifEnv* env, const Atoms& atoms, const wgsl::Override& override) {
  MapBuilder map(env);
  map.text("name", override.name).text("type", override.type).term("has_default", atoms.of(override.has_default));
  if (override.id) map.number("id", *override.id);
  return map.get();
}

// An entry point that cannot become a pipeline as it is (an override without a value, more than the device has) says
// why as its `error`.
ERL_NIF_TERM encode_entry_point(ErlNifEnv* env, const Atoms& atoms, const wgsl::Program& program,
                                const std::string& entry_point, const wgsl::Options& options) {
  MapBuilder map(env);
  map.text("name", entry_point);
  const Result<wgsl::Shader> shader = wgsl::generate(program, {entry_point, {}}, options);
  if (!shader) return map.text("error", shader.error().message).get();
  const wgsl::Reflection& reflection = shader->reflection;
  std::vector<ERL_NIF_TERM> bindings;
  for (const wgsl::Binding& binding : reflection.bindings) bindings.push_back(encode_binding(env, binding));
  return map.numbers("workgroup_size", reflection.workgroup_size)
      .number("workgroup_bytes", reflection.workgroup_bytes)
      .number("immediate_bytes", reflection.immediate_bytes)
      .term("uses_f16", atoms.of(reflection.uses_f16))
      .term("uses_subgroups", atoms.of(reflection.uses_subgroups))
      .term("counts_loops", atoms.of(reflection.trap.has_value()))
      .list("bindings", bindings)
      .get();
}

ERL_NIF_TERM encode_limits(ErlNifEnv* env, const wgsl::DeviceFeatures& features, const Limits& limits) {
  return MapBuilder(env)
      .numbers("workgroup_size", std::array<uint32_t, 3>{features.max_workgroup_size_x, features.max_workgroup_size_y,
                                                         features.max_workgroup_size_z})
      .number("workgroup_invocations", features.max_workgroup_invocations)
      .number("workgroup_bytes", features.max_workgroup_bytes)
      .number("uniform_bytes", features.max_uniform_bytes)
      .number("storage_bytes", features.max_storage_bytes)
      .number("immediate_bytes", features.max_immediate_bytes)
      .number("source_bytes", limits.source_bytes)
      .number("input_bytes", limits.input_bytes)
      .number("output_bytes", limits.output_bytes)
      .get();
}

Result<arweave::Kernel> find_source(core::Engine& engine,
                                    const std::variant<core::KernelId, core::KernelText>& kernel) {
  if (const auto* text = std::get_if<core::KernelText>(&kernel)) return arweave::Kernel{text->wgsl, "text"};
  return engine.fetch(std::get<core::KernelId>(kernel).txid);
}

Result<ERL_NIF_TERM> inspect(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine,
                             const std::variant<core::KernelId, core::KernelText>& kernel) {
  KEM_TRY(arweave::Kernel source, find_source(engine, kernel));
  const wgsl::Options options = engine.wgsl_options();
  wgsl::Compilation compilation = wgsl::compile(std::move(source.source), options);
  if (!compilation.program) return fail(ErrorClass::InvalidKernel, std::move(compilation.diagnostics));
  std::vector<ERL_NIF_TERM> overrides;
  for (const wgsl::Override& override : compilation.program->overrides())
    overrides.push_back(encode_override(env, atoms, override));
  std::vector<ERL_NIF_TERM> entry_points;
  for (const wgsl::EntryPointInfo& entry_point : compilation.program->entry_points())
    if (entry_point.stage == wgsl::EntryPointInfo::Stage::Compute)
      entry_points.push_back(encode_entry_point(env, atoms, *compilation.program, entry_point.name, options));
  return MapBuilder(env)
      .term("valid", atoms.of(true))
      .text("diagnostics", compilation.diagnostics)
      .text("origin", source.origin)
      .list("overrides", overrides)
      .list("entry_points", entry_points)
      .term("limits", encode_limits(env, options.features, options.limits))
      .get();
}

}  // namespace

ERL_NIF_TERM inspect_kernel(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine,
                            const std::variant<core::KernelId, core::KernelText>& kernel) {
  const Result<ERL_NIF_TERM> inspected = inspect(env, atoms, engine, kernel);
  if (!inspected) return encode_error(env, atoms, inspected.error());
  return enif_make_tuple2(env, atoms.ok, *inspected);
}

}  // namespace kem::nif
