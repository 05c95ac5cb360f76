// A submitted job as Erlang sees it: a resource (the handle) and the core::Client that sends its result.
//
// The result is sent as {kem, Ref, ok | {ok, Output} | {ok, Output, Report} | {error, Reason}} to the process that
// submitted the job, unless the job was abandoned before. A patient submitter may get it at once instead. A job is
// cancelled when its owner dies.
#pragma once

#include <erl_nif.h>

#include <atomic>
#include <memory>

#include "core/core.h"
#include "nif/chain_request.h"
#include "nif/engine_holder.h"
#include "nif/output.h"
#include "nif/request.h"

namespace kem::nif {

enum class JobState {
  Running,    // no message has been sent
  Sending,    // the message is on its way: a matter of microseconds
  Sent,       // the message is in the owner's mailbox
  Abandoned,  // no message will ever be sent
};

// Where a result goes that comes while its submitter is still in the native function.
struct Landing {
  ErlNifEnv* env;
  ERL_NIF_TERM result = 0;
};

// Lives in the VM's memory, perhaps longer than the code that made it: trivially destructible, and read only by
// the code whose tag it carries.
struct JobResource {
  const void* code = nullptr;           // code_tag() of the library that made it
  std::atomic<EngineHolder*> holder{};  // null once the job has ended
  std::atomic<core::JobId> id{};
  std::atomic<JobState> state{JobState::Running};
  ErlNifPid owner{};
  ErlNifMonitor monitor{};
  Landing* landing = nullptr;  // during the submission; the submitter's thread only
};

// Tells this loaded library from another build that took its module's name over.
const void* code_tag();

// Opens the resource type, taking it over from an older instance of the module; null if the VM refuses.
ErlNifResourceType* open_job_type(ErlNifEnv* env);

// What jobs are made of in the VM.
struct JobMemory {
  ErlNifResourceType* type = nullptr;  // of open_job_type()
  Outputs outputs;
};

struct Submitted {
  ERL_NIF_TERM handle;
  std::chrono::milliseconds time_limit;  // after which the engine ends the job
  ERL_NIF_TERM result;                   // if the job has ended already, instead of a message; else 0
};

// Submits a call of the calling process. Takes microseconds, and at most so much longer as the caller has patience.
Result<Submitted> submit_job(ErlNifEnv* env, const Atoms& atoms, const EngineHolder::Use& engine,
                             const JobMemory& memory, ERL_NIF_TERM ref, Request request,
                             std::chrono::nanoseconds patience);

// The same for a chain, a read and a write.
Result<Submitted> submit_chain(ErlNifEnv* env, const Atoms& atoms, const EngineHolder::Use& engine,
                               const JobMemory& memory, ERL_NIF_TERM ref, ChainRequest request,
                               std::chrono::nanoseconds patience);
Result<Submitted> submit_read(ErlNifEnv* env, const Atoms& atoms, const EngineHolder::Use& engine,
                              const JobMemory& memory, ERL_NIF_TERM ref, core::BufferReference buffer, uint64_t offset,
                              uint64_t bytes);
Result<Submitted> submit_write(ErlNifEnv* env, const Atoms& atoms, const EngineHolder::Use& engine,
                               const JobMemory& memory, ERL_NIF_TERM ref, core::BufferReference buffer, uint64_t offset,
                               ERL_NIF_TERM bytes);

// The owner's call abandons the job: no message will come unless the result says Sending or Sent. Another
// process's call makes the engine end it, and the owner gets {error, {cancelled, _}}.
JobState cancel_job(JobResource& job, const ErlNifPid& caller);

}  // namespace kem::nif
