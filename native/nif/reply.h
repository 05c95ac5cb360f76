// Results of the engine as terms, and the message that carries them: {kem, Ref, Result}.
#pragma once

#include <erl_nif.h>

#include <string_view>

#include "core/core.h"
#include "nif/atoms.h"
#include "nif/terms.h"

namespace kem::nif {

// #{stages := #{queue := Microseconds, ...}, kernel_origin := Binary, warnings := Binary}
ERL_NIF_TERM encode_report(ErlNifEnv* env, const Atoms& atoms, const core::Report& report);

// #{name, vendor, device, type, driver, driver_info, uuid, api_version, index}; texts are binaries.
ERL_NIF_TERM encode_adapter(ErlNifEnv* env, const Atoms& atoms, const vulkan::DeviceInfo& info);

ERL_NIF_TERM encode_stats(ErlNifEnv* env, const Atoms& atoms, const core::Stats& stats);

// #{Name := #{kind := enable | language, status := available | no_device | switched_off | unsupported, needs := Text}}
ERL_NIF_TERM encode_extensions(ErlNifEnv* env, const Atoms& atoms, const wgsl::Options& options);

// Sends {kem, ref, result} from a thread of the library. Both terms are in `message`, which the sending consumes.
// A dead receiver is no error.
void send_result(const ErlNifPid& receiver, Env message, const Atoms& atoms, ERL_NIF_TERM ref, ERL_NIF_TERM result);

}  // namespace kem::nif
