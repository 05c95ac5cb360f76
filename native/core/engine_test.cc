// The engine's queue, caches and lives of jobs, over stand-ins for the folders below it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fake_world.h"

namespace kem::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(EngineTest, RunsAKernelByIdAndKeepsItReady) {
  for (int i = 0; i < 3; ++i) {
    const auto outcome = submit(job());
    const auto result = wait(outcome);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_THAT(outcome->bytes, ElementsAre(2, 6, 10, 14));
    EXPECT_EQ(result->kernel_origin, "fake");
    EXPECT_EQ(result->warnings, "a warning");
    EXPECT_EQ(result->times.execute, 2us);
    EXPECT_EQ(result->times.front_end, i == 0 ? 5us : 0us);
  }
  EXPECT_EQ(world.fetches, 1);
  EXPECT_EQ(world.compiles, 1);
  EXPECT_EQ(world.pipelines, 1);
  EXPECT_EQ(world.opens, 1);
  EXPECT_EQ(engine().stats().jobs_done, 3u);
  EXPECT_EQ(engine().stats().queued, 0u);
}

TEST_F(EngineTest, AWarmSmallJobIsStartedByItsSubmitter) {
  ASSERT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.started_by_submitter, 0);
  ASSERT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.started_by_submitter, 1);
  world.prepared = false;
  const auto unprepared = submit(job());
  ASSERT_EQ(error_name(unprepared), "ok");
  EXPECT_THAT(unprepared->bytes, ElementsAre(2, 6, 10, 14));
  world.prepared = true;
  input.resize(1 << 20);
  ASSERT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.started_by_submitter, 1);
}

TEST_F(EngineTest, ASubmitterIsNeverToldOnItsOwnThread) {
  ASSERT_EQ(error_name(submit(job())), "ok");
  input.clear();
  const auto refused = submit(job());
  EXPECT_EQ(error_name(refused), "invalid_input");
  EXPECT_NE(refused->told_by.load(), world.submitter);
  input.resize(4);
  world.refuse_start = true;
  const auto lost = submit(job());
  EXPECT_EQ(error_name(lost), "device_lost");
  EXPECT_NE(lost->told_by.load(), world.submitter);
  world.refuse_start = false;
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.opens, 2);
}

TEST_F(EngineTest, OnlyAPatientSubmitterIsToldOnItsOwnThread) {
  ASSERT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.patience.load(), 0ns);
  const auto outcome = std::make_shared<Outcome>();
  ASSERT_TRUE(engine().submit(job(), std::make_unique<TestClient>(outcome), 70us));
  EXPECT_EQ(world.patience.load(), 70us);
  EXPECT_EQ(outcome->done, 1);
  EXPECT_EQ(outcome->told_by.load(), world.submitter);
  ASSERT_EQ(error_name(outcome), "ok");
  EXPECT_THAT(outcome->bytes, ElementsAre(2, 6, 10, 14));
  EXPECT_EQ(engine().stats().queued, 0u);
  const auto impatient = submit(job());
  ASSERT_EQ(error_name(impatient), "ok");
  EXPECT_NE(impatient->told_by.load(), world.submitter);
}

TEST_F(EngineTest, TheSameTextUnderAnotherIdIsNotCompiledAgain) {
  ASSERT_EQ(error_name(submit(job(kId))), "ok");
  ASSERT_EQ(error_name(submit(job(kOtherId))), "ok");
  Job text = job();
  text.kernel = KernelText{"source"};
  ASSERT_EQ(error_name(submit(text)), "ok");
  EXPECT_EQ(world.compiles, 1);
  text.constants = {{"n", 1.0}};
  ASSERT_EQ(error_name(submit(text)), "ok");
  EXPECT_EQ(world.compiles, 2);
}

TEST_F(EngineTest, PipelinesAreKeptByTheSizeOfTheirSpirv) {
  const auto run = [&](int number) {
    Job text = job();
    text.kernel = KernelText{"source"};
    text.constants = {{"n", static_cast<double>(number)}};
    ASSERT_EQ(error_name(submit(text)), "ok");
  };
  for (int k = 0; k < 300; ++k) run(k);
  EXPECT_EQ(engine().stats().cached_pipelines, 256u);
  world.spirv_words = 1u << 19;  // 2 MiB
  for (int k = 300; k < 320; ++k) run(k);
  EXPECT_EQ(engine().stats().cached_pipelines, 8u);
}

TEST_F(EngineTest, JobsThatWaitForOneKernelShareItsPreparation) {
  Gate& gate = world.new_gate();
  world.fetch_gate = &gate;
  std::vector<std::shared_ptr<Outcome>> outcomes;
  outcomes.reserve(20);
  for (int i = 0; i < 20; ++i) outcomes.push_back(submit(job()));
  ASSERT_TRUE(gate.wait_arrived(1));
  gate.open();
  for (const auto& outcome : outcomes) EXPECT_EQ(error_name(outcome), "ok");
  EXPECT_EQ(world.fetches, 1);
  EXPECT_EQ(world.compiles, 1);
}

