// Resident buffers and chains: the lines at buffers, who frees them, what is refused, and what may be in flight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/fake_world.h"

namespace kem::core {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kMiB = 1u << 20;

class ResidentsTest : public EngineTest {
 protected:
  BufferReference buffer(std::vector<uint8_t> bytes) {
    auto made = engine().make_buffer(bytes.size());
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    if (!made) return nullptr;
    EXPECT_EQ(error_name(write(*made, 0, bytes)), "ok");
    return *made;
  }

  template <class Submit>
  std::shared_ptr<Outcome> submit_with(Submit submit, JobId* id = nullptr) {
    auto outcome = std::make_shared<Outcome>();
    const Result<JobId> submitted = submit(std::make_unique<TestClient>(outcome));
    if (submitted && id != nullptr) *id = *submitted;
    if (!submitted) outcome->promise.set_value(fail(submitted.error()));
    return outcome;
  }
  std::shared_ptr<Outcome> submit_chain(Chain chain, JobId* id = nullptr) {
    return submit_with([&](auto client) { return engine().submit(std::move(chain), std::move(client), 0ns); }, id);
  }
  std::shared_ptr<Outcome> write(const BufferReference& to, uint64_t offset, std::span<const uint8_t> bytes,
                                 JobId* id = nullptr) {
    return submit_with([&](auto client) { return engine().write(to, offset, bytes, std::move(client)); }, id);
  }
  std::shared_ptr<Outcome> read(const BufferReference& from, uint64_t offset, uint64_t bytes, JobId* id = nullptr) {
    return submit_with([&](auto client) { return engine().read(from, offset, bytes, std::move(client)); }, id);
  }
  std::vector<uint8_t> contents(const BufferReference& of) {
    const auto outcome = read(of, 0, of->size());
    EXPECT_EQ(error_name(outcome), "ok");
    return outcome->bytes;
  }

  // One kernel, the steps given, each once.
  static Chain chain(std::vector<Chain::Step> steps, std::string text = "source") {
    Chain out;
    out.kernels.push_back({KernelText{std::move(text)}, "main", {}});
    out.steps = std::move(steps);
    for (size_t i = 0; i < out.steps.size(); ++i) out.order.push_back(static_cast<uint32_t>(i));
    return out;
  }
  template <class Input, class Output>
  static Chain::Step step(Input in, Output out) {
    Chain::Step made;
    made.input = std::move(in);
    made.output = std::move(out);
    return made;
  }
  std::span<const uint8_t> bytes() const { return input; }
};

TEST_F(ResidentsTest, BytesGoInAndComeOut) {
  const auto made = engine().make_buffer(7);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->size(), 7u);
  EXPECT_THAT(contents(*made), Each(0));
  EXPECT_EQ(error_name(write(*made, 2, bytes())), "ok");
  EXPECT_THAT(contents(*made), ElementsAre(0, 0, 1, 3, 5, 7, 0));
  const auto part = read(*made, 3, 2);
  ASSERT_EQ(error_name(part), "ok");
  EXPECT_THAT(part->bytes, ElementsAre(3, 5));
  EXPECT_EQ(error_name(read(*made, 7, 0)), "ok");
  EXPECT_EQ(error_name(read(*made, 7, 1)), "invalid_argument");
  EXPECT_EQ(error_name(read(*made, 8, 0)), "invalid_argument");
  EXPECT_EQ(error_name(read(*made, 1, UINT64_MAX)), "invalid_argument");
  EXPECT_EQ(error_name(write(*made, 4, bytes())), "invalid_argument");
  EXPECT_EQ(error_name(read(nullptr, 0, 0)), "invalid_argument");
}

