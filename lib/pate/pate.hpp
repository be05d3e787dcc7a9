#pragma once

// The library's front door. What a run of the Confident aggregator cost:
//
//     const pate::CountVotes votes(pate::io::open_table("votes.npy").table);
//     pate::Aggregator aggregator;
//     aggregator.noisy_max = pate::GaussianNoisyMax{15.0};
//     aggregator.selection = pate::ThresholdCheck{60.0, 15.0};
//     const pate::Run run{votes, pate::RowSelection::first(200), aggregator};
//     pate::AccountSettings settings;
//     settings.delta = 1e-5;
//     const pate::Account account = pate::account(run, settings);
//     std::cout << account.costs[account.headline].epsilon << '\n';
//
// The headers below are installed with those they include, and no others; lib/README.md says what
// is promised to stay.

#include "pate/accounting/account.hpp"        // a run, what it cost
#include "pate/accounting/planning/plan.hpp"  // a run to come: its cost, the noise a target allows
#include "pate/base/error.hpp"                // what is thrown
#include "pate/votes/query_columns.hpp"       // labels, decisions, rows, a student's scores
#include "pate/votes/tables/open_table.hpp"   // files of numbers
#include "pate/votes/vote_source.hpp"         // histograms or every teacher's predictions as votes
