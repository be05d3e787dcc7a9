#pragma once

namespace pate::reports {

/// For whom a report is written: for who has the votes, or for everybody.
enum class Audience { owner, everybody };

}  // namespace pate::reports
