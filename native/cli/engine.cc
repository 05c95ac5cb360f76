#include "cli/engine.h"

#include <filesystem>

namespace kem::cli {

core::Config engine_config() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  std::filesystem::path store;
  if (!error) store = program.parent_path().parent_path() / "kernels";
  if (!std::filesystem::is_directory(store, error)) store.clear();
  return core::Config::from_environment(store);
}

std::unique_ptr<core::Engine> make_engine() { return core::Engine::create(engine_config()); }

}  // namespace kem::cli
