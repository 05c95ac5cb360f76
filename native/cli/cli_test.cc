#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/arguments.h"
#include "cli/checker.h"
#include "cli/serve.h"
#include "cli/translate.h"

namespace kem::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array kTable{Option{"flag", "", ""}, Option{"value", "V", ""}};

std::string error_of(std::vector<std::string> words) {
  const auto arguments = Arguments::parse(words, kTable);
  return arguments ? "" : arguments.error().message;
}

TEST(Arguments, OptionsAndOperandsInAnyOrder) {
  const std::vector<std::string> words{"a", "--value", "1", "--flag", "b", "--value=2=3", "-", "--", "--flag"};
  const auto arguments = Arguments::parse(words, kTable);
  ASSERT_TRUE(arguments);
  EXPECT_THAT(arguments->operands(), ElementsAre("a", "b", "-", "--flag"));
  EXPECT_THAT(arguments->all("value"), ElementsAre("1", "2=3"));
  EXPECT_EQ(arguments->single("value"), "2=3");
  EXPECT_TRUE(arguments->has("flag"));
}

TEST(Arguments, RefusesWhatTheTableDoesNotHave) {
  EXPECT_THAT(error_of({"--other"}), HasSubstr("no option '--other'"));
  EXPECT_THAT(error_of({"-x"}), HasSubstr("no option '-x'"));
  EXPECT_THAT(error_of({"--value"}), HasSubstr("needs a value"));
  EXPECT_THAT(error_of({"--flag=1"}), HasSubstr("takes no value"));
}

TEST(Arguments, CountsHaveBounds) {
  const std::vector<std::string> words{"--value", "7"};
  const auto arguments = Arguments::parse(words, kTable);
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->count("value", 1, 0, 7).value(), 7u);
  EXPECT_FALSE(arguments->count("value", 1, 0, 6));
  EXPECT_EQ(arguments->count("flag", 5, 0, 9).value(), 5u);
  EXPECT_FALSE(parse_count("-1", "n"));
  EXPECT_FALSE(parse_count("18446744073709551616", "n"));
  EXPECT_FALSE(parse_count("1x", "n"));
}

TEST(Values, WordsAreLittleEndian) {
  EXPECT_THAT(parse_words("1,0xA0B,4294967295", "p").value(),
              ElementsAre(1, 0, 0, 0, 0x0B, 0x0A, 0, 0, 255, 255, 255, 255));
  EXPECT_TRUE(parse_words("", "p").value().empty());
  for (const char* bad : {"4294967296", "1,,2", "-1", "1,", "0x", "x"}) EXPECT_FALSE(parse_words(bad, "p")) << bad;
}

TEST(Values, Workgroups) {
  EXPECT_THAT(parse_workgroups("4", "d").value(), ElementsAre(4u, 1u, 1u));
  EXPECT_THAT(parse_workgroups("4,5,6", "d").value(), ElementsAre(4u, 5u, 6u));
  EXPECT_FALSE(parse_workgroups("1,2,3,4", "d"));
  EXPECT_FALSE(parse_workgroups("", "d"));
}

TEST(Values, Constants) {
  EXPECT_EQ(parse_constant("a=-2.5e3").value().value, -2500.0);
  EXPECT_EQ(parse_constant("12=true").value().value, 1.0);
  EXPECT_EQ(parse_constant("12=true").value().key, "12");
  for (const char* bad : {"a", "=1", "a=", "a=nan", "a=inf", "a=1e999", "a=1 "})
    EXPECT_FALSE(parse_constant(bad)) << bad;
}

TEST(PipelineLine, IsReadFromTheFirstLineOnly) {
  EXPECT_FALSE(parse_pipeline_line("fn f() {}")->has_value());
  EXPECT_FALSE(parse_pipeline_line("\n//!pipeline entry=a")->has_value());
  EXPECT_FALSE(parse_pipeline_line("//!pipelines")->has_value());
  EXPECT_EQ(parse_pipeline_line("//!pipeline").value()->entry_point, "");
  const auto request = parse_pipeline_line("//!pipeline  entry=go\tconst:n=3 const:7=0.5\r\nfn f() {}");
  ASSERT_TRUE(request && *request);
  EXPECT_EQ((*request)->entry_point, "go");
  ASSERT_EQ((*request)->constants.size(), 2u);
  EXPECT_EQ((*request)->constants[1].key, "7");
  EXPECT_EQ((*request)->constants[1].value, 0.5);
  EXPECT_FALSE(parse_pipeline_line("//!pipeline what"));
  EXPECT_FALSE(parse_pipeline_line("//!pipeline const:n"));
}