TEST_F(ResidentsTest, LimitsOfCopiesAreThoseOfCalls) {
  config.limits.input_bytes = 3;
  config.limits.output_bytes = 2;
  const auto made = engine().make_buffer(8);
  ASSERT_TRUE(made);
  EXPECT_EQ(error_name(write(*made, 0, bytes())), "input_too_large");
  EXPECT_EQ(error_name(write(*made, 0, bytes().first(3))), "ok");
  EXPECT_EQ(error_name(read(*made, 0, 3)), "output_too_large");
  EXPECT_EQ(error_name(read(*made, 0, 2)), "ok");
}

TEST_F(ResidentsTest, AChainPassesItsBytesOn) {
  const auto a = buffer({1, 2, 3, 4, 5});
  const auto b = buffer({0, 0, 0, 0, 0});
  const auto outcome = submit_chain(chain({step(a, b), step(b, a), step(a, OutputHint{1})}));
  const auto result = wait(outcome);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(world.runs, 1);
  EXPECT_EQ(world.steps, 3);
  EXPECT_EQ(world.independent, 0);
  ASSERT_EQ(outcome->all.size(), 1u);
  EXPECT_THAT(outcome->all[0], ElementsAre(8, 16, 24, 32, 40));
  EXPECT_THAT(contents(a), ElementsAre(4, 8, 12, 16, 20));
  EXPECT_THAT(contents(b), ElementsAre(2, 4, 6, 8, 10));
  EXPECT_EQ(result->kernel_origin, "text");
  EXPECT_EQ(result->warnings, "a warning");
  EXPECT_EQ(result->times.front_end, 5us);
  EXPECT_EQ(engine().stats().in_flight_bytes, 0u);
}

TEST_F(ResidentsTest, AStepMayComeOften) {
  const auto a = buffer({1, 1, 1, 1});
  const auto b = buffer({0, 0, 0, 0});
  Chain often = chain({step(a, b), step(b, a), step(bytes(), OutputHint{1})});
  often.order = {0, 1, 0, 1, 0, 2, 2};
  const auto outcome = submit_chain(std::move(often));
  ASSERT_EQ(error_name(outcome), "ok");
  EXPECT_EQ(world.steps, 7);
  EXPECT_THAT(contents(b), ElementsAre(32, 32, 32, 32));
  EXPECT_THAT(outcome->all, ElementsAre(ElementsAre(2, 6, 10, 14), ElementsAre(2, 6, 10, 14)));
}

TEST_F(ResidentsTest, IndependentSteps) {
  std::vector<std::vector<uint8_t>> inputs;
  inputs.reserve(100);
  std::vector<Chain::Step> steps;
  steps.reserve(100);
  for (uint8_t i = 1; i <= 100; ++i) inputs.push_back({i, i, i});
  for (const auto& each : inputs) steps.push_back(step(std::span<const uint8_t>(each), OutputHint{1}));
  Chain many = chain(std::move(steps));
  many.independent = true;
  const auto outcome = submit_chain(std::move(many));
  ASSERT_EQ(error_name(outcome), "ok");
  EXPECT_EQ(world.runs, 1);
  EXPECT_EQ(world.independent, 1);
  ASSERT_EQ(outcome->all.size(), 100u);
  for (size_t i = 0; i < 100; ++i) EXPECT_THAT(outcome->all[i], ElementsAre(2 * i + 2, 2 * i + 2, 2 * i + 2));
}

TEST_F(ResidentsTest, NoStepsAreDoneAtOnce) {
  const auto outcome = submit_chain(chain({}));
  EXPECT_EQ(error_name(outcome), "ok");
  EXPECT_TRUE(outcome->all.empty());
  EXPECT_EQ(world.compiles, 0);
}

TEST_F(ResidentsTest, AKernelMayChangeABufferInPlace) {
  const auto a = buffer({1, 2, 3, 4});
  Chain in_place = chain({step(std::monostate(), a)}, "in place");
  in_place.order = {0, 0, 0};
  EXPECT_EQ(error_name(submit_chain(in_place)), "ok");
  EXPECT_THAT(contents(a), ElementsAre(8, 16, 24, 32));
  EXPECT_EQ(error_name(submit_chain(chain({step(std::monostate(), a)}))), "invalid_binding");
  EXPECT_EQ(error_name(submit_chain(chain({step(std::monostate(), OutputHint{1})}, "in place"))), "invalid_argument");
  EXPECT_EQ(error_name(submit_chain(chain({step(std::monostate(), OutputBytes{4})}, "in place"))), "ok");
}

