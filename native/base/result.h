// `Result<T>`: a value or an `Error`. `Status` is a Result without a value.
//
//   Result<Buffer> r = make_buffer(n);
//   if (!r) return fail(r);                       // hand the error on
//   KEM_TRY(auto buffer, make_buffer(n));         // the same in one line
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "base/error.h"

namespace kem {

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorClass error_class, std::string message) {
  return tl::unexpected<Error>(Error{error_class, std::move(message)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

#define KEM_CONCAT_INNER(a, b) a##b
#define KEM_CONCAT(a, b) KEM_CONCAT_INNER(a, b)

// Evaluates a Result expression; on error returns the error, otherwise declares `declaration` with the value.
#define KEM_TRY(declaration, ...) KEM_TRY_IMPL(KEM_CONCAT(kem_try_, __LINE__), declaration, __VA_ARGS__)
#define KEM_TRY_IMPL(tmp, declaration, ...)                              \
  auto tmp = (__VA_ARGS__);                                              \
  if (!tmp) return tl::unexpected<::kem::Error>(std::move(tmp).error()); \
  declaration = std::move(*tmp)

// The same for a Status: evaluates, returns the error if there is one.
#define KEM_CHECK(...)                                                    \
  do {                                                                    \
    if (auto kem_status = (__VA_ARGS__); !kem_status)                     \
      return tl::unexpected<::kem::Error>(std::move(kem_status).error()); \
  } while (false)

}  // namespace kem
