// The loops over standard input and output, for editors and test harnesses.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/core.h"

namespace kem::cli {

// Length-prefixed frames from a file descriptor. A hostile length costs nothing: memory grows with the bytes that
// have come, and a frame over the limit is read and thrown away.
class FrameReader {
 public:
  enum class Outcome { Frame, TooLong, End };  // End: end of input or a read error, in a frame or between two

  FrameReader(int descriptor, size_t limit) : descriptor_(descriptor), limit_(limit) {}
  // u32 little-endian length, then so many bytes, in frame() until the next call.
  Outcome next();
  std::span<uint8_t> frame() { return frame_; }

 private:
  bool read_exactly(std::span<uint8_t> out);

  int descriptor_;
  size_t limit_;
  std::vector<uint8_t> frame_;
};

struct Reply {
  uint8_t status = 0;
  std::vector<uint8_t> body;
};
Reply text_reply(uint8_t status, std::string_view text);

// Writes u8 status, u32 little-endian length, body. False if the other side is gone.
bool write_reply(int descriptor, const Reply& reply);

// Answers every frame until the input ends or the output is closed; `too_long` answers frames over the limit.
void serve(FrameReader& reader, int out, const Reply& too_long, const std::function<Reply(std::span<uint8_t>)>& answer);

// kem check --serve: the frame is WGSL; status 0 valid, 1 invalid; body the diagnostics.
int serve_checks(const wgsl::Options& options);

// kem exec --serve: status 0 the bindings' new contents, 1 error text, 3 unsupported text. See exec.cc.
Reply execute_frame(core::Engine& engine, std::span<uint8_t> frame);
int serve_executions();

}  // namespace kem::cli