TEST_F(ResidentsTest, WhatAChainMayNotBe) {
  config.limits.chain_steps = 3;
  const auto a = buffer({1, 2, 3, 4});
  const auto message = [&](Chain bad) {
    const auto result = wait(submit_chain(std::move(bad)));
    return result ? "ok" : std::string(name(result.error().error_class)) + ": " + result.error().message;
  };
  EXPECT_THAT(message(chain({step(a, a)})), HasSubstr("invalid_argument: one buffer is both"));
  EXPECT_THAT(message(chain({step(bytes(), a), step(a, a)})), HasSubstr("invalid_argument: step 2: one buffer"));
  Chain kernel = chain({step(bytes(), a)});
  kernel.steps[0].kernel = 1;
  EXPECT_THAT(message(kernel), HasSubstr("no such kernel"));
  Chain missing = chain({step(bytes(), a)});
  missing.order = {1};
  EXPECT_THAT(message(missing), HasSubstr("no such step"));
  Chain longest = chain({step(bytes(), a)});
  longest.order = {0, 0, 0};
  EXPECT_EQ(message(longest), "ok");
  longest.order.push_back(0);
  EXPECT_THAT(message(longest), HasSubstr("4 steps, more than the limit of 3"));
  EXPECT_THAT(message(chain({step(bytes(), a), step(a, OutputBytes{0})})), HasSubstr("step 2: the output size is 0"));
  EXPECT_THAT(message(chain({step(BufferReference(), a)})), HasSubstr("no buffer"));
  Chain id = chain({step(bytes(), a)});
  id.kernels[0].id = KernelId{"short"};
  EXPECT_THAT(message(id), HasSubstr("invalid_kernel_id"));
  id.kernels[0].id = KernelText{"bad"};
  EXPECT_THAT(message(id), HasSubstr("invalid_kernel: "));
  EXPECT_EQ(engine().stats().in_flight_bytes, 0u);
}

TEST_F(ResidentsTest, EveryKernelOfAChainIsMadeReadyOnce) {
  const auto a = buffer({1, 2, 3, 4});
  Chain several = chain({step(bytes(), a), step(a, OutputHint{1}), step(a, OutputHint{1}), step(a, OutputHint{1})});
  several.kernels.push_back({KernelText{"another"}, "main", {}});
  several.kernels.push_back({KernelId{kId}, "main", {}});
  several.kernels.push_back({KernelText{"another"}, "main", {}});
  for (size_t i = 0; i < 4; ++i) several.steps[i].kernel = i;
  Gate& gate = world.new_gate();
  world.compile_gate = &gate;
  const auto first = submit_chain(several);
  const auto second = submit_chain(several);
  ASSERT_TRUE(gate.wait_arrived(1));
  EXPECT_EQ(first->done, 0);
  gate.open();
  EXPECT_EQ(error_name(first), "ok");
  EXPECT_EQ(error_name(second), "ok");
  EXPECT_EQ(world.fetches, 1);
  EXPECT_LE(world.compiles, 3);  // the id may be compiled beside its text
  EXPECT_GE(world.compiles, 2);
}

TEST_F(ResidentsTest, OneBadKernelEndsTheChain) {
  const auto a = buffer({1, 2, 3, 4});
  Gate& gate = world.new_gate();
  world.fetch_gate = &gate;
  Chain several = chain({step(bytes(), a), step(a, OutputHint{1})});
  several.kernels.push_back({KernelText{"bad"}, "main", {}});
  several.kernels.push_back({KernelId{kId}, "main", {}});
  several.steps[1].kernel = 1;
  EXPECT_EQ(error_name(submit_chain(several)), "invalid_kernel");
  // The fetch that nobody waits for any more ends by itself; another of the same kernel begins.
  world.fetch_gate = nullptr;
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.fetches, 2);
}