TEST(DiagnosticsJson, NotesFollowTheirDiagnostic) {
  const Source source("let x = 1;\nfn f(a: i32) {}\n", "k.wgsl");
  Diagnostics diagnostics;
  diagnostics.error({0, 3}, "first: with a colon").notes.push_back({{14, 15}, "k.wgsl:9:9 error: no header"});
  diagnostics.warning({11, 13}, "second\nof two lines").rule = "some_rule";
  const auto all = diagnostics_json(locate(source, diagnostics));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["message"], "first: with a colon");
  EXPECT_EQ(all[0]["severity"], "error");
  EXPECT_EQ(all[0]["length"], 3);
  EXPECT_EQ(all[0]["begin"], 0);
  EXPECT_EQ(all[0]["end"], 3);
  EXPECT_TRUE(all[0]["rule"].is_null());
  EXPECT_EQ(all[1]["severity"], "note");
  EXPECT_EQ(all[1]["message"], "k.wgsl:9:9 error: no header");
  EXPECT_EQ(all[1]["line"], 2);
  EXPECT_EQ(all[2]["column"], 1);
  EXPECT_EQ(all[2]["message"], "second\nof two lines");
  EXPECT_EQ(all[2]["rule"], "some_rule");
}

// A pipe whose write end a thread fills.
class Input {
 public:
  explicit Input(std::vector<uint8_t> bytes) {
    EXPECT_EQ(pipe(ends_.data()), 0);
    writer_ = std::thread([this, data = std::move(bytes)] {
      for (size_t sent = 0; sent < data.size();) {
        const ssize_t n = write(ends_[1], data.data() + sent, data.size() - sent);
        if (n <= 0) break;
        sent += static_cast<size_t>(n);
      }
      close(ends_[1]);
    });
  }
  ~Input() {
    writer_.join();
    close(ends_[0]);
  }
  int descriptor() const { return ends_[0]; }

 private:
  std::array<int, 2> ends_{};
  std::thread writer_;
};

std::vector<uint8_t> framed(std::string_view text, uint32_t length) {
  std::vector<uint8_t> bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(length >> shift));
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}
std::vector<uint8_t> framed(std::string_view text) { return framed(text, static_cast<uint32_t>(text.size())); }

