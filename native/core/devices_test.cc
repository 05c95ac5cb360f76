// Several devices: which one a job runs on, what is made ready where, what the loss of one leaves, and where buffers
// are. The devices are stand-ins.
#include "core/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fake_world.h"

namespace kem::core {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DevicesTest : public EngineTest {
 protected:
  DevicesTest() { world.devices = 2; }

  static Job on(Job job, size_t device) {
    job.device = device;
    return job;
  }
  // The device that the job ran on.
  static size_t ran_on(const std::shared_ptr<Outcome>& outcome) {
    const auto report = wait(outcome);
    EXPECT_TRUE(report) << report.error().message;
    return report ? report->device : 99;
  }
  template <class Condition>
  static void wait_until(Condition condition) {
    const auto end = Clock::now() + kHang;
    while (!condition() && Clock::now() < end) std::this_thread::sleep_for(1ms);
    EXPECT_TRUE(condition());
  }
  void wait_for_devices() {
    EXPECT_TRUE(engine().adapter());
    EXPECT_TRUE(engine().wait_for_devices(kHang));
  }
  // A job that stays on the device until the gate is opened.
  std::shared_ptr<Outcome> hold(size_t device, Gate& gate) {
    world.one[device].run_gate = &gate;
    auto outcome = submit(on(job(), device));
    EXPECT_TRUE(gate.wait_arrived(1));
    return outcome;
  }
  BufferReference buffer(std::optional<size_t> device = {}, uint64_t bytes = 4) {
    auto made = engine().make_buffer(bytes, device);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : nullptr;
  }
  std::shared_ptr<Outcome> submit_chain(Chain chain) {
    auto outcome = std::make_shared<Outcome>();
    const auto submitted = engine().submit(std::move(chain), std::make_unique<TestClient>(outcome), 0ns);
    if (!submitted) outcome->promise.set_value(fail(submitted.error()));
    return outcome;
  }
  // From bytes, or a buffer, to a buffer, if there is one.
  Chain chain(BufferReference from, BufferReference to) const {
    Chain chain;
    chain.kernels = {{KernelId{kId}, "main", {}}};
    chain.order = {0};
    Chain::Step& step = chain.steps.emplace_back();
    step.input = std::span<const uint8_t>(input);
    if (from) step.input = std::move(from);
    if (to) step.output = std::move(to);
    return chain;
  }
  std::vector<uint64_t> resident_bytes() {
    std::vector<uint64_t> bytes;
    for (const DeviceStats& device : engine().stats().devices) bytes.push_back(device.resident_bytes);
    return bytes;
  }
};

TEST_F(DevicesTest, OneJobAfterAnotherStaysWhereItsKernelIs) {
  wait_for_devices();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ran_on(submit(job())), 0u);
  EXPECT_EQ(world.one[0].pipelines, 1);
  EXPECT_EQ(world.one[1].pipelines, 0);
}

TEST_F(DevicesTest, AKernelIsGotReadyElsewhereAndRunsWhereTheLeastIsInFlight) {
  wait_for_devices();
  ASSERT_EQ(ran_on(submit(job())), 0u);
  Gate& gate = world.new_gate();
  const auto held = hold(0, gate);
  const auto next = submit(job());  // here, as it is ready here, or there, if this takes long
  wait_until([&] { return world.one[1].pipelines == 1; });
  EXPECT_EQ(ran_on(submit(job())), 1u);
  EXPECT_EQ(ran_on(submit(job())), 1u);
  EXPECT_EQ(world.compiles, 1) << "the devices are alike: they share the SPIR-V";
  EXPECT_EQ(world.fetches, 1);
  EXPECT_EQ(engine().stats().devices[0].in_flight_bytes % 8, 0u);
  EXPECT_GE(engine().stats().devices[0].jobs_in_flight, 1u);
  EXPECT_EQ(engine().stats().devices[1].jobs_in_flight, 0u);
  gate.open();
  EXPECT_EQ(error_name(held), "ok");
  EXPECT_EQ(error_name(next), "ok");
  EXPECT_EQ(ran_on(submit(job())), 0u) << "the lower index, where nothing is in flight";
  EXPECT_EQ(world.one[1].pipelines, 1);
}

