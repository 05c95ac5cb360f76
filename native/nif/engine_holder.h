// The library's one engine and the thread for its blocking questions. Made when the module is loaded, empty
// until the first call configures it; stopped when the last module instance that uses it is purged, or when the
// process exits.
#pragma once

#include <erl_nif.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "base/recycler.h"
#include "core/core.h"
#include "nif/atoms.h"
#include "nif/terms.h"

namespace kem::nif {

// A question that may block (opening the device, compiling a stranger's source), answered by message.
struct Query {
  // The answer as a term in `env`: {ok, _} or {error, _}.
  using Answer = std::function<ERL_NIF_TERM(ErlNifEnv* env, const Atoms& atoms, core::Engine& engine)>;
  ErlNifPid receiver;
  Env message;  // holds `ref`, then the answer
  ERL_NIF_TERM ref = 0;
  Answer answer;
};

// Thread-safe.
class EngineHolder {
 public:
  explicit EngineHolder(const Atoms& atoms) : atoms_(atoms) {}
  ~EngineHolder();
  EngineHolder(const EngineHolder&) = delete;
  EngineHolder& operator=(const EngineHolder&) = delete;

  // The engine, which is not stopped as long as this lives: a short time, on one thread, not twice at once. Null
  // before start() and after stop().
  class Use {
   public:
    explicit Use(EngineHolder& holder) : holder_(holder), lock_(holder.engine_mutex_) {}
    explicit operator bool() const { return holder_.engine_ != nullptr; }
    core::Engine* operator->() const { return holder_.engine_.get(); }
    const Limits& limits() const { return holder_.limits_; }  // of the engine
    bool stopped() const { return holder_.stopped_; }
    EngineHolder& holder() const { return holder_; }

   private:
    EngineHolder& holder_;
    std::shared_lock<std::shared_mutex> lock_;
  };

  // Makes the engine and lets it warm up in the background. False if there is one already: it stays as it is.
  // Cancelled after stop().
  Result<bool> start(core::Config config);

  // Cancels what runs, answers what waits, joins every thread. There is no way back.
  void stop();

  // Of the jobs' clients.
  Recycler& memory() { return memory_; }

  // Cancelled without an engine, Busy if too many questions wait.
  Status ask(Query query);

 private:
  void renew_guard(core::Engine& engine);
  void answer_queries(core::Engine& engine);
  void answer(Query query, core::Engine* engine);

  static constexpr size_t kQueries = 256;

  const Atoms& atoms_;
  Recycler memory_;

  std::shared_mutex engine_mutex_;
  std::unique_ptr<core::Engine> engine_;
  Limits limits_;
  bool stopped_ = false;

  std::mutex queries_mutex_;
  std::condition_variable changed_;
  std::deque<Query> queries_;
  bool stopping_ = false;
  std::thread thread_;   // as old as the engine
  std::thread renewer_;  // until all devices are open, or cannot be
  bool libraries_guarded_ = false;
  bool drivers_guarded_ = false;  // written while the engine lives
  bool device_guarded_ = false;   // written by renewer_, read when it has ended
};

// What a call gets that comes when the library is going.
Error stopped_error();

}  // namespace kem::nif