TEST_F(ResidentsTest, ABriefWarmChainIsStartedByItsSubmitter) {
  const auto a = buffer({1, 2, 3, 4});
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), a)}))), "ok");
  EXPECT_EQ(world.started_by_submitter, 0);
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), a)}))), "ok");
  EXPECT_EQ(world.started_by_submitter, 1);
  const auto outcome = std::make_shared<Outcome>();
  ASSERT_TRUE(engine().submit(chain({step(a, OutputHint{1})}), std::make_unique<TestClient>(outcome), 70us));
  EXPECT_EQ(outcome->done, 1);
  EXPECT_EQ(outcome->told_by.load(), world.submitter);
  EXPECT_EQ(error_name(outcome), "ok");
  world.prepared = false;
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), a)}))), "ok");
  world.prepared = true;
  Chain longer = chain({step(bytes(), a)});
  longer.order.assign(17, 0);
  ASSERT_EQ(error_name(submit_chain(longer)), "ok");
  EXPECT_EQ(world.started_by_submitter, 2);
}

// The device goes on with what was cancelled, so the next one has to wait for that too.
TEST_F(ResidentsTest, ACancelledJobsTurnEndsWhenTheDeviceHasEndedIt) {
  const auto a = buffer({1, 0, 0, 0});
  const auto b = buffer({0, 0, 0, 0});
  Gate& gate = world.new_gate();
  Gate& abandoned = world.new_gate();
  world.run_gate = &gate;
  world.abandoned_gate = &abandoned;
  JobId id = 0;
  const auto first = submit_chain(chain({step(a, b)}), &id);
  ASSERT_TRUE(gate.wait_arrived(1));
  const auto copies = world.copies.load();
  const auto second = read(b, 0, 4);
  const auto beside = read(a, 0, 4);  // the cancelled job only reads it
  EXPECT_EQ(error_name(beside), "ok");
  engine().cancel(id);
  EXPECT_EQ(error_name(first), "cancelled");
  ASSERT_TRUE(abandoned.wait_arrived(1));
  const std::vector<uint8_t> seven{7};
  const auto third = write(a, 0, seven);
  EXPECT_EQ(error_name(read(buffer({1, 2, 3, 4}), 0, 4)), "ok");  // others go on
  EXPECT_EQ(second->done, 0);
  EXPECT_EQ(third->done, 0);
  abandoned.open();
  EXPECT_EQ(error_name(second), "ok");
  EXPECT_EQ(error_name(third), "ok");
  EXPECT_GT(world.copies, copies);
}

// An engine that ends while the device is at work on what was cancelled.
TEST_F(ResidentsTest, ACancelledJobsTurnMayOutliveTheEngine) {
  const auto a = buffer({1, 0, 0, 0});
  Gate& gate = world.new_gate();
  Gate& abandoned = world.new_gate();
  world.run_gate = &gate;
  world.abandoned_gate = &abandoned;
  JobId id = 0;
  const auto first = submit_chain(chain({step(bytes(), a)}), &id);
  ASSERT_TRUE(gate.wait_arrived(1));
  engine().cancel(id);
  EXPECT_EQ(error_name(first), "cancelled");
  ASSERT_TRUE(abandoned.wait_arrived(1));
  std::jthread opener([&] {
    std::this_thread::sleep_for(50ms);
    abandoned.open();
  });
  engine_.reset();
}