TEST_F(DevicesTest, WhereADeviceIsAtSomethingLongAJobWaitsForAnother) {
  wait_for_devices();
  ASSERT_EQ(ran_on(submit(job())), 0u);
  Gate& gate = world.new_gate();
  Gate& pipeline_gate = world.new_gate();
  world.one[1].pipeline_gate = &pipeline_gate;
  const auto held = hold(0, gate);
  std::this_thread::sleep_for(50ms);  // long enough to be long
  const auto waits = submit(job());
  ASSERT_TRUE(pipeline_gate.wait_arrived(1));
  EXPECT_EQ(waits->done, 0);
  pipeline_gate.open();
  EXPECT_EQ(ran_on(waits), 1u);
  EXPECT_EQ(held->done, 0);
  gate.open();
  EXPECT_EQ(error_name(held), "ok");
}

TEST_F(DevicesTest, DevicesThatDifferAreCompiledFor) {
  world.one[1].shared_bytes = 32768;
  EXPECT_EQ(ran_on(submit(on(job(), 0))), 0u);
  Gate& gate = world.new_gate();
  const auto held = hold(0, gate);
  const auto next = submit(job());
  wait_until([&] { return world.one[1].pipelines == 1; });
  EXPECT_EQ(world.compiles, 2);
  EXPECT_EQ(ran_on(submit(job())), 1u);
  gate.open();
  EXPECT_EQ(error_name(held), "ok");
  EXPECT_EQ(error_name(next), "ok");
}

TEST_F(DevicesTest, Pinned) {
  for (const size_t device : {1, 0, 1, 1, 0}) EXPECT_EQ(ran_on(submit(on(job(), device))), device);
  EXPECT_EQ(world.one[0].runs, 2);
  EXPECT_EQ(world.one[1].runs, 3);
  Chain pinned = chain(nullptr, nullptr);
  pinned.device = 1;
  EXPECT_EQ(ran_on(submit_chain(pinned)), 1u);
  const auto none = wait(submit(on(job(), 2)));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().error_class, ErrorClass::InvalidArgument);
  EXPECT_EQ(none.error().message, "there is no device 2: the engine has 2, counted from 0");
  EXPECT_EQ(error_name(submit(on(job(), size_t{1} << 40))), "invalid_argument");
  const auto stats = engine().stats();
  EXPECT_EQ(stats.devices[0].jobs_done, 2u);
  EXPECT_EQ(stats.devices[1].jobs_done, 4u);
  EXPECT_EQ(stats.devices[1].info.name, "fake 1");
  EXPECT_EQ(stats.jobs_done, 6u);
}

// What is remembered of a device that there is not is not taken for another's.
TEST_F(DevicesTest, PinnedToWhatIsNotThere) {
  wait_for_devices();
  for (const size_t device : {size_t{31}, size_t{32}, size_t{33}, size_t{1} << 40})
    EXPECT_EQ(error_name(submit(on(job(kOtherId), device))), "invalid_argument");
  for (const size_t device : {0, 1}) EXPECT_EQ(ran_on(submit(on(job(kOtherId), device))), device);
}

TEST_F(DevicesTest, WhatADeviceCannotRunAnotherDoes) {
  wait_for_devices();
  world.one[0].unsupported = true;
  EXPECT_EQ(ran_on(submit(job())), 1u);
  EXPECT_EQ(error_name(submit(on(job(), 0))), "unsupported_kernel");
  EXPECT_EQ(ran_on(submit(job())), 1u);
  world.one[1].unsupported = true;
  EXPECT_EQ(error_name(submit_chain(chain(nullptr, nullptr))), "ok") << "it is ready there";
  Chain other = chain(nullptr, nullptr);
  other.kernels[0].constants = {{"n", 1.0}};
  EXPECT_EQ(error_name(submit_chain(other)), "unsupported_kernel");
  world.one[1].unsupported = false;
  EXPECT_EQ(ran_on(submit_chain(other)), 1u);
}

TEST_F(DevicesTest, AJobThatWaitedForADeviceThatRefusesGoesBack) {
  wait_for_devices();
  ASSERT_EQ(ran_on(submit(job())), 0u);
  Gate& gate = world.new_gate();
  Gate& pipeline_gate = world.new_gate();
  world.one[1].pipeline_gate = &pipeline_gate;
  world.one[1].unsupported = true;
  const auto held = hold(0, gate);
  std::this_thread::sleep_for(50ms);
  const auto waits = submit(job());
  ASSERT_TRUE(pipeline_gate.wait_arrived(1));
  pipeline_gate.open();
  wait_until([&] { return engine().stats().devices[0].jobs_in_flight == 2; });
  const auto next = submit(job());
  gate.open();
  EXPECT_EQ(ran_on(waits), 0u);
  EXPECT_EQ(ran_on(next), 0u);
  EXPECT_EQ(error_name(held), "ok");
  EXPECT_EQ(world.one[1].pipelines, 1) << "a refusal is not asked for again";
}

