// `kem`: the command-line program. Everything is in the library beside it, where tests reach it.
#include <string>
#include <vector>

#include "cli/command.h"

int main(int argc, char** argv) {
  return kem::cli::run_program(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
