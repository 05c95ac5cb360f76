// The library's one engine and the thread for its blocking questions. Made when the module is loaded, empty
// until the first call configures it; destroyed when the last module instance that uses it is purged.
#pragma once

#include <erl_nif.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

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

class EngineHolder {
 public:
  explicit EngineHolder(const Atoms& atoms) : atoms_(atoms) {}
  // Cancels what runs, answers what waits, joins every thread.
  ~EngineHolder();

  // Null until start() has been called. Any thread.
  core::Engine* engine() const { return engine_.load(std::memory_order_acquire); }
  // Of the running engine; valid once engine() is not null.
  const Limits& limits() const { return limits_; }

  // Makes the engine and lets it warm up in the background. False if there is one already: it stays as it is.
  bool start(core::Config config);

  // Needs a running engine. Busy if too many questions wait.
  Status ask(Query query);

 private:
  void answer_queries();
  void answer(Query query, bool stopped);

  static constexpr size_t kQueries = 256;

  const Atoms& atoms_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Query> queries_;
  bool stopping_ = false;
  std::thread thread_;  // started by the first question
  Limits limits_;
  std::unique_ptr<core::Engine> owned_;
  std::atomic<core::Engine*> engine_{nullptr};
};

}  // namespace kem::nif