TEST_F(DevicesTest, AChainRunsOnOneDevice) {
  wait_for_devices();
  Job text = job();
  text.kernel = KernelText{"one"};
  ASSERT_EQ(ran_on(submit(on(text, 0))), 0u);
  text.kernel = KernelText{"two"};
  ASSERT_EQ(ran_on(submit(on(text, 1))), 1u);
  Chain both = chain(nullptr, nullptr);
  both.kernels = {{KernelText{"one"}, "main", {}}, {KernelText{"two"}, "main", {}}};
  both.steps.push_back(both.steps[0]);
  both.steps[1].kernel = 1;
  both.order = {0, 1, 0};
  EXPECT_EQ(ran_on(submit_chain(both)), 0u);
  EXPECT_EQ(world.one[0].pipelines, 2);
  EXPECT_EQ(world.one[1].pipelines, 1);
  // Where more is in flight: got ready elsewhere, or run there if that takes long.
  Gate& gate = world.new_gate();
  const auto held = hold(0, gate);
  const auto next = submit_chain(both);
  wait_until([&] { return world.one[1].pipelines == 2; });
  EXPECT_EQ(ran_on(submit_chain(both)), 1u);
  gate.open();
  EXPECT_EQ(error_name(held), "ok");
  EXPECT_EQ(error_name(next), "ok");
}

TEST_F(DevicesTest, TheFirstThatIsOpenServes) {
  Gate& gate = world.new_gate();
  world.one[0].open_gate = &gate;
  EXPECT_EQ(ran_on(submit(job())), 1u);
  EXPECT_EQ(ran_on(submit_chain(chain(nullptr, nullptr))), 1u);
  EXPECT_TRUE(buffer());
  EXPECT_FALSE(engine().wait_for_devices(1ms));
  const auto stats = engine().stats();
  ASSERT_EQ(stats.devices.size(), 2u);
  EXPECT_FALSE(stats.devices[0].open);
  EXPECT_EQ(stats.devices[0].info.name, "chosen 0");
  const auto pinned = submit(on(job(), 0));
  EXPECT_TRUE(gate.wait_arrived(1));
  EXPECT_EQ(pinned->done, 0);
  gate.open();
  EXPECT_EQ(ran_on(pinned), 0u);
  EXPECT_EQ(engine().adapter()->name, "fake");
}

TEST_F(DevicesTest, OneThatCannotBeOpenedIsDoneWithout) {
  world.one[0].fails_to_open = true;
  EXPECT_EQ(ran_on(submit(job())), 1u);
  EXPECT_EQ(engine().adapter()->name, "fake 1");
  EXPECT_EQ(error_name(submit(on(job(), 0))), "no_device");
  world.one[0].fails_to_open = false;
  // Nobody waits for it: jobs that run elsewhere see to it that it is tried again.
  wait_until([&] { return ran_on(submit(job())) <= 1 && engine().stats().devices[0].open; });
  EXPECT_EQ(ran_on(submit(on(job(), 0))), 0u);
}

TEST_F(DevicesTest, TheOthersGoOnWhenOneIsLost) {
  ASSERT_EQ(ran_on(submit(on(job(), 0))), 0u);
  ASSERT_EQ(ran_on(submit(on(job(), 1))), 1u);
  const auto lost_buffer = buffer(0);
  const auto kept_buffer = buffer(1);
  Gate& gate = world.new_gate();
  world.one[0].open_gate = &gate;
  world.one[0].lose = true;
  EXPECT_EQ(error_name(submit(job())), "device_lost");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ran_on(submit(job())), 1u);
  ASSERT_TRUE(gate.wait_arrived(1)) << "it is opened though nobody waits for it";
  EXPECT_FALSE(engine().stats().devices[0].open);
  EXPECT_EQ(engine().stats().devices[0].losses, 1u);
  EXPECT_EQ(error_name(submit_chain(chain(lost_buffer, nullptr))), "device_lost");
  EXPECT_EQ(ran_on(submit_chain(chain(kept_buffer, nullptr))), 1u);
  gate.open();
  EXPECT_EQ(ran_on(submit(on(job(), 0))), 0u);
  EXPECT_EQ(world.one[0].opens, 2);
  EXPECT_EQ(world.one[0].pipelines, 2);
  EXPECT_EQ(world.one[1].opens, 1);
  EXPECT_EQ(engine().stats().devices[1].losses, 0u);
}

