// SPDX-License-Identifier: Apache-2.0
// LaTeX to running text: commands go, what they are given stays.
#include <algorithm>

#include "base/strings.h"
#include "connectors/extract/office.h"
#include "connectors/extract/readers.h"

namespace cairn::connectors {
namespace {

/// Commands whose first argument is no text.
constexpr std::string_view unread_arguments[] = {
    "begin",      "end",          "usepackage",   "documentclass",
    "label",      "ref",          "eqref",        "pageref",
    "cite",       "citep",        "citet",        "includegraphics",
    "input",      "include",      "bibliography", "bibliographystyle",
    "hspace",     "vspace",       "setlength",    "setcounter",
    "newcommand", "renewcommand", "pagestyle",    "thispagestyle",
    "hypersetup", "geometry",     "definecolor",  "color",
    "textcolor",  "url"};

struct Accent {
  char mark;
  std::string_view letters;       // plain ones
  std::string_view accented[10];  // in the same order
};

constexpr Accent accents[] = {
    {'"', "aouAOUeiy", {"ä", "ö", "ü", "Ä", "Ö", "Ü", "ë", "ï", "ÿ"}},
    {'\'', "aeiouyAEIO", {"á", "é", "í", "ó", "ú", "ý", "Á", "É", "Í", "Ó"}},
    {'`', "aeiouAEIOU", {"à", "è", "ì", "ò", "ù", "À", "È", "Ì", "Ò", "Ù"}},
    {'^', "aeiouAEIOU", {"â", "ê", "î", "ô", "û", "Â", "Ê", "Î", "Ô", "Û"}},
    {'~', "nNaoAO", {"ñ", "Ñ", "ã", "õ", "Ã", "Õ"}}};

class LatexText {
 public:
  explicit LatexText(std::string_view text) : rest_(text) {}

  void run() {
    while (!rest_.empty()) {
      const char c = take();
      if (c == '\\') {
        command();
      } else if (c == '%') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (c == '~' || c == '&') {
        out += ' ';
      } else if (c != '{' && c != '}' && c != '$') {
        out += c;
      }
    }
  }

  std::string out;
  std::string title;

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  void command() {
    if (rest_.empty()) return;
    std::size_t length = 0;
    while (length < rest_.size() && is_letter(rest_[length])) ++length;
    if (length == 0) return symbol(take());
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (rest_.starts_with('*')) rest_.remove_prefix(1);
    if (name == "title") title = first_line(LatexArgument(group()).plain());
    const bool unread = std::find(std::begin(unread_arguments), std::end(unread_arguments), name) !=
                        std::end(unread_arguments);
    skip_options();
    if (name == "url") out += LatexArgument(group()).plain();
    if (unread) rest_.remove_prefix(group().size());
    if (unread) skip_options();
    if (name == "item" || name == "par" || name.ends_with("section") || name == "chapter")
      out += '\n';
    if (name == "LaTeX" || name == "TeX") out += name;
    if (name == "ss") out += "ß";
    if (name == "ldots") out += "…";
    if (!rest_.empty() && !rest_.starts_with('{')) out += ' ';
  }

  /// The text of an argument, for a title.
  class LatexArgument {
   public:
    explicit LatexArgument(std::string_view braced) : braced_(braced) {}
    std::string plain() const {
      std::string text;
      for (std::size_t i = 0; i < braced_.size(); ++i) {
        if (braced_[i] == '\\') {
          while (i + 1 < braced_.size() && is_letter(braced_[i + 1])) ++i;
          text += ' ';
        } else if (braced_[i] != '{' && braced_[i] != '}' && braced_[i] != '\n') {
          text += braced_[i] == '~' ? ' ' : braced_[i];
        }
      }
      return squeeze(text);
    }

   private:
    std::string_view braced_;
  };

  void symbol(char c) {
    for (const Accent& accent : accents) {
      if (accent.mark != c) continue;
      const bool braced = rest_.size() > 2 && rest_[0] == '{' && rest_[2] == '}';
      const std::size_t at = braced ? 1 : 0;
      if (rest_.size() <= at) return;
      const std::size_t letter = accent.letters.find(rest_[at]);
      if (letter == std::string_view::npos) return;
      out += accent.accented[letter];
      rest_.remove_prefix(braced ? 3 : 1);
      return;
    }
    if (c == '\\')
      out += '\n';
    else if (c == '%' || c == '&' || c == '$' || c == '#' || c == '_' || c == '{' || c == '}')
      out += c;
    else
      out += ' ';
  }

  /// "{…}" at the beginning of what is left, braces within counted; at most 4 KiB of it.
  std::string_view group() const {
    constexpr std::size_t bytes_max = 4096;
    if (!rest_.starts_with('{')) return {};
    std::size_t depth = 0;
    for (std::size_t i = 0; i < rest_.size() && i < bytes_max; ++i) {
      if (rest_[i] == '\\')
        ++i;
      else if (rest_[i] == '{')
        ++depth;
      else if (rest_[i] == '}' && --depth == 0)
        return rest_.substr(0, i + 1);
    }
    return {};
  }

  void skip_options() {
    constexpr std::size_t bytes_max = 1024;
    if (!rest_.starts_with('[')) return;
    const std::size_t end = rest_.substr(0, bytes_max).find(']');
    if (end != std::string_view::npos) rest_.remove_prefix(end + 1);
  }

  std::string_view rest_;
};

}  // namespace

ExtractedFile extract_latex(std::string_view text) {
  constexpr std::string_view beginning = "\\begin{document}";
  const std::size_t begin = text.find(beginning);
  // What stands before is for the typesetter, but for the title.
  LatexText preamble(begin == std::string_view::npos ? std::string_view() : text.substr(0, begin));
  preamble.run();
  LatexText latex(begin == std::string_view::npos ? text : text.substr(begin + beginning.size()));
  latex.run();
  const std::string& title = latex.title.empty() ? preamble.title : latex.title;
  ExtractedFile out;
  out.body = squeeze(title.empty() ? latex.out : title + "\n\n" + latex.out);
  out.title = title.empty() ? first_line(out.body) : title;
  return out;
}

}  // namespace cairn::connectors
