// The engine's inside: what it needs of the folders below, so that tests can stand in for them, and its jobs.
//
//   submit ─> warm and small? ── yes ─> plan, start on the device ─> (the device's thread) landed, done
//                └ no ─> queue ─> executors ─> ready? ── yes ─> plan, start …
//                          ▲                     └ no ─> preparation: fetch (fetchers) ─> compile, pipeline
//                          └──────────────── every job that waited for it <── (compilers) ──────────┘
//
// A task that uses resident buffers has a place in the line of each and runs when it is its turn at all of them.
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
#include <memory_resource>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/recycler.h"
#include "core/chain.h"
#include "core/compiler.h"
#include "core/core.h"
#include "core/devices.h"
#include "core/executable.h"
#include "core/image.h"
#include "core/ready_kernels.h"
#include "core/resident.h"
#include "core/work_pool.h"

namespace kem::core {

struct Parts {
  std::unique_ptr<arweave::Fetcher> fetcher;
  std::unique_ptr<Compiler> compiler;
  Devices::Select select_devices;
};

std::unique_ptr<Engine> make_engine(Config config, Parts parts);

using Clock = std::chrono::steady_clock;

struct Preparation;
struct Turn;
class EngineImpl;

// Bytes that are copied out of a resident buffer, or into it.
struct Access {
  std::shared_ptr<Resident> buffer;
  bool writes = false;
  uint64_t offset = 0;
  uint64_t read = 0;                 // how many bytes
  std::span<const uint8_t> written;  // of the client
};

using Work = std::variant<Job, const BindingJob*, std::unique_ptr<ChainWork>, Access>;

// Reaches the engine as long as there is one. Thread-safe.
class EngineLink {
 public:
  explicit EngineLink(EngineImpl& engine) : engine_(&engine) {}
  // Afterwards nothing reaches the engine any more.
  void cut();
  void end(Turn& turn) noexcept;

 private:
  std::mutex mutex_;
  EngineImpl* engine_;
};

// A started task's place in the lines of its buffers: it ends when the task has and the device is done with it too, as
// a device goes on for a while with what was cancelled. Held by both.
struct Turn {
  explicit Turn(std::shared_ptr<EngineLink> to) : link(std::move(to)) {}
  ~Turn() { link->end(*this); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  const std::shared_ptr<EngineLink> link;
  JobId job = 0;
  std::vector<Held> held;
  std::shared_ptr<const void> lender;
  bool over = false;  // guarded by the engine's mutex
};

struct Task final : vulkan::Completion, Recycled {
  enum class State { Waiting, Active };

  Task(EngineImpl& owner, Recycler& memory) : engine(owner), arguments(&memory) {}
  void ended(Result<vulkan::RunTimes> result) noexcept override;  // on the device's thread

  EngineImpl& engine;

  JobId id = 0;
  Work work;
  std::unique_ptr<Client> client;
  std::vector<Held> held;      // the buffers that it uses
  std::shared_ptr<Turn> turn;  // at them, once it has been started
  Traffic traffic;             // counted in the engine's, as long as the task is among its tasks
  Spot spot;                   // guarded by the engine's mutex
  Clock::time_point submitted;
  Clock::time_point deadline;
  std::atomic<bool> cancelled{false};
  State state = State::Waiting;                            // guarded by the engine's mutex
  std::vector<std::shared_ptr<Preparation>> preparations;  // that it waits for; guarded by the engine's mutex
  bool in_line = false;                                    // waits for its turn at its buffers; guarded likewise
  Ready ready;                                             // of a chain: in its ChainWork
  StageTimes times;
  std::optional<Image> image;   // the decoded input
  std::vector<uint8_t> pixels;  // the output, until it is encoded
  bool planned = false;
  std::shared_ptr<const void> lender;            // of the plan
  std::array<uint64_t, 3> workgroups{};          // of the plan
  std::pmr::vector<vulkan::Argument> arguments;  // of the plan
  std::array<uint8_t, sizeof(uint32_t)> trap{};  // not zero: the kernel ran out of its loop budget
};

// One kernel on its way to being ready, and the tasks that wait for it.
struct Preparation {
  std::string key;
  std::string name;                         // among the preparations
  std::optional<size_t> device;             // none: any
  bool for_others = false;                  // goes on without a waiter
  std::shared_ptr<const Executable> known;  // on another device, if its shader will do
  std::string txid;                         // or
  std::string source;                       // the text
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

