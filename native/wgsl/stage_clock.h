// Tells the times of stages that follow one another to whoever asked for them, and looks at no clock for others.
#pragma once

#include <utility>

#include "base/thread_clock.h"
#include "wgsl/wgsl.h"

namespace kem::wgsl {

class StageClock {
 public:
  explicit StageClock(FrontEndTimes* times) : times_(times) {
    if (times_ != nullptr) since_ = ThreadClock::now();
  }
  // The stage that began at the end of the one before is done.
  void done(FrontEndTimes::Time FrontEndTimes::*stage) {
    if (times_ == nullptr) return;
    times_->*stage = {};
    add(stage);
  }
  // The same of one of a stage's parts.
  void add(FrontEndTimes::Time FrontEndTimes::*stage) {
    if (times_ == nullptr) return;
    const auto now = ThreadClock::now();
    times_->*stage += now - std::exchange(since_, now);
  }

 private:
  FrontEndTimes* times_;
  ThreadClock::time_point since_;
};

}  // namespace kem::wgsl
