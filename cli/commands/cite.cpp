#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/exit_status.hpp"

namespace pate::cli {

namespace {

// The program, and the papers whose mechanisms and bounds it computes.
constexpr const char* kPapers = R"(@inproceedings{papernot2017semi,
  title = {Semi-supervised Knowledge Transfer for Deep Learning from Private Training Data},
  author = {Papernot, Nicolas and Abadi, Mart{\'i}n and Erlingsson, {\'U}lfar and
            Goodfellow, Ian and Talwar, Kunal},
  booktitle = {International Conference on Learning Representations},
  year = {2017}
}

@inproceedings{papernot2018scalable,
  title = {Scalable Private Learning with {PATE}},
  author = {Papernot, Nicolas and Song, Shuang and Mironov, Ilya and Raghunathan, Ananth and
            Talwar, Kunal and Erlingsson, {\'U}lfar},
  booktitle = {International Conference on Learning Representations},
  year = {2018}
}
)";

constexpr const char* kPapersInWords =
    "The mechanisms are those of\n\n"
    "  N. Papernot, M. Abadi, U. Erlingsson, I. Goodfellow, K. Talwar: Semi-supervised\n"
    "  Knowledge Transfer for Deep Learning from Private Training Data. ICLR 2017.\n\n"
    "  N. Papernot, S. Song, I. Mironov, A. Raghunathan, K. Talwar, U. Erlingsson: Scalable\n"
    "  Private Learning with PATE. ICLR 2018.\n";

}  // namespace

void add_cite(CommandLine& line, CiteOptions& options) {
  line.section("Output").add("--bibtex", options.bibtex, "write entries for BibTeX");
}

int run_cite(const CiteOptions& options, const Streams& streams) {
  std::string text;
  if (options.bibtex) {
    text = fmt::format(
        "@software{{pate,\n  title = {{pate: the privacy accountant for teacher ensembles}},\n  "
        "version = {{{}}},\n  note = {{Privacy costs are of its bounds, named in each "
        "report}}\n}}\n\n{}",
        version(), kPapers);
  } else {
    text = fmt::format(
        "pate {}: the privacy accountant for teacher ensembles.\n\nSay which bound an epsilon "
        "rests on, and at which delta: `pate table REPORT "
        "--columns\nmechanism,epsilon,delta,bound` "
        "has both. {}\n--bibtex writes entries for BibTeX.\n",
        version(), kPapersInWords);
  }
  write_output("-", text, streams, readers_of(true));
  return kDone;
}

}  // namespace pate::cli