  using Engine::make_buffer;
  using Engine::submit;
  Result<JobId> submit(Job job, std::unique_ptr<Client> client, std::chrono::nanoseconds patience) override;
  Result<JobId> submit(Chain chain, std::unique_ptr<Client> client, std::chrono::nanoseconds patience) override;
  Result<BufferReference> make_buffer(uint64_t bytes, std::optional<size_t> device) override;
  Result<JobId> read(BufferReference buffer, uint64_t offset, uint64_t bytes, std::unique_ptr<Client> client) override;
  Result<JobId> write(BufferReference buffer, uint64_t offset, std::span<const uint8_t> bytes,
                      std::unique_ptr<Client> client) override;
  void cancel(JobId id) override;
  void warm_up() override;
  Result<Report> execute(const BindingJob& job) override;
  wgsl::Options wgsl_options() override;
  Result<vulkan::DeviceInfo> adapter() override;
  bool wait_for_devices(std::chrono::nanoseconds at_most) override;
  Result<arweave::Kernel> fetch(const std::string& txid) override;
  Result<std::chrono::nanoseconds> measure_empty_submit(int rounds) override;
  Stats stats() const override;

  void landed(Task& task, Result<vulkan::RunTimes> result) noexcept;
  void end_turn(Turn& turn);

 private:
  using Lock = std::unique_lock<std::mutex>;

  // engine.cc: the queue and the lives of tasks.
  Result<JobId> enqueue(std::unique_ptr<Task> task, std::chrono::milliseconds time_limit,
                        std::chrono::nanoseconds patience);
  Status admit(const Task& task) const;     // mutex held
  Status admit(const Traffic& more) const;  // mutex held
  void start_threads();                     // mutex held
  void execute_jobs();
  void keep_house();
  void watch(Clock::time_point deadline);     // mutex held
  Clock::time_point next_deadline() const;    // mutex held
  void end_waiting(Task& task, Error error);  // mutex held
  void end_later(Task& task, Error error);
  void leave_queues(Task& task);                 // mutex held
  void leave_preparations(Task& task);           // mutex held
  void care_for_devices(Clock::time_point now);  // mutex held
  Result<Devices::Reference> first_device();
  std::unique_ptr<Task> make_task() { return std::unique_ptr<Task>(new (memory_) Task(*this, memory_)); }
  std::unique_ptr<Task> take(JobId id);  // mutex held
  void finish(Task& task, Result<Report> result);
  Task* activate(JobId id);
  void requeue(Task& task);
  bool alive(Task& task);
  void guard(Task& task, const std::function<void()>& work);

  // residents.cc: resident buffers, and the tasks that use them.
  Result<BufferReference> make_buffer_on(const Devices::Reference& device, uint64_t bytes);
  Result<std::vector<Devices::Reference>> devices_for_buffer(std::optional<size_t> device);
  Result<JobId> enqueue_access(Access access, Traffic traffic, std::unique_ptr<Client> client);
  void join_lines(Task& task);                              // mutex held
  void leave_lines(Task& task);                             // mutex held
  void leave_lines(JobId job, std::span<const Held> held);  // mutex held
  std::shared_ptr<const void> lender_of(Task& task);
  bool has_turn(const Task& task) const;  // mutex held
  bool wait_for_turn(Task& task);
  void perform(Task& task, const Access& access);
  Status copy(Task& task, const Access& access);

