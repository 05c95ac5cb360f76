// A vector of trivially copyable elements whose first N live in the object itself: for the many short lists of
// trees and graphs, where an allocation each would cost more than all the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace kem {

template <class T, uint32_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;

  SmallVector() = default;
  SmallVector(std::initializer_list<T> items) { append(items.begin(), items.size()); }
  SmallVector(const std::vector<T>& items) { append(items.data(), items.size()); }  // NOLINT: as wide as std::vector
  explicit SmallVector(std::span<const T> items) { append(items.data(), items.size()); }
  SmallVector(const SmallVector& other) { append(other.data(), other.size_); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    clear();
    append(other.data(), other.size_);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  ~SmallVector() = default;

  T* data() { return heap_ != nullptr ? heap_.get() : inline_; }
  const T* data() const { return heap_ != nullptr ? heap_.get() : inline_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  void push_back(T item) {
    reserve(size_ + 1);
    data()[size_++] = item;
  }
  void pop_back() { --size_; }
  void push_front(T item) {
    push_back(item);
    std::rotate(begin(), end() - 1, end());
  }

 private:
  void reserve(uint32_t least) {
    if (least <= capacity_) return;
    const uint32_t capacity = std::max(least, capacity_ * 2);
    auto grown = std::make_unique<T[]>(capacity);
    std::copy(begin(), end(), grown.get());
    heap_ = std::move(grown);
    capacity_ = capacity;
  }

  void append(const T* items, size_t count) {
    reserve(size_ + static_cast<uint32_t>(count));
    std::copy(items, items + count, end());
    size_ += static_cast<uint32_t>(count);
  }

  void take(SmallVector& other) {
    heap_ = std::move(other.heap_);
    if (heap_ == nullptr) std::memcpy(inline_, other.inline_, sizeof(inline_));  // a fixed number: no call
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, N);
  }

  std::unique_ptr<T[]> heap_;
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  T inline_[N]{};
};

}  // namespace kem
