#include "nif/engine_holder.h"

#include <chrono>
#include <utility>

#include "base/digest.h"
#include "nif/exit_guard.h"
#include "nif/reply.h"

namespace kem::nif {

Error stopped_error() { return {ErrorClass::Cancelled, "the library is being unloaded"}; }

EngineHolder::~EngineHolder() {
  stop();
  if (libraries_guarded_) {
    ExitGuard::of_libraries().remove(*this);
    ExitGuard::of_opening().remove(*this);
  }
  if (drivers_guarded_) ExitGuard::of_drivers().remove(*this);
  if (device_guarded_) ExitGuard::of_device().remove(*this);
}

Result<bool> EngineHolder::start(core::Config config) {
  std::unique_lock lock(engine_mutex_);
  if (stopped_) return fail(stopped_error());
  if (engine_) return false;
  limits_ = config.limits;
  config.device.drivers_loaded = [this] {
    if (!std::exchange(drivers_guarded_, true)) ExitGuard::of_drivers().add(*this);
  };
  auto engine = core::Engine::create(std::move(config));
  static_cast<void>(sha256(std::string_view()));  // libcrypto makes what it destroys at exit when it is first used
  ExitGuard::of_libraries().add(*this);
  ExitGuard::of_opening().add(*this);
  ExitGuard::begin_opening();
  libraries_guarded_ = true;
  engine->warm_up();
  thread_ = std::thread([this, raw = engine.get()] { answer_queries(*raw); });
  renewer_ = std::thread([this, raw = engine.get()] { renew_guard(*raw); });
  engine_ = std::move(engine);
  return true;
}

void EngineHolder::stop() {
  std::unique_ptr<core::Engine> engine;
  std::thread thread, renewer;
  {
    std::unique_lock lock(engine_mutex_);
    stopped_ = true;
    engine = std::move(engine_);
    thread = std::move(thread_);
    renewer = std::move(renewer_);
  }
  if (!engine) return;
  {
    std::lock_guard lock(queries_mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread.join();
  renewer.join();
  for (Query& query : queries_) answer(std::move(query), nullptr);
  queries_.clear();
}

Status EngineHolder::ask(Query query) {
  std::lock_guard lock(queries_mutex_);
  if (stopping_) return fail(stopped_error());
  if (queries_.size() >= kQueries) return fail(ErrorClass::Busy, "too many questions are waiting");
  queries_.push_back(std::move(query));
  changed_.notify_one();
  return {};
}

// Often enough that hardly anything is made between two times, more seldom as time goes by.
void EngineHolder::renew_guard(core::Engine& engine) {
  for (std::chrono::microseconds pause{200}; !engine.wait_for_devices(pause); pause += pause / 64)
    ExitGuard::renew_opening();
  ExitGuard::end_opening();
  ExitGuard::of_device().add(*this);
  device_guarded_ = true;
}

void EngineHolder::answer_queries(core::Engine& engine) {
  std::unique_lock lock(queries_mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !queries_.empty(); });
    if (stopping_) return;
    Query query = std::move(queries_.front());
    queries_.pop_front();
    lock.unlock();
    answer(std::move(query), &engine);
    lock.lock();
  }
}

void EngineHolder::answer(Query query, core::Engine* engine) {
  ErlNifEnv* env = query.message.get();
  ERL_NIF_TERM result = 0;
  try {
    result = engine == nullptr ? encode_error(env, atoms_, stopped_error()) : query.answer(env, atoms_, *engine);
  } catch (...) {
    result = encode_error(env, atoms_, Error{ErrorClass::Internal, "an exception ended the question"});
  }
  send_result(query.receiver, std::move(query.message), atoms_, query.ref, result);
}

}  // namespace kem::nif