  // stages.cc: what happens to a task, and to a preparation.
  void step(Task& task);
  static std::string at_once_key(const Work& work);
  static bool is_lent(const Task& task);
  bool can_start(Task& task, const std::string& key);   // mutex held
  bool find_ready(const std::string& key, Task& task);  // mutex held
  bool find_all_ready(Task& task, ChainWork& work);     // mutex held
  bool look_up(Task& task);
  void wait_for_preparations(Task& task);
  void post(Task& task, void (EngineImpl::*stage)(Task&));
  void decode_input(Task& task);
  void encode_output(Task& task);
  Status plan_task(Task& task);
  Result<std::array<uint64_t, 3>> plan_job(Task& task, const Job& job);
  Status plan_work(Task& task, ChainWork& work);
  void start(Task& task);
  void start_at_once(Task& task, std::chrono::nanoseconds patience);
  static std::span<const uint8_t> immediates_of(const Task& task);
  static vulkan::Dispatch dispatch_of(const Task& task);
  static const Devices::Reference& device_of(const Task& task);
  Result<bool> start_planned(Task& task, std::chrono::nanoseconds patience, bool at_once);
  Result<Report> outcome(Task& task, const Result<vulkan::RunTimes>& result);
  void note_loss(OpenDevice& device, const Error& error);
  Result<bool> noting_loss(OpenDevice& device, Result<bool> started);
  Report report_of(const Task& task) const;

  // preparation.cc: kernels on their way to being ready.
  void join_preparation(Task& task, const std::string& key, const Wanted& kernel,
                        std::vector<std::shared_ptr<Preparation>>& started);             // mutex held
  void prepare_for_others(const std::string& key, const Wanted& kernel, size_t device);  // mutex held
  void begin_for_others(const std::shared_ptr<Preparation>& preparation);
  void begin(const std::shared_ptr<Preparation>& preparation);
  void fetch(const std::shared_ptr<Preparation>& preparation);
  void compile(const std::shared_ptr<Preparation>& preparation);
  Result<Ready> make_ready(Preparation& preparation);
  Result<std::vector<Devices::Reference>> devices_for(const Preparation& preparation);
  Result<Ready> make_ready_on(Preparation& preparation, const Devices::Reference& device);
  Result<std::unique_ptr<vulkan::Pipeline>> make_pipeline(const OpenDevice& device, const CompiledShader& shader) const;
  void complete(Preparation& preparation, Result<Ready> result);
  void accept(Task& task, const std::string& key, const Ready& ready);  // mutex held
  void elsewhere(Task& task, const Error& error);                       // mutex held
  uint32_t loop_budget(const OpenDevice& device) const;
  uint32_t loop_group(const OpenDevice& device) const;
  wgsl::Options options_for(const OpenDevice& device) const;

  Recycler memory_;  // of tasks and what belongs to them
  const Config config_;
  Parts parts_;
  Devices devices_;
  const std::shared_ptr<ResidentPool> residents_;
  const std::shared_ptr<EngineLink> link_ = std::make_shared<EngineLink>(*this);

  mutable std::mutex mutex_;
  std::condition_variable executor_wake_;
  std::condition_variable housekeeper_wake_;
  bool stopping_ = false;
  size_t finishing_ = 0;  // threads in finish(), after their task has left tasks_
  JobId next_id_ = 1;
  std::pmr::unordered_map<JobId, std::unique_ptr<Task>> tasks_{&memory_};
  std::deque<JobId> queue_;                                      // waiting for an executor
  std::vector<std::pair<std::unique_ptr<Task>, Error>> ending_;  // for the housekeeper to end
  Clock::time_point watched_ = Clock::time_point::max();         // when the housekeeper wakes by itself
  ReadyKernels kernels_;
  std::unordered_map<std::string, std::shared_ptr<Preparation>> preparations_;
  uint64_t in_flight_bytes_ = 0;
  uint64_t jobs_done_ = 0;
  uint64_t jobs_failed_ = 0;
  bool warming_ = false;
  Clock::time_point next_care_;  // of devices that others stand in for
  std::chrono::seconds care_pause_{1};

  WorkPool fetchers_;
  WorkPool compilers_;
  WorkPool warmer_;
  WorkPool reaper_;  // frees resident buffers
  std::vector<std::thread> executors_;
  std::thread housekeeper_;
};

}  // namespace kem::core
