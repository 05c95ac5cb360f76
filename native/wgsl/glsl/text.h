// Text that grows at its end, mostly by a few characters at a time: std::string asks for a call each time.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace kem::wgsl::glsl {

class Text {
 public:
  size_t size() const { return used_; }
  std::string_view view() const { return {room_.data(), used_}; }
  char operator[](size_t at) const { return room_[at]; }

  Text& operator+=(std::string_view more) {
    if (more.size() > room_.size() - used_) grow(more.size());
    std::memcpy(room_.data() + used_, more.data(), more.size());
    used_ += more.size();
    return *this;
  }
  // Of known length: a few instructions in place.
  template <size_t N>
  Text& operator+=(const char (&literal)[N]) {
    constexpr size_t kLength = N - 1;
    if (kLength > room_.size() - used_) grow(kLength);
    std::memcpy(room_.data() + used_, literal, kLength);
    used_ += kLength;
    return *this;
  }
  Text& operator+=(char c) {
    if (used_ == room_.size()) grow(1);
    room_[used_++] = c;
    return *this;
  }
  void spaces(size_t count) {
    if (count > room_.size() - used_) grow(count);
    std::memset(room_.data() + used_, ' ', count);
    used_ += count;
  }
  void number(int64_t n) {
    constexpr size_t kLongest = 20;
    if (kLongest > room_.size() - used_) grow(kLongest);
    char* const begin = room_.data() + used_;
    used_ += static_cast<size_t>(std::to_chars(begin, begin + kLongest, n).ptr - begin);
  }

  // In front of what has been written from `at` on.
  void insert(size_t at, char c) {
    *this += c;
    char* const place = room_.data() + at;
    std::memmove(place + 1, place, used_ - 1 - at);
    *place = c;
  }
  void drop_last() { --used_; }

  std::string take() {
    room_.resize(std::exchange(used_, 0));
    return std::exchange(room_, {});
  }

 private:
  void grow(size_t more) { room_.resize((room_.size() + more) * 2); }

  std::string room_;
  size_t used_ = 0;
};

}  // namespace kem::wgsl::glsl
