// The allocation functions of this program, which are those of operator_new.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kem {
namespace {

// Of 50 blocks the C library would begin with the seventh.
TEST(OperatorNew, AThreadUsesAgainWhatItFreedLast) {
  std::vector<void*> freed(50), used(20);
  std::thread([&] {
    for (void*& block : freed) block = operator new(300);
    for (void* const block : freed) operator delete(block);
    for (void*& block : used) block = operator new(300);
    for (void* const block : used) operator delete(block);
  }).join();
  freed.erase(freed.begin(), freed.begin() + 25);
  const auto freed_late = [&](void* block) { return std::ranges::find(freed, block) != freed.end(); };
  EXPECT_GE(std::ranges::count_if(used, freed_late), 15);
}

TEST(OperatorNew, WithoutMemoryItAsksTheHandlerAndThrows) {
  static int asked = 0;
  std::set_new_handler([] {
    if (++asked == 3) std::set_new_handler(nullptr);
  });
  const volatile size_t too_much = PTRDIFF_MAX;
  EXPECT_THROW(operator delete(operator new(too_much)), std::bad_alloc);
  std::set_new_handler(nullptr);
  EXPECT_EQ(asked, 3);
}

TEST(OperatorNew, NothingIsSomething) {
  void* const first = operator new(0);
  void* const second = operator new(0);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, second);
  operator delete(first);
  operator delete(second);
}

// Strings go from thread to thread, and threads end.
TEST(OperatorNew, AnotherThreadMayFree) {
  std::vector<std::string> strings;
  for (int round = 0; round < 20; ++round) {
    std::thread([&] {
      std::vector<std::string> more;
      for (size_t i = 0; i < 500; ++i) more.push_back(std::string(i, static_cast<char>('a' + round)));
      std::swap(strings, more);
    }).join();
    for (size_t i = 0; i < strings.size(); ++i) ASSERT_EQ(strings[i], std::string(i, static_cast<char>('a' + round)));
  }
}

// Its destructor runs after that of the thread's blocks.
TEST(OperatorNew, WorksAtAThreadsEnd) {
  struct Late {
    std::vector<std::string> strings;
    ~Late() {
      strings.clear();
      strings.push_back(std::string(100, 'x'));
    }
  };
  std::thread([] {
    static thread_local Late late;
    late.strings.assign(100, std::string(100, 'y'));
  }).join();
}

}  // namespace
}  // namespace kem
