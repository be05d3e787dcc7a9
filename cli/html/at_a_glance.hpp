#pragma once

#include <string>

#include "cli/html/html.hpp"
#include "cli/html/page.hpp"

namespace pate::cli {

/// Controller, purpose, model and date, and where to sign.
void add_heading(Html& page, const PageHeading& heading);

/// The first screen of a report: whether and with which words the number may be printed, how much
/// is lost, who is protected, what was done and when. `body` is the report or its public part,
/// `kind` its command.
void add_at_a_glance(Html& page, const io::JsonValue& report, const io::JsonValue& body,
                     const std::string& kind, const PageHeading& heading);

/// What epsilon and delta mean: odds, an attacker's success, which values are usual; a glossary.
void add_meaning(Html& page);

}  // namespace pate::cli
