// The engine's inside: what it needs of the folders below, so that tests can stand in for them, and its jobs.
//
//   submit ─> warm and small? ── yes ─> plan, start on the device ─> (the device's thread) landed, done
//                └ no ─> queue ─> executors ─> ready? ── yes ─> plan, start …
//                          ▲                     └ no ─> preparation: fetch (fetchers) ─> compile, pipeline
//                          └──────────────── every job that waited for it <── (compilers) ──────────┘
//
// A task is either waiting, when the housekeeper may end it (deadline, cancel, shutdown), or active, when the thread
// that works on it, or the device that runs it, does. Client methods are called without any lock held, and done()
// on the thread that submits only if its submitter is patient.
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
class EngineImpl;

struct Task final : vulkan::Completion {
  enum class State { Waiting, Active };

  explicit Task(EngineImpl& owner) : engine(owner) {}
  void ended(Result<vulkan::RunTimes> result) noexcept override;  // on the device's thread

  EngineImpl& engine;

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
  std::optional<Image> image;                         // the decoded input
  std::vector<uint8_t> pixels;                        // the output, until it is encoded
  std::optional<std::array<uint64_t, 3>> workgroups;  // of the plan, once it is made
  std::vector<vulkan::Argument> arguments;            // of the plan
  std::array<uint8_t, sizeof(uint32_t)> trap{};       // not zero: the kernel ran out of its loop budget
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

  using Engine::submit;
  Result<JobId> submit(Job job, std::unique_ptr<Client> client, std::chrono::nanoseconds patience) override;
  void cancel(JobId id) override;
  void warm_up() override;
  Result<Report> execute(const BindingJob& job) override;
  wgsl::Options wgsl_options() override;
  Result<vulkan::DeviceInfo> adapter() override;
  Result<arweave::Kernel> fetch(const std::string& txid) override;
  Result<std::chrono::nanoseconds> measure_empty_submit(int rounds) override;
  Stats stats() const override;

  void landed(Task& task, Result<vulkan::RunTimes> result) noexcept;

 private:
  using Lock = std::unique_lock<std::mutex>;

  // engine.cc: the queue and the lives of tasks.
  Result<JobId> enqueue(std::variant<Job, const BindingJob*> work, std::chrono::milliseconds time_limit,
                        std::unique_ptr<Client> client, std::chrono::nanoseconds patience);
  void start_threads();  // mutex held
  void execute_jobs();
  void keep_house();
  void watch(Clock::time_point deadline);     // mutex held
  Clock::time_point next_deadline() const;    // mutex held
  void end_waiting(Task& task, Error error);  // mutex held
  void end_later(Task& task, Error error);
  void leave_queues(Task& task);         // mutex held
  std::unique_ptr<Task> take(JobId id);  // mutex held
  void finish(Task& task, Result<Report> result);
  Task* activate(JobId id);
  void requeue(Task& task);
  bool alive(Task& task);
  void guard(Task& task, const std::function<void()>& work);

  // stages.cc: what happens to a task, and to a preparation.
  void step(Task& task);
  static std::string at_once_key(const std::variant<Job, const BindingJob*>& work);
  bool find_ready(Task& task, const std::string& key);  // mutex held
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
  Status plan_task(Task& task);
  Result<std::array<uint64_t, 3>> plan_job(Task& task, const Job& job);
  void start(Task& task);
  void start_at_once(Task& task, std::chrono::nanoseconds patience);
  static std::span<const uint8_t> immediates_of(const Task& task);
  static vulkan::Dispatch dispatch_of(const Task& task);
  Result<bool> start_planned(Task& task, const vulkan::Dispatch& dispatch);
  Result<Report> outcome(Task& task, const Result<vulkan::RunTimes>& result);
  void note_loss(const Task& task, const Error& error);
  Report report_of(const Task& task) const;
  wgsl::Options options_for(const OpenDevice& device) const;

  const Config config_;
  Parts parts_;
  DeviceSlot device_;

  mutable std::mutex mutex_;
  std::condition_variable executor_wake_;
  std::condition_variable housekeeper_wake_;
  bool stopping_ = false;
  size_t finishing_ = 0;  // threads in finish(), after their task has left tasks_
  JobId next_id_ = 1;
  std::unordered_map<JobId, std::unique_ptr<Task>> tasks_;
  std::deque<JobId> queue_;                                      // waiting for an executor
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
  std::vector<std::thread> executors_;
  std::thread housekeeper_;
};

}  // namespace kem::core
