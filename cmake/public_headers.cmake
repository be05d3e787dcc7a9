# What is installed: pate/pate.hpp, what it includes, and so on; nothing else. These headers include
# none of other libraries (tests/layout checks both).
set(PATE_PUBLIC_HEADERS
    lib/pate/accounting/account.hpp
    lib/pate/accounting/guarantee.hpp
    lib/pate/accounting/names.hpp
    lib/pate/accounting/report.hpp
    lib/pate/accounting/run.hpp
    lib/pate/accounting/step_counts.hpp
    lib/pate/aggregators/aggregator.hpp
    lib/pate/error.hpp
    lib/pate/io/files.hpp
    lib/pate/io/open_table.hpp
    lib/pate/io/remembered_paths.hpp
    lib/pate/math/log_space.hpp
    lib/pate/mechanisms/noisy_max.hpp
    lib/pate/mechanisms/stability_test.hpp
    lib/pate/mechanisms/threshold_check.hpp
    lib/pate/mechanisms/union_bound.hpp
    lib/pate/parallel/parallel_for.hpp
    lib/pate/parallel/shard.hpp
    lib/pate/pate.hpp
    lib/pate/planning/plan.hpp
    lib/pate/rdp/conversion.hpp
    lib/pate/votes/numeric_table.hpp
    lib/pate/votes/query_columns.hpp
    lib/pate/votes/row_selection.hpp
    lib/pate/votes/vote_source.hpp)