TEST_F(EngineTest, ASlowFetchDoesNotHoldUpAWarmKernel) {
  Gate& gate = world.new_gate();
  world.fetch_gate = &gate;
  ASSERT_EQ(error_name(submit(job(kOtherId))), "ok");
  const auto slow = submit(job(kId));
  ASSERT_TRUE(gate.wait_arrived(1));
  EXPECT_EQ(error_name(submit(job(kOtherId))), "ok");
  EXPECT_EQ(slow->done, 0);
  gate.open();
  EXPECT_EQ(error_name(slow), "ok");
}

TEST_F(EngineTest, AFullQueueIsBusyAndEmptiesAgain) {
  config.limits.queue_length = 2;
  Gate& gate = world.new_gate();
  world.fetch_gate = &gate;
  const auto first = submit(job());
  const auto second = submit(job());
  const auto third = engine().submit(job(), std::make_unique<TestClient>(std::make_shared<Outcome>()));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().error_class, ErrorClass::Busy);
  gate.open();
  EXPECT_EQ(error_name(first), "ok");
  EXPECT_EQ(error_name(second), "ok");
  EXPECT_EQ(error_name(submit(job())), "ok");
}

TEST_F(EngineTest, CancelWhileItWaitsForItsKernelEndsTheFetchToo) {
  Gate& gate = world.new_gate();
  world.fetch_gate = &gate;
  JobId id = 0;
  const auto outcome = submit(job(), &id);
  ASSERT_TRUE(gate.wait_arrived(1));
  engine().cancel(id);
  EXPECT_EQ(error_name(outcome), "cancelled");
  engine().cancel(id);
  engine().cancel(12345);
  // The next job starts a fetch of its own, whether or not the first has ended.
  const auto next = submit(job());
  ASSERT_TRUE(gate.wait_arrived(2));
  gate.open();
  EXPECT_EQ(error_name(next), "ok");
  EXPECT_EQ(outcome->done, 1);
}

TEST_F(EngineTest, CancelOfOneWaiterLeavesTheOther) {
  Gate& gate = world.new_gate();
  world.fetch_gate = &gate;
  JobId id = 0;
  const auto first = submit(job(), &id);
  const auto second = submit(job());
  ASSERT_TRUE(gate.wait_arrived(1));
  while (engine().stats().queued != 2) std::this_thread::yield();
  engine().cancel(id);
  EXPECT_EQ(error_name(first), "cancelled");
  gate.open();
  EXPECT_EQ(error_name(second), "ok");
}

TEST_F(EngineTest, CancelWhileItRunsAndWhileItIsQueued) {
  ASSERT_EQ(error_name(submit(job())), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  JobId running = 0, queued = 0;
  const auto first = submit(job(), &running);
  ASSERT_TRUE(gate.wait_arrived(1));
  const auto second = submit(job(), &queued);
  engine().cancel(queued);
  EXPECT_EQ(error_name(second), "cancelled");
  engine().cancel(running);
  EXPECT_EQ(error_name(first), "cancelled");
}

TEST_F(EngineTest, TheDeadlineEndsAWaitingJob) {
  Gate& gate = world.new_gate();
  world.fetch_gate = &gate;
  Job brief = job();
  brief.time_limit = 20ms;
  EXPECT_EQ(error_name(submit(brief)), "timeout");
}

TEST_F(EngineTest, TheDeadlineEndsAQueuedJobBehindALongOne) {
  ASSERT_EQ(error_name(submit(job())), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  const auto running = submit(job());
  ASSERT_TRUE(gate.wait_arrived(1));
  Job brief = job();
  brief.time_limit = 20ms;
  EXPECT_EQ(error_name(submit(brief)), "timeout");
  gate.open();
  EXPECT_EQ(error_name(running), "ok");
}

TEST_F(EngineTest, ShutdownCancelsWhateverAJobIsAt) {
  ASSERT_EQ(error_name(submit(job(kOtherId))), "ok");
  Gate& fetch_gate = world.new_gate();
  Gate& run_gate = world.new_gate();
  world.fetch_gate = &fetch_gate;
  const auto fetching = submit(job(kId));
  ASSERT_TRUE(fetch_gate.wait_arrived(1));
  world.run_gate = &run_gate;
  const auto running = submit(job(kOtherId));
  ASSERT_TRUE(run_gate.wait_arrived(1));
  const auto queued = submit(job(kOtherId));
  engine_.reset();
  EXPECT_EQ(error_name(fetching), "cancelled");
  EXPECT_EQ(error_name(running), "cancelled");
  EXPECT_EQ(error_name(queued), "cancelled");
  EXPECT_EQ(world.live_pipelines, 0);
}

TEST_F(EngineTest, ShutdownDuringACompileWaitsForIt) {
  Gate& gate = world.new_gate();
  world.compile_gate = &gate;
  const auto outcome = submit(job());
  ASSERT_TRUE(gate.wait_arrived(1));
  std::thread closer([&] { engine_.reset(); });
  EXPECT_EQ(error_name(outcome), "cancelled");
  gate.open();
  closer.join();
}

TEST_F(EngineTest, AnEngineThatNeverHadAJobGoesQuietly) {
  engine();
  engine_.reset();
  EXPECT_EQ(world.opens, 0);
}

TEST_F(EngineTest, ErrorsOfEachStageReachTheirJobs) {
  EXPECT_EQ(error_name(submit(job("short"))), "invalid_kernel_id");
  EXPECT_EQ(error_name(submit(job(std::string(42, 'C') + "A"))), "kernel_not_found");
  Job text = job();
  text.kernel = KernelText{"bad"};
  EXPECT_EQ(error_name(submit(text)), "invalid_kernel");
  Job empty = job();
  empty.input = {};
  EXPECT_EQ(error_name(submit(empty)), "invalid_input");
  Job hint = job();
  hint.output = OutputHint{0};
  EXPECT_EQ(error_name(submit(hint)), "invalid_argument");
  EXPECT_EQ(world.fetches, 1) << "only the unknown id is worth a fetch";
  EXPECT_EQ(engine().stats().jobs_failed, 5u);
  EXPECT_EQ(error_name(submit(job())), "ok");
}

TEST_F(EngineTest, AnExceptionBecomesAnError) {
  world.throw_in_compile = true;
  EXPECT_EQ(error_name(submit(job())), "out_of_memory");
  world.throw_in_compile = false;
  EXPECT_EQ(error_name(submit(job())), "ok");
}

TEST_F(EngineTest, NoDeviceIsAnErrorThatIsTriedAgain) {
  world.no_device = true;
  const auto result = wait(submit(job()));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_class, ErrorClass::NoDevice);
  EXPECT_FALSE(engine().adapter());
  world.no_device = false;
  std::this_thread::sleep_for(1100ms);  // the failure is kept for a second
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(engine().adapter()->name, "fake");
}

TEST_F(EngineTest, ALostDeviceIsOpenedAnew) {
  ASSERT_EQ(error_name(submit(job())), "ok");
  world.lose_device = true;
  EXPECT_EQ(error_name(submit(job())), "device_lost");
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.opens, 2);
  EXPECT_EQ(world.pipelines, 2);
}

