#include <pate/pate.hpp>

#include <cstdio>

// The epsilon of 200 sample queries under GNMax, from an installed library.
int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const pate::CountVotes votes(pate::io::open_table(argv[1]).table);
  pate::Aggregator aggregator;
  aggregator.noisy_max = pate::GaussianNoisyMax{20.0};
  const pate::Run run{votes, pate::RowSelection::first(200), aggregator, {}};
  pate::AccountSettings settings;
  settings.delta = 1e-5;
  const pate::Account account = pate::account(run, settings);
  std::printf("%.17g\n", account.costs[account.headline].epsilon);
}