TEST_F(ResidentsTest, ABuffersUsersTakeTurns) {
  const auto a = buffer({1, 0, 0, 0});
  const auto b = buffer({0, 0, 0, 0});
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), OutputHint{1})}))), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  const auto first = submit_chain(chain({step(a, b)}));
  ASSERT_TRUE(gate.wait_arrived(1));
  const auto copies = world.copies.load();
  const auto second = submit_chain(chain({step(b, a)}));
  const std::vector<uint8_t> hundred{100};
  const auto third = write(b, 0, hundred);
  const auto fourth = read(b, 0, 4);
  const auto fifth = read(a, 0, 4);
  EXPECT_EQ(world.copies, copies);
  EXPECT_EQ(world.runs, 2);
  gate.open();
  EXPECT_EQ(error_name(first), "ok");
  EXPECT_EQ(error_name(fourth), "ok");
  EXPECT_THAT(fourth->bytes, ElementsAre(100, 0, 0, 0));
  EXPECT_EQ(error_name(fifth), "ok");
  EXPECT_THAT(fifth->bytes, ElementsAre(4, 0, 0, 0)) << "twice what the first wrote, not what the third did";
  EXPECT_EQ(error_name(second), "ok");
  EXPECT_EQ(error_name(third), "ok");
}

TEST_F(ResidentsTest, ReadersOfABufferRunTogether) {
  const auto a = buffer({1, 2, 3, 4});
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), OutputHint{1})}))), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  const auto first = submit_chain(chain({step(a, OutputHint{1})}));
  const auto second = submit_chain(chain({step(a, OutputHint{1})}));
  const auto writer = write(a, 0, bytes());
  const auto late = submit_chain(chain({step(a, OutputHint{1})}));
  EXPECT_TRUE(gate.wait_arrived(2)) << "both readers";
  EXPECT_EQ(writer->done, 0);
  gate.open();
  for (const auto& each : {first, second}) {
    ASSERT_EQ(error_name(each), "ok");
    EXPECT_THAT(each->all[0], ElementsAre(2, 4, 6, 8));
  }
  EXPECT_EQ(error_name(writer), "ok");
  ASSERT_EQ(error_name(late), "ok");
  EXPECT_THAT(late->all[0], ElementsAre(2, 6, 10, 14));
}

TEST_F(ResidentsTest, OthersAreNotHeldUpByALine) {
  const auto a = buffer({1, 2, 3, 4});
  const auto b = buffer({1, 2, 3, 4});
  ASSERT_EQ(error_name(submit(job())), "ok");
  Gate& gate = world.new_gate();
  world.copy_gate = &gate;
  const auto slow = read(a, 0, 4);
  ASSERT_TRUE(gate.wait_arrived(1));
  const auto behind = submit_chain(chain({step(b, a)}));
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(behind->done, 0);
  gate.open();
  EXPECT_EQ(error_name(slow), "ok");
  EXPECT_EQ(error_name(behind), "ok");
}

TEST_F(ResidentsTest, WaitingInLineEndsWithCancelDeadlineAndFailureOfOthers) {
  const auto a = buffer({1, 2, 3, 4});
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), OutputHint{1})}))), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  JobId running = 0, waiting = 0;
  const auto first = submit_chain(chain({step(bytes(), a)}), &running);
  ASSERT_TRUE(gate.wait_arrived(1));
  const auto cancelled = read(a, 0, 4, &waiting);
  Chain brief = chain({step(a, OutputHint{1})});
  brief.time_limit = 20ms;
  const auto late = submit_chain(brief);
  const auto last = read(a, 0, 4);
  engine().cancel(waiting);
  EXPECT_EQ(error_name(cancelled), "cancelled");
  EXPECT_EQ(error_name(late), "timeout");
  EXPECT_EQ(last->done, 0);
  engine().cancel(running);
  EXPECT_EQ(error_name(first), "cancelled");
  EXPECT_EQ(error_name(last), "ok");
  EXPECT_EQ(engine().stats().queued, 0u);
  EXPECT_EQ(engine().stats().in_flight_bytes, 0u);
}

