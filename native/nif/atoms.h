// The atoms that the library speaks with, made once when it is loaded. An atom term is valid in every
// environment for the life of the VM, so these are plain values that any thread may read.
#pragma once

#include <erl_nif.h>

#include <array>
#include <cstddef>

#include "base/error.h"

namespace kem::nif {

// clang-format off
#define KEM_ATOMS(ROW) \
  ROW(kem) ROW(ok) ROW(error) ROW(source) ROW(undefined) ROW(true_, "true") ROW(false_, "false") \
  /* submit_nif, run_nif, cancel_nif, state_nif, configure_nif */ \
  ROW(unconfigured) ROW(already_running) ROW(not_owner) ROW(running) ROW(sending) ROW(sent) ROW(abandoned) ROW(done) \
  /* options of a call */ \
  ROW(output_size_hint) ROW(output_size) ROW(dispatch) ROW(linear) ROW(grid) ROW(params) ROW(immediates) ROW(entry_point) \
  ROW(constants) ROW(timeout) ROW(image) ROW(report) \
  /* buffers and pipelines */ \
  ROW(kernel) ROW(input) ROW(output) ROW(repeat) ROW(buffer) ROW(all) \
  /* report */ \
  ROW(stages) ROW(queue) ROW(fetch) ROW(front_end) ROW(spirv) ROW(pipeline) ROW(upload) ROW(execute) \
  ROW(readback) ROW(kernel_origin) ROW(warnings) \
  /* queries and their answers */ \
  ROW(adapter) ROW(adapters) ROW(measure_empty_submit) ROW(check) ROW(compile) ROW(stats) ROW(name) ROW(vendor) ROW(device) ROW(type) \
  ROW(driver) ROW(driver_info) ROW(uuid) ROW(api_version) ROW(index) ROW(jobs_done) ROW(jobs_failed) ROW(queued) \
  ROW(cached_programs) ROW(cached_pipelines) ROW(in_flight_bytes) ROW(resident_bytes) \
  ROW(device_bytes) ROW(device_used_bytes) ROW(device_budget_bytes) \
  ROW(extensions) ROW(kind) ROW(status) ROW(needs) ROW(enable) ROW(language) ROW(available) ROW(no_device) \
  ROW(switched_off) ROW(unsupported) ROW(in_use) ROW(devices) ROW(open) ROW(jobs_in_flight) ROW(losses)
// clang-format on

class Atoms {
 public:
  explicit Atoms(ErlNifEnv* env);

#define KEM_ATOM_FIELD_1(id) ERL_NIF_TERM id;
#define KEM_ATOM_FIELD_2(id, text) ERL_NIF_TERM id;
#define KEM_ATOM_PICK(_1, _2, pick, ...) pick
#define KEM_ATOM_FIELD(...) KEM_ATOM_PICK(__VA_ARGS__, KEM_ATOM_FIELD_2, KEM_ATOM_FIELD_1, )(__VA_ARGS__)
  KEM_ATOMS(KEM_ATOM_FIELD)
#undef KEM_ATOM_FIELD

  ERL_NIF_TERM of(ErrorClass error_class) const { return classes_[static_cast<size_t>(error_class)]; }
  ERL_NIF_TERM of(bool value) const { return value ? true_ : false_; }

 private:
#define KEM_ROW(id, name, http) +1
  static constexpr size_t kClasses = 0 KEM_ERROR_CLASSES(KEM_ROW);
#undef KEM_ROW
  std::array<ERL_NIF_TERM, kClasses> classes_{};
};

}  // namespace kem::nif
