#include "nif/engine_holder.h"

#include <utility>

#include "nif/reply.h"

namespace kem::nif {

EngineHolder::~EngineHolder() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  for (Query& query : queries_) answer(std::move(query), true);
  engine_ = nullptr;
  owned_.reset();
}

bool EngineHolder::start(core::Config config) {
  std::lock_guard lock(mutex_);
  if (owned_) return false;
  limits_ = config.limits;
  owned_ = core::Engine::create(std::move(config));
  owned_->warm_up();
  engine_.store(owned_.get(), std::memory_order_release);
  return true;
}

Status EngineHolder::ask(Query query) {
  {
    std::lock_guard lock(mutex_);
    if (queries_.size() >= kQueries) return fail(ErrorClass::Busy, "too many questions are waiting");
    if (!thread_.joinable()) thread_ = std::thread([this] { answer_queries(); });
    queries_.push_back(std::move(query));
  }
  changed_.notify_one();
  return {};
}

void EngineHolder::answer_queries() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !queries_.empty(); });
    if (stopping_) return;
    Query query = std::move(queries_.front());
    queries_.pop_front();
    lock.unlock();
    answer(std::move(query), false);
    lock.lock();
  }
}

void EngineHolder::answer(Query query, bool stopped) {
  ErlNifEnv* env = query.message.get();
  ERL_NIF_TERM result = 0;
  try {
    result = stopped ? encode_error(env, atoms_, Error{ErrorClass::Cancelled, "the library is being unloaded"})
                     : query.answer(env, atoms_, *owned_);
  } catch (...) {
    result = encode_error(env, atoms_, Error{ErrorClass::Internal, "an exception ended the question"});
  }
  send_result(query.receiver, std::move(query.message), atoms_, query.ref, result);
}

}  // namespace kem::nif