std::vector<uint8_t> joined(std::initializer_list<std::vector<uint8_t>> parts) {
  std::vector<uint8_t> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(Frames, AreReadInOrderAndLongOnesSkipped) {
  const std::string large(3u << 20, 'x');
  const Input input(joined({framed("one"), framed(""), framed(large), framed("two")}));
  FrameReader reader(input.descriptor(), 1u << 20);
  ASSERT_EQ(reader.next(), FrameReader::Outcome::Frame);
  EXPECT_THAT(reader.frame(), ElementsAre('o', 'n', 'e'));
  ASSERT_EQ(reader.next(), FrameReader::Outcome::Frame);
  EXPECT_TRUE(reader.frame().empty());
  EXPECT_EQ(reader.next(), FrameReader::Outcome::TooLong);
  ASSERT_EQ(reader.next(), FrameReader::Outcome::Frame);
  EXPECT_THAT(reader.frame(), ElementsAre('t', 'w', 'o'));
  EXPECT_EQ(reader.next(), FrameReader::Outcome::End);
}

TEST(Frames, AnInputThatEndsInAFrameEndsTheLoop) {
  for (const auto& bytes : {framed("abc", 100), framed("abc", 0xFFFFFFFF), std::vector<uint8_t>{1, 0}}) {
    const Input input(bytes);
    FrameReader reader(input.descriptor(), 64);
    EXPECT_EQ(reader.next(), FrameReader::Outcome::End);
  }
}

// Answers jobs by adding one to every byte of the writable bindings; knows three kernels.
class FakeEngine : public core::Engine {
 public:
  Result<core::JobId> submit(core::Job, std::unique_ptr<core::Client>, std::chrono::nanoseconds) override {
    return {1};
  }
  Result<core::JobId> submit(core::Chain, std::unique_ptr<core::Client>, std::chrono::nanoseconds) override {
    return {1};
  }
  Result<core::BufferReference> make_buffer(uint64_t, std::optional<size_t>) override {
    return fail(ErrorClass::NoDevice, "none");
  }
  Result<core::JobId> read(core::BufferReference, uint64_t, uint64_t, std::unique_ptr<core::Client>) override {
    return {1};
  }
  Result<core::JobId> write(core::BufferReference, uint64_t, std::span<const uint8_t>,
                            std::unique_ptr<core::Client>) override {
    return {1};
  }
  void cancel(core::JobId) override {}
  void warm_up() override {}
  Result<core::Report> execute(const core::BindingJob& job) override {
    last = job;
    if (job.wgsl == "unsupported") return fail(ErrorClass::UnsupportedKernel, "not here");
    if (job.wgsl == "invalid") return fail(ErrorClass::InvalidKernel, "kernel:1:1 error: no\n");
    for (const auto& binding : job.bindings) {
      for (uint8_t& byte : binding.bytes) ++byte;
    }
    return core::Report{};
  }
  wgsl::Options wgsl_options() override { return {}; }
  Result<vulkan::DeviceInfo> adapter() override { return fail(ErrorClass::NoDevice, "none"); }
  bool wait_for_devices(std::chrono::nanoseconds) override { return true; }
  Result<arweave::Kernel> fetch(const std::string&) override {
    return fail(ErrorClass::KernelNotFound, "a fake engine fetches nothing");
  }
  Result<std::chrono::nanoseconds> measure_empty_submit(int) override { return std::chrono::nanoseconds(1); }
  core::Stats stats() const override { return {}; }

  core::BindingJob last;
};

Reply execute(FakeEngine& engine, std::string_view json, std::string_view bytes) {
  std::vector<uint8_t> frame = framed(json);
  frame.insert(frame.end(), bytes.begin(), bytes.end());
  return execute_frame(engine, frame);
}

std::string text_of(const Reply& reply) { return {reply.body.begin(), reply.body.end()}; }

TEST(Exec, BindingsGoInAndComeBackInOrder) {
  FakeEngine engine;
  const Reply reply = execute(engine,
                              R"({"wgsl":"k","entry":"go","constants":{"n":2,"b":true},"workgroups":[2,3],)"
                              R"("bindings":[{"group":0,"binding":1,"size":3},{"group":2,"binding":0,"size":1}]})",
                              "abcx");
  EXPECT_EQ(reply.status, 0);
  EXPECT_EQ(text_of(reply), "bcdy");
  EXPECT_EQ(engine.last.entry_point, "go");
  EXPECT_EQ(engine.last.constants.size(), 2u);
  EXPECT_THAT(engine.last.workgroups, ElementsAre(2u, 3u, 1u));
  EXPECT_EQ(engine.last.bindings[1].group, 2u);
}

TEST(Exec, StatusTellsErrorFromUnsupported) {
  FakeEngine engine;
  EXPECT_EQ(execute(engine, R"({"wgsl":"unsupported","bindings":[]})", "").status, 3);
  const Reply invalid = execute(engine, R"({"wgsl":"invalid","bindings":[]})", "");
  EXPECT_EQ(invalid.status, 1);
  EXPECT_THAT(text_of(invalid), HasSubstr("invalid_kernel"));
}

TEST(Exec, RefusesWhatItCannotRead) {
  FakeEngine engine;
  const std::string deep = R"({"wgsl":"k","bindings":[{"group":)" + std::string(200'000, '[') +
                           std::string(200'000, ']') + R"(,"binding":0,"size":0}]})";
  for (const std::string& json :
       {std::string(""), std::string("{"), std::string("[]"), std::string("null"), std::string("\xff"),
        std::string(R"({"wgsl":1,"bindings":[]})"), std::string(R"({"wgsl":"k"})"),
        std::string(R"({"wgsl":"k","bindings":[1]})"), std::string(R"({"wgsl":"k","bindings":[{}]})"),
        std::string(R"({"wgsl":"k","bindings":[{"group":-1,"binding":0,"size":0}]})"),
        std::string(R"({"wgsl":"k","bindings":[{"group":0,"binding":0,"size":5}]})"),
        std::string(R"({"wgsl":"k","bindings":[{"group":0,"binding":0,"size":18446744073709551615}]})"),
        std::string(R"({"wgsl":"k","workgroups":[1,1,1,1],"bindings":[]})"),
        std::string(R"({"wgsl":"k","workgroups":[1.5],"bindings":[]})"),
        std::string(R"({"wgsl":"k","constants":{"a":"x"},"bindings":[]})"), deep}) {
    EXPECT_EQ(execute(engine, json, "").status, 1) << json.substr(0, 80);
  }
  EXPECT_EQ(execute(engine, R"({"wgsl":"k","bindings":[]})", "left over").status, 1);
  std::vector<uint8_t> tiny{1, 2};
  EXPECT_EQ(execute_frame(engine, tiny).status, 1);
  std::vector<uint8_t> lying = framed("{}", 0xFFFFFFFF);
  EXPECT_EQ(execute_frame(engine, lying).status, 1);
}

}  // namespace
}  // namespace kem::cli
