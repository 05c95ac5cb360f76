// The engine's inside: what it needs of the folders below, so that tests can stand in for them, and its jobs.
//
//   submit ─> queue ─> executor ─> ready? ── yes ─> plan, dispatch, done
//                ▲                   └ no ─> preparation: fetch (fetchers) ─> compile, pipeline (compilers) ─┐
//                └───────────────────────────── every job that waited for it <───────────────────────────────┘
//
// A task is either waiting, when the housekeeper may end it (deadline, cancel, shutdown), or active, when the
// thread that works on it does. Client methods are called without any lock held.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/lru_cache.h"
#include "core/compiler.h"
#include "core/core.h"
#include "core/device_slot.h"
#include "core/image.h"
#include "core/work_pool.h"

namespace kem::core {

struct Parts {
  std::unique_ptr<arweave::Fetcher> fetcher;
  std::unique_ptr<Compiler> compiler;
  DeviceSlot::Open open_device;
};

std::unique_ptr<Engine> make_engine(Config config, Parts parts);

using Clock = std::chrono::steady_clock;

// A kernel that can run: its pipeline on a device and what the executor must know of it. Immutable.
struct Executable {
  std::shared_ptr<OpenDevice> device;  // declared first: it goes after the pipeline
  std::unique_ptr<vulkan::Pipeline> pipeline;
  wgsl::Reflection reflection;
  std::string warnings;
};

struct Ready {
  std::shared_ptr<const Executable> executable;  // shared: a job may run while the cache forgets it
  std::string origin;
};

struct Preparation;

struct Task {
  enum class State { Waiting, Active };

  JobId id = 0;
  std::variant<Job, const BindingJob*> work;
  std::unique_ptr<Client> client;
  Clock::time_point submitted;
  Clock::time_point deadline;
  std::atomic<bool> cancelled{false};
  State state = State::Waiting;              // guarded by the engine's mutex
  std::shared_ptr<Preparation> preparation;  // that it waits for; guarded by the engine's mutex
  Ready ready;
  StageTimes times;
  std::optional<Image> image;   // the decoded input
  std::vector<uint8_t> pixels;  // the output, until it is encoded
};

// One kernel on its way to being ready, and the tasks that wait for it.
struct Preparation {
  std::string key;
  std::string txid;    // or
  std::string source;  // the text
  std::string origin = "text";
  std::string entry_point;
  std::vector<wgsl::Constant> constants;
  std::vector<JobId> waiters;          // guarded by the engine's mutex
  std::atomic<bool> abandoned{false};  // nobody waits any more
  StageTimes times;
};

class EngineImpl final : public Engine {
 public:
  EngineImpl(Config config, Parts parts);
  ~EngineImpl() override;

  Result<JobId> submit(Job job, std::unique_ptr<Client> client) override;
  void cancel(JobId id) override;
  void warm_up() override;
  Result<Report> execute(const BindingJob& job) override;
  wgsl::Options wgsl_options() override;
  Result<vulkan::DeviceInfo> adapter() override;
  Result<std::chrono::nanoseconds> measure_empty_submit(int rounds) override;
  Stats stats() const override;

 private:
  using Lock = std::unique_lock<std::mutex>;

  // engine.cc: the queue and the lives of tasks.
  Result<JobId> enqueue(std::variant<Job, const BindingJob*> work, std::chrono::milliseconds time_limit,
                        std::unique_ptr<Client> client);
  void start_threads();  // mutex held
  void execute_jobs();
  void keep_house();
  void watch(Clock::time_point deadline);     // mutex held
  Clock::time_point next_deadline() const;    // mutex held
  void end_waiting(Task& task, Error error);  // mutex held
  void leave_queues(Task& task);              // mutex held
  std::unique_ptr<Task> take(JobId id);       // mutex held
  void finish(Task& task, Result<Report> result);
  Task* activate(JobId id);
  void requeue(Task& task);
  bool alive(Task& task);
  void guard(Task& task, const std::function<void()>& work);

  // stages.cc: what happens to a task, and to a preparation.
  void step(Task& task);
  bool look_up(Task& task, const std::string& key);
  void wait_for_preparation(Task& task, std::string key);
  void fetch(const std::shared_ptr<Preparation>& preparation);
  void compile(const std::shared_ptr<Preparation>& preparation);
  Result<Ready> make_ready(Preparation& preparation);
  void complete(Preparation& preparation, Result<Ready> result);
  Result<std::unique_ptr<vulkan::Pipeline>> make_pipeline(const OpenDevice& device, const CompiledShader& shader) const;
  void post(Task& task, void (EngineImpl::*stage)(Task&));
  void decode_input(Task& task);
  void encode_output(Task& task);
  Status run_bindings(Task& task, const BindingJob& job);
  Status dispatch(Task& task, std::vector<vulkan::Argument>& arguments, const std::array<uint64_t, 3>& workgroups,
                  std::span<const uint8_t> immediates);
  Status dispatch_call(Task& task, const Job& job);
  Report report_of(const Task& task) const;
  wgsl::Options options_for(const OpenDevice& device) const;

  const Config config_;
  Parts parts_;
  DeviceSlot device_;

  mutable std::mutex mutex_;
  std::condition_variable executor_wake_;
  std::condition_variable housekeeper_wake_;
  bool stopping_ = false;
  JobId next_id_ = 1;
  std::unordered_map<JobId, std::unique_ptr<Task>> tasks_;
  std::deque<JobId> queue_;                                      // waiting for the executor
  std::vector<std::pair<std::unique_ptr<Task>, Error>> ending_;  // for the housekeeper to end
  Clock::time_point watched_ = Clock::time_point::max();         // when the housekeeper wakes by itself
  LruCache<Ready> ready_;
  std::unordered_map<std::string, std::shared_ptr<Preparation>> preparations_;
  uint64_t jobs_done_ = 0;
  uint64_t jobs_failed_ = 0;
  bool warming_ = false;

  WorkPool fetchers_;
  WorkPool compilers_;
  WorkPool warmer_;
  std::thread executor_;
  std::thread housekeeper_;
};

}  // namespace kem::core
