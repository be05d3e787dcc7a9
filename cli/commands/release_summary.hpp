#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pate/accounting/report.hpp"
#include "pate/as_published/release.hpp"
#include "pate/release/public_release.hpp"

namespace pate::cli {

/// What a person wants to see of a release at a glance: what may be published, and apart from it
/// the private numbers behind it. `votes` is how the votes are called.
[[nodiscard]] std::string release_summary(const ReleasePlan& plan,
                                          const std::optional<PublicRelease>& published,
                                          const std::vector<Notice>& notices,
                                          const std::string& votes);

/// The part of it that may be published.
[[nodiscard]] std::string public_release_summary(const PublicRelease& published);

/// What S18's own procedure finds, marked as not valid.
[[nodiscard]] std::string as_published_summary(const PublishedRelease& release,
                                               const std::vector<Notice>& notices,
                                               const std::string& votes);

}  // namespace pate::cli
