#include "nif/reply.h"

#include <array>
#include <chrono>
#include <utility>
#include <vector>

namespace kem::nif {
namespace {

using Pair = std::pair<ERL_NIF_TERM, ERL_NIF_TERM>;

template <size_t N>
ERL_NIF_TERM make_map(ErlNifEnv* env, const std::array<Pair, N>& pairs) {
  std::array<ERL_NIF_TERM, N> keys;
  std::array<ERL_NIF_TERM, N> values;
  for (size_t i = 0; i < N; ++i) std::tie(keys[i], values[i]) = pairs[i];
  ERL_NIF_TERM map = 0;
  enif_make_map_from_arrays(env, keys.data(), values.data(), N, &map);
  return map;
}

ERL_NIF_TERM encode_microseconds(ErlNifEnv* env, std::chrono::nanoseconds time) {
  return enif_make_int64(env, std::chrono::round<std::chrono::microseconds>(time).count());
}

}  // namespace

ERL_NIF_TERM encode_report(ErlNifEnv* env, const Atoms& atoms, const core::Report& report) {
  const core::StageTimes& t = report.times;
  auto time = [env](ERL_NIF_TERM name, std::chrono::nanoseconds value) {
    return Pair{name, encode_microseconds(env, value)};
  };
  ERL_NIF_TERM stages = make_map(
      env, std::array{time(atoms.queue, t.queue), time(atoms.fetch, t.fetch), time(atoms.front_end, t.front_end),
                      time(atoms.spirv, t.spirv), time(atoms.pipeline, t.pipeline), time(atoms.upload, t.upload),
                      time(atoms.execute, t.execute), time(atoms.readback, t.readback)});
  return make_map(
      env, std::array{Pair{atoms.stages, stages}, Pair{atoms.kernel_origin, encode_binary(env, report.kernel_origin)},
                      Pair{atoms.warnings, encode_binary(env, report.warnings)},
                      Pair{atoms.device, enif_make_uint64(env, report.device)}});
}

ERL_NIF_TERM encode_adapter(ErlNifEnv* env, const Atoms& atoms, const vulkan::DeviceInfo& info) {
  auto text = [env](ERL_NIF_TERM name, std::string_view value) { return Pair{name, encode_binary(env, value)}; };
  auto number = [env](ERL_NIF_TERM name, uint32_t value) { return Pair{name, enif_make_uint(env, value)}; };
  return make_map(
      env, std::array{text(atoms.name, info.name), number(atoms.vendor, info.vendor), number(atoms.device, info.device),
                      text(atoms.type, info.type), text(atoms.driver, info.driver),
                      text(atoms.driver_info, info.driver_info), text(atoms.uuid, info.uuid),
                      number(atoms.api_version, info.api_version), number(atoms.index, info.index)});
}

namespace {

ERL_NIF_TERM encode_device(ErlNifEnv* env, const Atoms& atoms, const core::DeviceStats& device) {
  auto number = [env](ERL_NIF_TERM name, uint64_t value) { return Pair{name, enif_make_uint64(env, value)}; };
  return make_map(
      env, std::array{Pair{atoms.name, encode_binary(env, device.info.name)}, number(atoms.index, device.info.index),
                      Pair{atoms.open, atoms.of(device.open)}, number(atoms.jobs_in_flight, device.jobs_in_flight),
                      number(atoms.in_flight_bytes, device.in_flight_bytes), number(atoms.jobs_done, device.jobs_done),
                      number(atoms.resident_bytes, device.resident_bytes), number(atoms.losses, device.losses)});
}

}  // namespace

ERL_NIF_TERM encode_stats(ErlNifEnv* env, const Atoms& atoms, const core::Stats& stats) {
  auto number = [env](ERL_NIF_TERM name, uint64_t value) { return Pair{name, enif_make_uint64(env, value)}; };
  std::vector<ERL_NIF_TERM> devices;
  for (const core::DeviceStats& device : stats.devices) devices.push_back(encode_device(env, atoms, device));
  const ERL_NIF_TERM list = enif_make_list_from_array(env, devices.data(), static_cast<unsigned>(devices.size()));
  const vulkan::MemoryUsage& memory = stats.device_memory;
  ERL_NIF_TERM map =
      make_map(env, std::array{number(atoms.jobs_done, stats.jobs_done), number(atoms.jobs_failed, stats.jobs_failed),
                               number(atoms.queued, stats.queued), number(atoms.cached_programs, stats.cached_programs),
                               number(atoms.cached_pipelines, stats.cached_pipelines),
                               number(atoms.in_flight_bytes, stats.in_flight_bytes),
                               number(atoms.resident_bytes, stats.resident_bytes),
                               number(atoms.device_bytes, memory.allocated), Pair{atoms.devices, list}});
  if (memory.budget == 0) return map;
  for (const auto& [name, value] :
       {number(atoms.device_used_bytes, memory.used), number(atoms.device_budget_bytes, memory.budget)})
    enif_make_map_put(env, map, name, value, &map);
  return map;
}

namespace {

ERL_NIF_TERM encode_status(const Atoms& atoms, wgsl::Extension::Status status) {
  switch (status) {
    case wgsl::Extension::Status::Available:
      return atoms.available;
    case wgsl::Extension::Status::NoDevice:
      return atoms.no_device;
    case wgsl::Extension::Status::SwitchedOff:
      return atoms.switched_off;
    case wgsl::Extension::Status::Unsupported:
      break;
  }
  return atoms.unsupported;
}

}  // namespace

ERL_NIF_TERM encode_extensions(ErlNifEnv* env, const Atoms& atoms, const wgsl::Options& options) {
  ERL_NIF_TERM map = enif_make_new_map(env);
  for (const wgsl::Extension& extension : wgsl::extensions(options)) {
    const bool enable = extension.kind == wgsl::Extension::Kind::Enable;
    const ERL_NIF_TERM value = make_map(env, std::array{Pair{atoms.kind, enable ? atoms.enable : atoms.language},
                                                        Pair{atoms.status, encode_status(atoms, extension.status)},
                                                        Pair{atoms.needs, encode_binary(env, extension.needs)}});
    enif_make_map_put(env, map, encode_binary(env, extension.name), value, &map);
  }
  return map;
}

void send_result(const ErlNifPid& receiver, Env message, const Atoms& atoms, ERL_NIF_TERM ref, ERL_NIF_TERM result) {
  ERL_NIF_TERM term = enif_make_tuple3(message.get(), atoms.kem, ref, result);
  enif_send(nullptr, &receiver, message.get(), term);
}

}  // namespace kem::nif
