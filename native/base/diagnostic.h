// Diagnostics: what is wrong with a WGSL source, where, and why. Text follows one form everywhere (CLI,
// Erlang, HTTP):
//
//   kernel.wgsl:3:14 error: no matching overload for 'max(i32, f32)'
//     let x = max(1i, 2f);
//             ^^^^^^^^^^^
//   kernel.wgsl:1:1 note: declared here
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kem {

// A half-open range of byte offsets into a source.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// The smallest span that covers both.
inline Span cover(Span a, Span b) { return {a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end}; }

enum class Severity { Off, Info, Warning, Error };
std::string_view name(Severity severity);

struct Note {
  Span span;
  std::string message;
};

struct Diagnostic {
  Severity severity = Severity::Error;
  Span span;
  std::string message;  // lower case, no full stop, names in single quotes
  std::vector<Note> notes;
  std::string_view rule{};  // the triggering rule that a filter can name ("" if there is none); static storage
};

class Source {
 public:
  explicit Source(std::string text, std::string name = "kernel") : text_(std::move(text)), name_(std::move(name)) {}

  const std::string& text() const { return text_; }
  const std::string& name() const { return name_; }

 private:
  std::string text_;
  std::string name_;
};

// Where a text's lines begin: made by those who have something to tell, not for every text. The text outlives it.
class Lines {
 public:
  struct Position {
    uint32_t line;    // from 1
    uint32_t column;  // from 1, in Unicode code points
  };

  explicit Lines(std::string_view text);

  Position position(uint32_t offset) const;
  std::string_view operator[](uint32_t line) const;  // from 1; without its line break

 private:
  std::string_view text_;
  std::vector<uint32_t> begins_;
};

// The same told without the source, for editors and other programs. `length` counts the code points of the span on
// its first line, at least 1: as many carets as the text form has under it.
struct Location {
  Span span;  // bytes
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t length = 1;
};
struct LocatedNote {
  Location location;
  std::string message;
};
struct LocatedDiagnostic {
  Severity severity = Severity::Error;
  Location location;
  std::string message;
  std::vector<LocatedNote> notes;
  std::string rule;
};

// Collects diagnostics in the order they are found; keeps at most `limit` of them and counts the rest.
class Diagnostics {
 public:
  explicit Diagnostics(uint32_t limit = 25) : limit_(limit) {}

  // Returns the diagnostic so that notes can be added.
  Diagnostic& add(Severity severity, Span span, std::string message);
  Diagnostic& error(Span span, std::string message) { return add(Severity::Error, span, std::move(message)); }
  Diagnostic& warning(Span span, std::string message) { return add(Severity::Warning, span, std::move(message)); }

  bool has_errors() const { return errors_ != 0; }
  bool full() const { return errors_ >= limit_; }  // time to stop looking for more
  std::span<const Diagnostic> all() const { return list_; }
  bool empty() const { return list_.empty(); }

 private:
  uint32_t limit_;
  uint32_t errors_ = 0;
  std::vector<Diagnostic> list_;
  Diagnostic overflow_;
};

// The text of the diagnostics: position, severity, message, source line and caret range, notes.
std::string render(const Source& source, const Diagnostics& diagnostics);

// The same diagnostics as values, in the same order.
std::vector<LocatedDiagnostic> locate(const Source& source, const Diagnostics& diagnostics);

}  // namespace kem
