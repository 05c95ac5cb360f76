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

Location location_of(const Lines& lines, Span span) {
  const auto begin = lines.position(span.begin);
  const auto end = lines.position(std::max(span.end, span.begin + 1));
  const uint32_t line_end = code_points(lines[begin.line]) + 1;
  const uint32_t last = end.line == begin.line ? std::min(end.column, line_end) : line_end;
  return {span, begin.line, begin.column, last > begin.column ? last - begin.column : 1};
}

void append_excerpt(std::string& out, const Lines& lines, const Location& at) {
  const std::string_view line = lines[at.line];
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

void append_entry(std::string& out, const std::string& name, const Lines& lines, const Location& at,
                  std::string_view kind, std::string_view message) {
  out += name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + " ";
  out.append(kind).append(": ");
  append_message(out, message);
  out += '\n';
  append_excerpt(out, lines, at);
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

Lines::Lines(std::string_view text) : text_(text), begins_{0} {
  for (size_t i = 0; i < text.size();) {
    const size_t length = may_begin_line_break(text[i]) ? line_break_at(text, i) : 0;
    i += std::max<size_t>(length, 1);
    if (length != 0) begins_.push_back(static_cast<uint32_t>(i));
  }
}

Lines::Position Lines::position(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), offset);
  const uint32_t begin = *(next - 1);
  return {static_cast<uint32_t>(next - begins_.begin()), code_points(text_.substr(begin, offset - begin)) + 1};
}

std::string_view Lines::operator[](uint32_t line) const {
  const uint32_t begin = begins_[line - 1];
  const uint32_t end = line < begins_.size() ? begins_[line] : static_cast<uint32_t>(text_.size());
  const std::string_view text = text_.substr(begin, end - begin);
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

namespace {

std::vector<LocatedDiagnostic> located_in(const Lines& lines, const Diagnostics& diagnostics) {
  std::vector<LocatedDiagnostic> located;
  located.reserve(diagnostics.all().size());
  for (const Diagnostic& d : diagnostics.all()) {
    LocatedDiagnostic& out = located.emplace_back();
    out.severity = d.severity;
    out.location = location_of(lines, d.span);
    out.message = d.message;
    for (const Note& note : d.notes) out.notes.push_back({location_of(lines, note.span), note.message});
    out.rule = d.rule;
  }
  return located;
}

}  // namespace

std::string render(const Source& source, const Diagnostics& diagnostics) {
  if (diagnostics.all().empty()) return {};
  std::string out;
  const Lines lines(source.text());
  for (const LocatedDiagnostic& d : located_in(lines, diagnostics)) {
    append_entry(out, source.name(), lines, d.location, name(d.severity), d.message);
    for (const LocatedNote& note : d.notes) {
      append_entry(out, source.name(), lines, note.location, "note", note.message);
    }
  }
  return out;
}

std::vector<LocatedDiagnostic> locate(const Source& source, const Diagnostics& diagnostics) {
  if (diagnostics.all().empty()) return {};
  return located_in(Lines(source.text()), diagnostics);
}

}  // namespace kem
