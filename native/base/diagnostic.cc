#include "base/diagnostic.h"

#include <algorithm>

namespace kem {
namespace {

constexpr size_t kShownLineBytes = 240;      // a longer source line is not worth showing whole
constexpr size_t kShownMessageBytes = 2000;  // a longer message names something with the source's own length

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

uint32_t code_points(std::string_view text) {
  return static_cast<uint32_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

// False for nearly all bytes.
bool may_begin_line_break(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x0D ? byte >= 0x0A : byte == 0xC2 || byte == 0xE2;
}

// WGSL's line breaks (section "Blankspace and Line Breaks"): LF, VT, FF, CR, CRLF, U+0085, U+2028, U+2029.
// Returns the length in bytes of the break at `i`, 0 if there is none.
size_t line_break_at(std::string_view text, size_t i) {
  const auto at = [&](size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  switch (at(i)) {
    case '\n':
    case '\v':
    case '\f':
      return 1;
    case '\r':
      return at(i + 1) == '\n' ? 2 : 1;
    case 0xC2:
      return at(i + 1) == 0x85 ? 2 : 0;
    case 0xE2:
      return at(i + 1) == 0x80 && (at(i + 2) == 0xA8 || at(i + 2) == 0xA9) ? 3 : 0;
    default:
      return 0;
  }
}

Location location_of(const Source& source, Span span) {
  const auto begin = source.position(span.begin);
  const auto end = source.position(std::max(span.end, span.begin + 1));
  const uint32_t line_end = code_points(source.line(begin.line)) + 1;
  const uint32_t last = end.line == begin.line ? std::min(end.column, line_end) : line_end;
  return {span, begin.line, begin.column, last > begin.column ? last - begin.column : 1};
}

void append_excerpt(std::string& out, const Source& source, const Location& at) {
  const std::string_view line = source.line(at.line);
  if (line.empty() || line.size() > kShownLineBytes) return;
  out += "  ";
  for (char c : line) out += c == '\t' ? ' ' : c;
  out += "\n  ";
  out.append(at.column - 1, ' ');
  out.append(at.length, '^');
  out += '\n';
}

void append_message(std::string& out, std::string_view message) {
  if (message.size() <= kShownMessageBytes) {
    out += message;
    return;
  }
  size_t head = kShownMessageBytes / 2;
  while (head > 0 && is_continuation(message[head])) --head;
  size_t tail = message.size() - kShownMessageBytes / 2;
  while (tail < message.size() && is_continuation(message[tail])) ++tail;
  out.append(message.substr(0, head)).append(" ... ").append(message.substr(tail));
}

void append_entry(std::string& out, const Source& source, const Location& at, std::string_view kind,
                  std::string_view message) {
  out += source.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + " ";
  out.append(kind).append(": ");
  append_message(out, message);
  out += '\n';
  append_excerpt(out, source, at);
}

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::Off:
      return "off";
    case Severity::Info:
      return "info";
    case Severity::Warning:
      return "warning";
    case Severity::Error:
      return "error";
  }
  return "error";
}

Source::Source(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {
  line_begins_.push_back(0);
  for (size_t i = 0; i < text_.size();) {
    if (!may_begin_line_break(text_[i])) {
      ++i;
      continue;
    }
    const size_t length = line_break_at(text_, i);
    i += length == 0 ? 1 : length;
    if (length != 0) line_begins_.push_back(static_cast<uint32_t>(i));
  }
}

Source::Position Source::position(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  const uint32_t begin = *(next - 1);
  const auto before = std::string_view(text_).substr(begin, offset - begin);
  return {static_cast<uint32_t>(next - line_begins_.begin()), code_points(before) + 1};
}

std::string_view Source::line(uint32_t line) const {
  const uint32_t begin = line_begins_[line - 1];
  const uint32_t end = line < line_begins_.size() ? line_begins_[line] : static_cast<uint32_t>(text_.size());
  std::string_view text = std::string_view(text_).substr(begin, end - begin);
  for (size_t i = 0; i < text.size(); ++i) {
    if (line_break_at(text, i) != 0) return text.substr(0, i);
  }
  return text;
}

Diagnostic& Diagnostics::add(Severity severity, Span span, std::string message) {
  Diagnostic diagnostic{severity, span, std::move(message), {}};
  if (severity == Severity::Error) ++errors_;
  if (list_.size() >= limit_) {
    overflow_ = std::move(diagnostic);  // dropped, but the caller may still add notes to it
    return overflow_;
  }
  list_.push_back(std::move(diagnostic));
  return list_.back();
}

std::string render(const Source& source, const Diagnostics& diagnostics) {
  std::string out;
  for (const LocatedDiagnostic& d : locate(source, diagnostics)) {
    append_entry(out, source, d.location, name(d.severity), d.message);
    for (const LocatedNote& note : d.notes) append_entry(out, source, note.location, "note", note.message);
  }
  return out;
}

std::vector<LocatedDiagnostic> locate(const Source& source, const Diagnostics& diagnostics) {
  std::vector<LocatedDiagnostic> located;
  located.reserve(diagnostics.all().size());
  for (const Diagnostic& d : diagnostics.all()) {
    LocatedDiagnostic& out = located.emplace_back();
    out.severity = d.severity;
    out.location = location_of(source, d.span);
    out.message = d.message;
    for (const Note& note : d.notes) out.notes.push_back({location_of(source, note.span), note.message});
    out.rule = d.rule;
  }
  return located;
}

}  // namespace kem