TEST_F(ResidentsTest, ShutdownEndsWhatWaitsInLine) {
  auto a = buffer({1, 2, 3, 4});
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), OutputHint{1})}))), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  const auto running = submit_chain(chain({step(bytes(), a)}));
  ASSERT_TRUE(gate.wait_arrived(1));
  const auto waiting = read(a, 0, 4);
  engine_.reset();
  EXPECT_EQ(error_name(running), "cancelled");
  EXPECT_EQ(error_name(waiting), "cancelled");
  EXPECT_EQ(world.live_buffers, 0) << "the engine's end frees what is still referred to";
  a.reset();
}

TEST_F(ResidentsTest, ABufferOfAnotherEngineIsGone) {
  const auto a = buffer({1, 2, 3, 4});
  engine_.reset();
  EXPECT_EQ(error_name(read(a, 0, 4)), "device_lost");
  EXPECT_EQ(error_name(submit_chain(chain({step(bytes(), a)}))), "device_lost");
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.opens, 2);
}

TEST_F(ResidentsTest, AJobKeepsItsBuffers) {
  auto a = buffer({1, 2, 3, 4});
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), OutputHint{1})}))), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  const auto running = submit_chain(chain({step(a, OutputHint{1})}));
  const auto waiting = write(a, 0, bytes());
  a.reset();
  ASSERT_TRUE(gate.wait_arrived(1));
  EXPECT_EQ(world.live_buffers, 1);
  gate.open();
  EXPECT_EQ(error_name(running), "ok");
  EXPECT_EQ(error_name(waiting), "ok");
  while (world.live_buffers != 0) std::this_thread::yield();
  EXPECT_EQ(world.freed_by_submitter, 0);
}

TEST_F(ResidentsTest, WhatNobodyRefersToIsFreedElsewhere) {
  config.limits.resident_bytes = 8 * kMiB;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(engine().make_buffer(kMiB)) << i;
  while (engine().stats().resident_bytes != 0) std::this_thread::yield();
  EXPECT_EQ(world.live_buffers, 0);
}

TEST_F(ResidentsTest, BytesOfAllBuffersAreBounded) {
  config.limits.resident_bytes = 10;
  auto a = engine().make_buffer(6);
  ASSERT_TRUE(a);
  const auto over = engine().make_buffer(5);
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().error_class, ErrorClass::OutOfMemory);
  EXPECT_THAT(over.error().message, HasSubstr("6 bytes already, 5 more are over the limit of 10"));
  ASSERT_TRUE(engine().make_buffer(4));
  EXPECT_FALSE(engine().make_buffer(UINT64_MAX));
  EXPECT_FALSE(engine().make_buffer(0));
}

TEST_F(ResidentsTest, ALostDevicesBuffersAreLost) {
  const auto a = buffer({1, 2, 3, 4});
  world.lose_device = true;
  EXPECT_EQ(error_name(submit_chain(chain({step(a, OutputHint{1})}))), "device_lost");
  EXPECT_EQ(error_name(submit_chain(chain({step(a, OutputHint{1})}))), "device_lost");
  EXPECT_EQ(error_name(read(a, 0, 4)), "device_lost");
  EXPECT_EQ(world.opens, 1) << "a lost buffer is no new loss";
  const auto b = buffer({1, 2, 3, 4});
  EXPECT_EQ(world.opens, 2);
  EXPECT_EQ(error_name(submit_chain(chain({step(a, b)}))), "device_lost");
  EXPECT_EQ(error_name(submit_chain(chain({step(bytes(), b)}))), "ok");
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.opens, 2);
}

TEST_F(ResidentsTest, TheDeviceIsLostWhileOthersWaitForABuffer) {
  const auto a = buffer({1, 2, 3, 4});
  ASSERT_EQ(error_name(submit_chain(chain({step(bytes(), OutputHint{1})}))), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  const auto running = submit_chain(chain({step(bytes(), a)}));
  ASSERT_TRUE(gate.wait_arrived(1));
  const auto reading = read(a, 0, 4);
  const auto chained = submit_chain(chain({step(a, OutputHint{1})}));
  world.lose_device = true;
  gate.open();
  EXPECT_EQ(error_name(running), "device_lost");
  EXPECT_EQ(error_name(reading), "device_lost");
  EXPECT_EQ(error_name(chained), "device_lost");
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.opens, 2);
}

