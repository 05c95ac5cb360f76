// Test support: testdata/server.py as a child process, and a directory that goes with its test.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kem::arweave {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "kem-test-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

// A running server; port() is empty if it could not be started.
class TestServer {
 public:
  explicit TestServer(const std::filesystem::path& tls_directory = {}) : tls_(!tls_directory.empty()) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    std::vector<std::string> words{"python3", KEM_SOURCE_DIR "/native/arweave/testdata/server.py"};
    if (tls_) words.push_back(tls_directory.string());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (::posix_spawnp(&process_, "python3", &actions, nullptr, arguments.data(), environ) != 0) process_ = 0;
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    input_ = in[1];
    for (char c = 0; ::read(out[0], &c, 1) == 1 && c != '\n';) port_ += c;
    ::close(out[0]);
  }
  ~TestServer() { stop(); }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  void stop() {
    if (input_ >= 0) ::close(std::exchange(input_, -1));
    if (process_ > 0) ::waitpid(std::exchange(process_, 0), nullptr, 0);
  }
  const std::string& port() const { return port_; }
  std::string gateway(const std::string& behaviour) const {
    return (tls_ ? "https://127.0.0.1:" : "http://127.0.0.1:") + port_ + "/" + behaviour;
  }

 private:
  bool tls_;
  pid_t process_ = 0;
  int input_ = -1;
  std::string port_;
};

}  // namespace kem::arweave