TEST_F(EngineTest, TheTrapTellsOfAnExhaustedBudget) {
  world.with_trap = true;
  config.loop_budget = 1000;
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.budget, 1000u);
  EXPECT_EQ(world.group, 1u);
  world.trip_trap = true;
  const auto result = wait(submit(job()));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().error_class, ErrorClass::LoopBudgetExhausted);
  EXPECT_THAT(result.error().message, HasSubstr("1000"));
}

TEST_F(EngineTest, ImagesAreDecodedAndEncoded) {
  std::vector<uint8_t> pixels(3 * 2 * 4);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = i % 4 == 3 ? 100 : static_cast<uint8_t>(i);
  input = *encode_png(3, 2, pixels);
  Job image = job();
  image.image = true;
  std::vector<uint8_t> params{3, 0, 0, 0, 2, 0, 0, 0};
  image.params = params;
  image.dispatch = DispatchGrid{};
  const auto outcome = submit(image);
  const auto result = wait(outcome);
  ASSERT_TRUE(result) << result.error().message;
  const auto decoded = decode_image(outcome->bytes, 1u << 20);
  ASSERT_TRUE(decoded) << decoded.error().message;
  for (uint8_t& byte : pixels) byte = static_cast<uint8_t>(byte * 2);
  EXPECT_EQ(decoded->rgba, pixels);

  params[0] = 4;
  EXPECT_EQ(error_name(submit(image)), "invalid_params");
  params[0] = 3;
  input.resize(input.size() / 2);
  image.input = input;
  EXPECT_EQ(error_name(submit(image)), "invalid_input");
  std::vector<uint8_t> raw{1, 2, 3, 4};
  image.input = raw;
  const auto raw_outcome = submit(image);
  ASSERT_EQ(error_name(raw_outcome), "ok");
  EXPECT_THAT(raw_outcome->bytes, ElementsAre(2, 4, 6, 8));
}

TEST_F(EngineTest, AnyBindings) {
  std::vector<uint8_t> in{1, 2, 3, 4}, out(4);
  BindingJob bindings;
  bindings.wgsl = "source";
  bindings.bindings = {{0, 1, out}, {0, 0, in}};
  const auto result = engine().execute(bindings);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(out, ElementsAre(2, 4, 6, 8));
  bindings.bindings.pop_back();
  const auto missing = engine().execute(bindings);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().error_class, ErrorClass::InvalidBinding);
}

TEST_F(EngineTest, ManyThreadsSubmitAndCancel) {
  config.limits.queue_length = 4096;
  engine();
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> ended{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        JobId id = 0;
        const auto outcome = submit(job(i % 2 ? kId : kOtherId), &id);
        if ((i + t) % 3 == 0) engine().cancel(id);
        const std::string ending = error_name(outcome);
        ended += ending == "ok" || ending == "cancelled";
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ended, 800);
  EXPECT_EQ(engine().stats().queued, 0u);
}

}  // namespace
}  // namespace kem::core