TEST_F(ResidentsTest, ALossDuringACopyIsNoticed) {
  const auto a = buffer({1, 2, 3, 4});
  world.lose_device = true;
  EXPECT_EQ(error_name(read(a, 0, 4)), "device_lost");
  EXPECT_EQ(error_name(submit(job())), "ok");
  EXPECT_EQ(world.opens, 2);
}

TEST_F(ResidentsTest, AnyStepsTrapEndsTheChain) {
  world.with_trap = true;
  const auto a = buffer({1, 2, 3, 4});
  Chain often = chain({step(bytes(), a), step(a, OutputHint{1})});
  often.order = {0, 1, 0, 1};
  EXPECT_EQ(error_name(submit_chain(often)), "ok");
  world.trip_trap = true;
  EXPECT_EQ(error_name(submit_chain(often)), "loop_budget_exhausted");
}

TEST_F(ResidentsTest, BytesInFlightAreBounded) {
  config.limits.in_flight_bytes = 12;
  ASSERT_EQ(error_name(submit(job())), "ok");
  Gate& gate = world.new_gate();
  world.run_gate = &gate;
  const auto first = submit(job());
  ASSERT_TRUE(gate.wait_arrived(1));
  EXPECT_EQ(engine().stats().in_flight_bytes, 8u);
  const auto busy = engine().submit(job(), std::make_unique<TestClient>(std::make_shared<Outcome>()));
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().error_class, ErrorClass::Busy);
  gate.open();
  EXPECT_EQ(error_name(first), "ok");
  EXPECT_EQ(error_name(submit(job())), "ok");

  const auto refused = [&](Job what) {
    const auto result = engine().submit(std::move(what), std::make_unique<TestClient>(std::make_shared<Outcome>()));
    return result ? "ok" : std::string(name(result.error().error_class));
  };
  Job wide = job();
  wide.output = OutputBytes{9};
  EXPECT_EQ(refused(wide), "output_too_large");
  input.resize(13);
  EXPECT_EQ(refused(job()), "input_too_large");
  EXPECT_EQ(engine().stats().in_flight_bytes, 0u);
}

TEST_F(ResidentsTest, OutputsOfAllStepsAreInFlight) {
  config.limits.in_flight_bytes = 24;
  const auto a = buffer({1, 2, 3, 4});
  Chain often = chain({step(a, OutputHint{1})});
  often.order.assign(6, 0);
  EXPECT_EQ(error_name(submit_chain(often)), "ok");
  often.order.push_back(0);
  EXPECT_EQ(error_name(submit_chain(often)), "output_too_large");
}

TEST_F(ResidentsTest, ManyThreadsUseTheSameBuffers) {
  config.limits.queue_length = 4096;
  std::vector<BufferReference> shared;
  shared.reserve(3);
  for (int i = 0; i < 3; ++i) shared.push_back(buffer({1, 2, 3, 4}));
  std::vector<std::thread> threads;
  std::atomic<int> ended{0};
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < 100; ++i) {
        JobId id = 0;
        const auto& from = shared[(t + i) % 3];
        const auto& to = shared[(t + i + 1) % 3];
        const auto outcome = i % 4 == 0   ? read(from, 0, 4, &id)
                             : i % 4 == 1 ? write(to, 0, bytes(), &id)
                             : i % 4 == 2 ? submit_chain(chain({step(from, to), step(to, from)}), &id)
                                          : submit_chain(chain({step(from, OutputHint{1})}), &id);
        if ((i + t) % 5 == 0) engine().cancel(id);
        const std::string ending = error_name(outcome);
        ended += ending == "ok" || ending == "cancelled";
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(ended, 400);
  EXPECT_EQ(engine().stats().queued, 0u);
  EXPECT_EQ(engine().stats().in_flight_bytes, 0u);
}

}  // namespace
}  // namespace kem::core
