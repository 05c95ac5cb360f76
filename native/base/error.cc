#include "base/error.h"

#include <array>

namespace kem {
namespace {

struct Row {
  std::string_view name;
  int http_status;
};

constexpr std::array kRows{
#define KEM_ROW(id, name, http) Row{name, http},
    KEM_ERROR_CLASSES(KEM_ROW)
#undef KEM_ROW
};

}  // namespace

std::string_view name(ErrorClass error_class) { return kRows[static_cast<size_t>(error_class)].name; }

int http_status(ErrorClass error_class) { return kRows[static_cast<size_t>(error_class)].http_status; }

}  // namespace kem
