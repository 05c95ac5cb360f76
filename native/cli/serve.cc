#include "cli/serve.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "cli/checker.h"
#include "cli/command.h"
#include "cli/translate.h"

namespace kem::cli {
namespace {

constexpr size_t kChunk = 1u << 20;
constexpr size_t kKept = 8u << 20;  // a larger frame's memory is given back before the next frame
constexpr size_t kCheckFrameLimit = 64u << 20;

uint32_t read_u32(std::span<const uint8_t, 4> bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

bool write_all(int descriptor, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(wrote));
  }
  return true;
}

}  // namespace

bool FrameReader::read_exactly(std::span<uint8_t> out) {
  while (!out.empty()) {
    const ssize_t got = read(descriptor_, out.data(), out.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<size_t>(got));
  }
  return true;
}

FrameReader::Outcome FrameReader::next() {
  if (frame_.capacity() > kKept) std::vector<uint8_t>().swap(frame_);
  frame_.clear();
  std::array<uint8_t, 4> prefix{};
  if (!read_exactly(prefix)) return Outcome::End;
  size_t left = read_u32(prefix);
  if (left > limit_) {
    frame_.resize(kChunk);
    while (left > 0) {
      const size_t part = std::min(left, kChunk);
      if (!read_exactly(std::span(frame_).first(part))) return Outcome::End;
      left -= part;
    }
    frame_.clear();
    return Outcome::TooLong;
  }
  while (left > 0) {
    const size_t part = std::min(left, std::max(kChunk, frame_.size()));
    frame_.resize(frame_.size() + part);
    if (!read_exactly(std::span(frame_).last(part))) return Outcome::End;
    left -= part;
  }
  return Outcome::Frame;
}

Reply text_reply(uint8_t status, std::string_view text) { return {status, {text.begin(), text.end()}}; }

bool write_reply(int descriptor, const Reply& reply) {
  const auto length = static_cast<uint32_t>(reply.body.size());
  std::vector<uint8_t> header{reply.status};
  for (int shift = 0; shift < 32; shift += 8) header.push_back(static_cast<uint8_t>(length >> shift));
  if (reply.body.size() <= kChunk) {  // one write for the usual reply
    header.insert(header.end(), reply.body.begin(), reply.body.end());
    return write_all(descriptor, header);
  }
  return write_all(descriptor, header) && write_all(descriptor, reply.body);
}

void serve(FrameReader& reader, int out, const Reply& too_long,
           const std::function<Reply(std::span<uint8_t>)>& answer) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed output ends the loop through write's error
  for (;;) {
    const FrameReader::Outcome outcome = reader.next();
    if (outcome == FrameReader::Outcome::End) return;
    const bool sent = write_reply(out, outcome == FrameReader::Outcome::Frame ? answer(reader.frame()) : too_long);
    if (!sent) return;
  }
}

int serve_checks(const wgsl::Options& options) {
  FrameReader reader(STDIN_FILENO, kCheckFrameLimit);
  serve(reader, STDOUT_FILENO, text_reply(1, "kernel_too_large: the request is longer than 64 MiB\n"),
        [&options](std::span<uint8_t> frame) {
          std::string source(frame.begin(), frame.end());
          const auto request = parse_pipeline_line(source);
          if (!request) return text_reply(1, request.error().message);
          const CheckResult result = check_source(std::move(source), "kernel", *request, options);
          return text_reply(result.valid ? 0 : 1, result.text);
        });
  return kDone;
}

}  // namespace kem::cli