// The job may have ended, and its device be given up, before the thread that started it has come back.
TEST_F(DevicesTest, ADeviceStaysAsLongAsItStartsAJob) {
  ASSERT_EQ(ran_on(submit(on(job(), 0))), 0u);
  ASSERT_EQ(ran_on(submit(on(job(), 1))), 1u);
  Gate& gate = world.new_gate();
  world.one[0].start_gate = &gate;
  world.one[0].lose = true;
  std::thread caller([&] { EXPECT_EQ(error_name(submit(on(job(), 0))), "device_lost"); });
  ASSERT_TRUE(gate.wait_arrived(1));
  wait_until([&] { return ran_on(submit(on(job(), 1))) == 1 && world.one[0].opens == 2; });
  gate.open();
  caller.join();
}

TEST_F(DevicesTest, BuffersAreSpreadAndWhatUsesThemFollows) {
  wait_for_devices();
  const auto first = buffer({}, 8), second = buffer({}, 4), third = buffer({}, 8), fourth = buffer({}, 4);
  EXPECT_THAT(resident_bytes(), ElementsAre(12, 12));
  EXPECT_EQ(ran_on(submit_chain(chain(first, nullptr))), 0u);
  EXPECT_EQ(ran_on(submit_chain(chain(second, nullptr))), 1u);
  EXPECT_EQ(ran_on(submit_chain(chain(second, third))), 1u);
  const auto pinned = buffer(1, 100);
  EXPECT_THAT(resident_bytes(), ElementsAre(12, 112));
  EXPECT_EQ(ran_on(submit_chain(chain(nullptr, pinned))), 1u);
  EXPECT_FALSE(engine().make_buffer(4, 2));

  const auto mixed = wait(submit_chain(chain(first, second)));
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().error_class, ErrorClass::InvalidArgument);
  EXPECT_THAT(mixed.error().message, HasSubstr("devices 0 and 1"));
  Chain elsewhere = chain(first, nullptr);
  elsewhere.device = 1;
  const auto wrong = wait(submit_chain(elsewhere));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().error_class, ErrorClass::InvalidArgument);
  EXPECT_THAT(wrong.error().message, HasSubstr("on device 0, but the call is to run on device 1"));
  elsewhere.device = 0;
  EXPECT_EQ(ran_on(submit_chain(elsewhere)), 0u);
}

TEST_F(DevicesTest, AFullDeviceLeavesABufferToAnother) {
  wait_for_devices();
  world.one[0].no_memory = true;
  const auto made = buffer();
  EXPECT_THAT(resident_bytes(), ElementsAre(0, 4));
  const auto pinned = engine().make_buffer(4, 0);
  ASSERT_FALSE(pinned);
  EXPECT_EQ(pinned.error().error_class, ErrorClass::OutOfMemory);
  world.one[1].no_memory = true;
  EXPECT_FALSE(engine().make_buffer(4));
  EXPECT_EQ(engine().stats().resident_bytes, 4u);
  EXPECT_THAT(resident_bytes(), ElementsAre(0, 4));
}

TEST_F(DevicesTest, ShutdownWhileDevicesAreBeingOpened) {
  Gate& gate = world.new_gate();
  world.one[1].open_gate = &gate;
  EXPECT_EQ(ran_on(submit(job())), 0u);
  ASSERT_TRUE(gate.wait_arrived(1));
  const auto pinned = submit(on(job(), 1));
  std::thread closer([&] { engine_.reset(); });
  gate.open();
  closer.join();
  EXPECT_THAT(error_name(pinned), ::testing::AnyOf("ok", "cancelled"));
  EXPECT_EQ(world.live_pipelines, 0);
}

TEST_F(DevicesTest, ManyThreadsOnThreeDevicesOfWhichOneIsLostNowAndThen) {
  world.devices = 3;
  config.limits.queue_length = 4096;
  wait_for_devices();
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> ended{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 150; ++i) {
        if (t == 0 && i % 50 == 49) world.one[1].lose = true;
        Job next = job(i % 2 ? kId : kOtherId);
        if (i % 7 == 0) next.device = static_cast<size_t>(i % 3);
        JobId id = 0;
        const auto outcome = i % 5 == 0 ? submit_chain(chain(nullptr, nullptr)) : submit(next, &id);
        if ((i + t) % 11 == 0 && id != 0) engine().cancel(id);
        const std::string ending = error_name(outcome);
        ended += ending == "ok" || ending == "cancelled" || ending == "device_lost";
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ended, 600);
  const auto stats = engine().stats();
  EXPECT_EQ(stats.queued, 0u);
  for (const DeviceStats& device : stats.devices) {
    EXPECT_EQ(device.jobs_in_flight, 0u);
    EXPECT_EQ(device.in_flight_bytes, 0u);
  }
}

}  // namespace
}  // namespace kem::core
