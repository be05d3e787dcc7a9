"""A function for every command of the program; keywords are its options.

Made by cli/python/generate.py from the options of the program: not to be edited.
"""
from pate import calls as _calls, reports as _reports

VERSION = '1.0.0'

__all__ = ['analyze', 'tune', 'release', 'explain', 'label', 'darrm', 'nzc', 'multilabel', 'ledger', 'plan', 'compose',
           'inspect', 'report', 'plot', 'table', 'cite', 'simulate']


def analyze(votes, *, delta, layout=None, member=None, classes=None, teachers=None, abstentions=None, header=None,
            index_column=None, queries=None, indices=None, indices_are=None, rows_from=None, accept=None, student=None,
            labels=None, labels_rows=None, decisions=None, decisions_are=None, decisions_rows=None, allow_empty=False,
            teacher_weights=None, sigma2=None, threshold=None, sigma1=None, laplace_scale=None, one_noise=False,
            ptr_laplace=None, ptr_sigma=None, ptr_sparse=None, ptr_sparse_sigma=None, max_refusals=None, ptr_delta=None,
            sample_teachers=None, teachers_per_person=None, neighbours=None, any_delta=False, bound=None, exact=False,
            deltas=None, profile_resolution=None, reading=None, conversion=None, orders=None, threads=None, groups=None,
            max_epsilon=None, min_answered=None, require_releasable=False, reinforce_above=None, queries_follow=None,
            rows_from_answers=False, shard=None, export_rdp=None, export_pld=None, max_memory=None):
    """Compute the privacy cost of a file of votes.

    On the command line: pate analyze votes.npy --threshold 60% --sigma1 150 --sigma2 40 --delta 1e-5

    votes: file of votes: .npy, .npz:member, .csv, .tsv, gzip of these, or - for standard input

    Votes:
    layout: array layout: counts (queries x classes), predictions (teachers x queries) or predictions-by-query
        (default: counts)
    member: array of an .npz archive; all: its arrays one after another
    classes: number of classes, or their names in a text file: cat,dog; needed for predictions
    teachers: number of teachers of the ensemble; default: what the votes add up to
    abstentions: handling of abstentions (-1, zeros of one-hot, votes missing in counts): class counts them as
        an extra class, left-out ignores them
    header: whether the first line of a text file holds column names; default: detect (one of yes, no)
    index_column: whether the first column of a text file is an index to leave out; default: detect (one of yes,
        no)
    queries: use only the first N rows, or rows A to B-1
    indices: file of row numbers to use, one per query
    indices_are: rows: confirm that indices holds row numbers although they look like labels
    rows_from: origin of the list of indices, which these votes must not decide: random, public, or a file that
        is earlier than the votes
    accept: input warnings that must not refuse the votes, by the names that the refusal gives (some of
        totals-column, label-column, looks-transposed, looks-like-counts, looks-one-hot, looks-long,
        identical-teachers, constant-teachers, plurality-column, decimal-commas, improbable-decisions,
        improbable-labels, answered-rows, one-class, sorted-rows, silent-teachers, plus-minus-one, little-noise)
    student: file of the student's scores, for the Interactive aggregator
    labels: file of true class ids, for the accuracy
    labels_rows: whether labels has one label per row of the votes (file) or per selected query (selected)
    decisions: file that says which queries the run answered
    decisions_are: content of decisions: answered (1, else 0) or labels (class ids, -1 for refused)
    decisions_rows: whether decisions has one entry per row of the votes (file) or per selected query (selected)
    allow_empty: accept an input without queries
    teacher_weights: file with a line for each teacher of predictions: how much its vote counts; what teachers
        of each weight pay is reported

    Mechanism:
    sigma2: standard deviation of the Gaussian noise on each count, in votes
    threshold: smallest noisy top count that is answered: votes, or a share of the teachers like 80%
    sigma1: standard deviation of the noise in the threshold check, in votes
    laplace_scale: scale of Laplace noise on each count (LNMax; 1/gamma in the 2017 paper)
    one_noise: two classes: the noise is one noise on one of the counts, as in PATE-GAN
    ptr_laplace: propose-test-release: epsilon of a stability test with Laplace noise
    ptr_sigma: propose-test-release: standard deviation of Gaussian noise in the stability test
    ptr_sparse: propose-test-release by sparse vector: epsilon that each refusal costs
    ptr_sparse_sigma: the same with Gaussian noise: standard deviation of a query's noise, in votes
    max_refusals: of the sparse forms: end the run after R refusals
    ptr_delta: delta of each query; of the sparse forms, of each refusal
    sample_teachers: a sample that each teacher is in with probability P answers a query: does the number of
        votes change with a teacher? Yes (sigma2, neighbours add-remove)

    Who is protected:
    teachers_per_person: largest number of teachers that one person's data may be in: S votes may move (default:
        1)
    neighbours: what may happen to a teacher: it votes otherwise, or is added or removed (one of replace,
        add-remove; default: replace)

    Privacy:
    delta: delta of the (epsilon, delta) guarantee (required)
    any_delta: allow delta > 0.1
    bound: bounds to compute: published, tradeoff, tilted (Gaussian noise, forward divergence only), complex
        (nearly the exact profile) (default: published,tradeoff)
    exact: also compute exact divergences and the privacy profile
    deltas: with exact: deltas at which the privacy profile is evaluated
    profile_resolution: with exact: discretization interval of the privacy loss; default: chosen for the run
    reading: guarantee to report first: joint or realized; expected is an average, no guarantee
    conversion: how to compute the epsilon that is reported first; default: the smallest (one of optimal,
        improved, classic, profile, gdp, pure, kov)
    orders: Renyi orders alpha to use: 2,4,8.5; moments means 2 to 9, as in the 2017 paper (S17)
    threads: number of threads; 0, the default: all processors
    groups: with exact and predictions: file with a line for each teacher, the name of its group; what each
        group pays is reported

    Limits (exit status 1 when one does not hold):
    max_epsilon: largest epsilon allowed
    min_answered: smallest number of answers allowed
    require_releasable: exit with status 1 unless epsilon may be published as is

    Interactive:
    reinforce_above: also report how many refused queries would get the student's label, if its score is above
        GAMMA

    Origin:
    queries_follow: state that queries were chosen by answers of this run or of earlier ones, as in PATE-GAN and
        text generation: only what any votes cost is promised
    rows_from_answers: the same as queries_follow answers

    Work:
    shard: process part I of N; join the parts with pate compose

    Output:
    export_rdp: write the Renyi DP behind the cost that is reported first, for other accountants: CSV, order,rdp
    export_pld: write the privacy loss distribution behind it: JSON, a grid of losses with their probabilities,
        never below the truth

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of different histograms and of teachers
    """
    options = locals()
    return _calls.call('analyze', options.pop('votes'), options, ('decisions', 'export_pld', 'export_rdp', 'groups', 'indices', 'labels', 'student', 'teacher_weights'))


def tune(votes, *, delta, layout=None, member=None, classes=None, teachers=None, abstentions=None, header=None,
         index_column=None, queries=None, indices=None, indices_are=None, rows_from=None, accept=None, student=None,
         labels=None, labels_rows=None, allow_empty=False, teacher_weights=None, sigma2=None, threshold=None,
         sigma1=None, laplace_scale=None, one_noise=False, ptr_laplace=None, ptr_sigma=None, ptr_delta=None,
         teachers_per_person=None, neighbours=None, rounds=None, first_queries=None, second_sigma2=None,
         second_threshold=None, second_sigma1=None, solve=None, goal=None, declared_epsilon=None, certificate=None,
         max_epsilon=None, min_answered=None, objective=None, min_right=None, min_agreement=None, min_accuracy=None,
         groups=None, group_epsilon=None, max_answers=None, release=False, method=None, any_delta=False, bound=None,
         reading=None, conversion=None, orders=None, refine=False, shard=None, resume=None, threads=None, top=None,
         csv=None, public_only=False, account=None, write_labels=None, force=False, ledger=None, ensemble=None,
         trust_ledger=False, lock_timeout=None, max_memory=None):
    """Search for the noise and the threshold that suit these votes.

    On the command line: pate tune votes.npy --threshold 40%:80%:10% --sigma1 50:200:50 --sigma2 20,40 --delta 1e-5 --max-epsilon 2

    votes: file of votes: .npy, .npz:member, .csv, .tsv, gzip of these, or - for standard input

    Votes:
    layout: array layout: counts (queries x classes), predictions (teachers x queries) or predictions-by-query
        (default: counts)
    member: array of an .npz archive; all: its arrays one after another
    classes: number of classes, or their names in a text file: cat,dog; needed for predictions
    teachers: number of teachers of the ensemble; default: what the votes add up to
    abstentions: handling of abstentions (-1, zeros of one-hot, votes missing in counts): class counts them as
        an extra class
    header: whether the first line of a text file holds column names; default: detect (one of yes, no)
    index_column: whether the first column of a text file is an index to leave out; default: detect (one of yes,
        no)
    queries: use only the first N rows, or rows A to B-1
    indices: file of row numbers to use, one per query
    indices_are: rows: confirm that indices holds row numbers although they look like labels
    rows_from: origin of the list of indices, which these votes must not decide: random, public, or a file that
        is earlier than the votes
    accept: input warnings that must not refuse the votes, by the names that the refusal gives (some of
        totals-column, label-column, looks-transposed, looks-like-counts, looks-one-hot, looks-long,
        identical-teachers, constant-teachers, plurality-column, decimal-commas, improbable-decisions,
        improbable-labels, answered-rows, one-class, sorted-rows, silent-teachers, plus-minus-one, little-noise)
    student: file of the student's scores, for the Interactive aggregator
    labels: file of true class ids, for the accuracy
    labels_rows: whether labels has one label per row of the votes (file) or per selected query (selected)
    allow_empty: accept an input without queries
    teacher_weights: file with a line for each teacher of predictions: how much its vote counts; what is found
        is for the heaviest

    Grid: 50:200:10 (start:stop:step), 50,100,150 or log:10:1000:25;
without any of these all parameters are looked for:
    sigma2: standard deviation of the Gaussian noise on each count, in votes
    threshold: smallest noisy top count that is answered: votes, or shares of the teachers like 60%:90%:5%
    sigma1: standard deviation of the noise in the threshold check, in votes
    laplace_scale: scale of Laplace noise on each count (LNMax)
    one_noise: two classes: the noise is one noise on one of the counts, as in PATE-GAN
    ptr_laplace: propose-test-release: epsilon of a stability test with Laplace noise
    ptr_sigma: propose-test-release: standard deviation of Gaussian noise in the stability test
    ptr_delta: propose-test-release: delta of each query

    Who is protected:
    teachers_per_person: largest number of teachers that one person's data may be in: S votes may move (default:
        1)
    neighbours: what may happen to a teacher: it votes otherwise, or is added or removed (one of replace,
        add-remove; default: replace)

    Two rounds on the same teachers, under one epsilon:
    rounds: run Confident on the first queries and Interactive (student) on the rest
    first_queries: number of queries in the first round
    second_sigma2: noise on each count in the second round; default: that of the first
    second_threshold: threshold of the second round; default: that of the first
    second_sigma1: noise of the threshold check in the second round; default: that of the first

    Goal and limits (exit status 1 when no point keeps the limits):
    solve: with max_epsilon: find the smallest sigma2 or the largest queries; other options take one value
    goal: what max_epsilon limits: what can be published (publishable; default where there is such a number), or
        the cost for exactly these votes (private)
    declared_epsilon: max_epsilon E with goal publishable: find parameters with which pate label
        declared_epsilon E passes with probability 0.99
    certificate: what the test looks at: costs at Renyi orders, or moments at complex ones, which pass at a
        smaller epsilon; default: complex for Gaussian noise where there are tables (one of renyi, complex)
    max_epsilon: largest epsilon allowed
    min_answered: smallest number of answers allowed
    objective: what to maximise: answers that are the plurality (agreeing; default with max_epsilon), the label
        (correct; default with labels) or any (answered); or the smallest epsilon (default otherwise)
    min_right: smallest number of answers that are the label or, without labels, the plurality
    min_agreement: smallest share of answers that are the plurality
    min_accuracy: smallest share of answers that are the label; needs labels
    groups: with group_epsilon and predictions: file with a line for each teacher, the name of its group
    group_epsilon: what each group of groups may pay, exactly, of one of its teachers: the best point of the
        grid at which all of them keep it
    max_answers: use only as many queries as are expected to give K answers
    release: rank the Pareto front by the mean epsilon that pate release would publish
    method: with release: curve (default), with its default parameters, or gnss

    Privacy:
    delta: delta of the (epsilon, delta) guarantee (required)
    any_delta: allow delta > 0.1
    bound: bound to tune by: tradeoff (default) or published
    reading: kind of guarantee to tune by: joint (default) or expected, which is an average
    conversion: how to compute epsilon; default: optimal, or the data-independent epsilon where it is smaller
        (one of optimal, improved, classic)
    orders: Renyi orders alpha to use: 2,4,8.5; moments means 2 to 9, as in the 2017 paper (S17)

    Work:
    refine: continue from the best point, off the grid
    shard: process part i of n of the grid; join the parts with pate compose
    resume: continue an interrupted run from its report
    threads: number of threads; 0, the default: all processors

    Output:
    top: list only the Pareto front and the N best points; default above 100,000 points: 1000
    csv: also write the points to this file as a table
    public_only: write only what may be published

    The price of looking: run and choose, so that the best labels may be released:
    account: try random points of the grid with fresh noise, K times on average by the law geometric, poisson or
        logarithmic, and release the labels of the best
    write_labels: with account: write the labels to this .npy, .csv or .tsv file; -1 means refused
    force: replace an existing file of labels
    ledger: with account: record the choice in this ledger before the labels appear
    ensemble: name of the ensemble in the ledger; default: its name there, else the file name
    trust_ledger: believe a ledger that others could have written
    lock_timeout: wait so long for a ledger in use; default: until it is free

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of different histograms, of teachers and of points on the Pareto front
    """
    options = locals()
    return _calls.call('tune', options.pop('votes'), options, ('csv', 'groups', 'indices', 'labels', 'ledger', 'resume', 'student', 'teacher_weights', 'write_labels'))


def release(votes, *, delta, layout=None, member=None, classes=None, teachers=None, abstentions=None, header=None,
            index_column=None, queries=None, indices=None, indices_are=None, rows_from=None, accept=None, student=None,
            decisions=None, decisions_are=None, decisions_rows=None, allow_empty=False, sigma2=None, threshold=None,
            sigma1=None, laplace_scale=None, one_noise=False, ptr_laplace=None, ptr_sigma=None, ptr_sparse=None,
            ptr_sparse_sigma=None, max_refusals=None, ptr_delta=None, teachers_per_person=None, neighbours=None,
            any_delta=False, method=None, cost=None, bound=None, reading=None, confidence=None, threads=None,
            certificate=None, require_releasable=False, order=None, orders_for=None, floor=None, s=None, beta=None,
            sigma_ss=None, parameters_from=None, parameters_from_labels=False, other_teachers=False,
            queries_follow=None, rows_from_answers=False, at_most=None, dry_run=False, ledger=None, ensemble=None,
            trust_ledger=False, lock_timeout=None, tables=None, again=False, as_published=False,
            sensitivity_curve=False, public_only=False, max_memory=None):
    """Publish a data-dependent epsilon, with noise.

    On the command line: pate release votes.npy --teachers 250 --threshold 60% --sigma1 150 --sigma2 40 --delta 1e-5 --ledger teachers.ledger --public-only -o public.json

    votes: file of votes: .npy, .npz:member, .csv, .tsv, gzip of these, or - for standard input

    Votes:
    layout: array layout: counts (queries x classes), predictions (teachers x queries) or predictions-by-query
        (default: counts)
    member: array of an .npz archive; all: its arrays one after another
    classes: number of classes, or their names in a text file: cat,dog; needed for predictions
    teachers: number of teachers of the ensemble (required)
    abstentions: handling of abstentions (-1, zeros of one-hot, votes missing in counts): class counts them as
        an extra class
    header: whether the first line of a text file holds column names; default: detect (one of yes, no)
    index_column: whether the first column of a text file is an index to leave out; default: detect (one of yes,
        no)
    queries: use only the first N rows, or rows A to B-1
    indices: file of row numbers to use, one per query
    indices_are: rows: confirm that indices holds row numbers although they look like labels
    rows_from: origin of the list of indices, which these votes must not decide: random, public, or a file that
        is earlier than the votes
    accept: input warnings that must not refuse the votes, by the names that the refusal gives (some of
        totals-column, label-column, looks-transposed, looks-like-counts, looks-one-hot, looks-long,
        identical-teachers, constant-teachers, plurality-column, decimal-commas, improbable-decisions,
        improbable-labels, answered-rows, one-class, sorted-rows, silent-teachers, plus-minus-one, little-noise)
    student: file of the student's scores, for the Interactive aggregator
    decisions: file that says which queries the run answered
    decisions_are: content of decisions: answered (1, else 0) or labels (class ids, -1 for refused)
    decisions_rows: whether decisions has one entry per row of the votes (file) or per selected query (selected)
    allow_empty: accept an input without queries

    Mechanism:
    sigma2: standard deviation of the Gaussian noise on each count, in votes
    threshold: smallest noisy top count that is answered: votes, or a share of the teachers like 80%
    sigma1: standard deviation of the noise in the threshold check, in votes
    laplace_scale: scale of Laplace noise on each count (LNMax; 1/gamma in the 2017 paper)
    one_noise: two classes: the noise is one noise on one of the counts, as in PATE-GAN
    ptr_laplace: propose-test-release: epsilon of a stability test with Laplace noise
    ptr_sigma: propose-test-release: standard deviation of Gaussian noise in the stability test
    ptr_sparse: propose-test-release by sparse vector: epsilon that each refusal costs
    ptr_sparse_sigma: the same with Gaussian noise: standard deviation of a query's noise, in votes
    max_refusals: of the sparse forms: end the run after R refusals
    ptr_delta: delta of each query; of the sparse forms, of each refusal

    Who is protected:
    teachers_per_person: largest number of teachers that one person's data may be in: S votes may move (default:
        1)
    neighbours: what may happen to a teacher: it votes otherwise, or is added or removed (one of replace,
        add-remove; default: replace)

    Privacy:
    delta: delta of the run (required)
    any_delta: allow delta > 0.1
    method: curve (default), or gnss: Gaussian noise scaled to smooth sensitivity
    cost: curve: cost of a query: tilted, tradeoff or exact (two classes only); default: chosen from the
        mechanism
    bound: gnss: bound on the cost of a query: tradeoff, exact (two classes only), or published with
        as_published
    reading: kind of guarantee: joint, or realized with decisions (one of joint, realized, expected)
    confidence: gnss: probability that the noise does not make epsilon too small; default: 1 - delta
    threads: number of threads; 0, the default: all processors
    certificate: what a curve, or the test of at_most, looks at: costs at Renyi orders, or moments at complex
        ones, of lists fixed beforehand, which give a smaller epsilon; default: complex for Gaussian noise where
        there are tables (one of renyi, complex)
    require_releasable: exit with status 1 and draw nothing unless the parameters are fixed in advance

    Parameters (default: of a curve from public inputs, of gnss from the votes):
    order: Renyi order alpha
    orders_for: curve by complex orders: the epsilon that its orders suit
    floor: curve by complex orders: where it begins
    s: curve: scale of the noise on the index
    beta: curve: growth per index step; gnss: smoothness of the sensitivity
    sigma_ss: gnss: noise as a multiple of the smooth sensitivity
    parameters_from: use the parameters of an earlier report of pate release
    parameters_from_labels: curve: choose s and beta by the number of answered queries; needs order and
        decisions
    other_teachers: gnss: parameters_from rests on votes that are simulated or of other teachers

    Origin:
    queries_follow: state that queries were chosen by answers of this run or of earlier ones, as in PATE-GAN and
        text generation: only what any votes cost is promised
    rows_from_answers: the same as queries_follow answers

    A claim that was fixed beforehand:
    at_most: test privately whether epsilon is at most C, and tell C where it passes, else what holds for any
        votes

    Drawing:
    dry_run: draw nothing; report only the private part
    ledger: record the release in this ledger; refuse a second one
    ensemble: name of the ensemble in the ledger; default: its name there, else the file name
    trust_ledger: believe a ledger that others could have written
    lock_timeout: wait so long for a ledger in use; default: until it is free
    tables: curve: cache directory for its tables, which hold nothing private
    again: allow a further release; it counts the whole ledger
    as_published: reproduce the 2018 paper (S18), which under-reports; needs dry_run
    sensitivity_curve: with as_published: report how much one vote changes the cost of an answer, by q

    Output:
    public_only: write only what may be published

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of different histograms; for a curve with a threshold, with the square of the
        number of teachers
    """
    options = locals()
    return _calls.call('release', options.pop('votes'), options, ('decisions', 'indices', 'ledger', 'parameters_from', 'student', 'tables'))


def explain(votes, *, delta, layout=None, member=None, classes=None, teachers=None, abstentions=None, header=None,
            index_column=None, queries=None, indices=None, indices_are=None, rows_from=None, accept=None, student=None,
            decisions=None, decisions_are=None, decisions_rows=None, query=None, top=None, sigma2=None, threshold=None,
            sigma1=None, laplace_scale=None, one_noise=False, ptr_laplace=None, ptr_sigma=None, ptr_delta=None,
            teachers_per_person=None, neighbours=None, any_delta=False, reading=None, conversion=None, orders=None,
            threads=None, published_sensitivity=None, max_memory=None):
    """Explain the cost of single queries.

    On the command line: pate explain votes.npy --sigma2 40 --delta 1e-5 --top 10 --summary

    votes: file of votes: .npy, .npz:member, .csv, .tsv, gzip of these, or - for standard input

    Votes:
    layout: array layout: counts (queries x classes), predictions (teachers x queries) or predictions-by-query
        (default: counts)
    member: array of an .npz archive; all: its arrays one after another
    classes: number of classes, or their names in a text file: cat,dog; needed for predictions
    teachers: number of teachers of the ensemble; default: what the votes add up to
    abstentions: handling of abstentions (-1, zeros of one-hot, votes missing in counts): class counts them as
        an extra class
    header: whether the first line of a text file holds column names; default: detect (one of yes, no)
    index_column: whether the first column of a text file is an index to leave out; default: detect (one of yes,
        no)
    queries: use only the first N rows, or rows A to B-1
    indices: file of row numbers to use, one per query
    indices_are: rows: confirm that indices holds row numbers although they look like labels
    rows_from: origin of the list of indices, which these votes must not decide: random, public, or a file that
        is earlier than the votes
    accept: input warnings that must not refuse the votes, by the names that the refusal gives (some of
        totals-column, label-column, looks-transposed, looks-like-counts, looks-one-hot, looks-long,
        identical-teachers, constant-teachers, plurality-column, decimal-commas, improbable-decisions,
        improbable-labels, answered-rows, one-class, sorted-rows, silent-teachers, plus-minus-one, little-noise)
    student: file of the student's scores, for the Interactive aggregator
    decisions: file that says which queries the run answered
    decisions_are: content of decisions: answered (1, else 0) or labels (class ids, -1 for refused)
    decisions_rows: whether decisions has one entry per row of the votes (file) or per selected query (selected)

    What to explain (one of them):
    query: rows of the votes to explain, counted from 0: 17, or 3,17
    top: explain the N most expensive queries

    Mechanism:
    sigma2: standard deviation of the Gaussian noise on each count, in votes
    threshold: smallest noisy top count that is answered: votes, or a share of the teachers like 80%
    sigma1: standard deviation of the noise in the threshold check, in votes
    laplace_scale: scale of Laplace noise on each count (LNMax; 1/gamma in the 2017 paper)
    one_noise: two classes: the noise is one noise on one of the counts, as in PATE-GAN
    ptr_laplace: propose-test-release: epsilon of a stability test with Laplace noise
    ptr_sigma: propose-test-release: standard deviation of Gaussian noise in the stability test
    ptr_delta: delta of each query; of the sparse forms, of each refusal

    Who is protected:
    teachers_per_person: largest number of teachers that one person's data may be in: S votes may move (default:
        1)
    neighbours: what may happen to a teacher: it votes otherwise, or is added or removed (one of replace,
        add-remove; default: replace)

    Privacy:
    delta: delta of the (epsilon, delta) guarantee (required)
    any_delta: allow delta > 0.1
    reading: guarantee to report first: joint or realized; expected is an average, no guarantee
    conversion: how to compute the epsilon that is reported first; default: the smallest (one of optimal,
        improved, classic, profile, gdp, pure, kov)
    orders: Renyi orders alpha to use: 2,4,8.5; moments means 2 to 9, as in the 2017 paper (S17)
    threads: number of threads; 0, the default: all processors
    published_sensitivity: report by how much one vote changes the published cost at Renyi order L, and what
        Algorithm 3 of W19 loses (GNMax)

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with top times the number of classes
    """
    options = locals()
    return _calls.call('explain', options.pop('votes'), options, ('decisions', 'indices', 'student'))


def label(votes, *, delta, layout=None, member=None, classes=None, teachers=None, abstentions=None, header=None,
          index_column=None, queries=None, indices=None, indices_are=None, rows_from=None, accept=None, student=None,
          allow_empty=False, teacher_weights=None, sigma2=None, threshold=None, sigma1=None, laplace_scale=None,
          one_noise=False, ptr_laplace=None, ptr_sigma=None, ptr_sparse=None, ptr_sparse_sigma=None, max_refusals=None,
          ptr_delta=None, sample_teachers=None, sample_records=None, teachers_per_person=None, neighbours=None,
          write_labels=True, force=False, reinforce_above=None, max_answers=None, max_epsilon=None, queries_follow=None,
          rows_from_answers=False, ledger=None, ensemble=None, trust_ledger=False, lock_timeout=None,
          declared_epsilon=None, certificate=None, fallback_queries=None, dry_run=False, tables=None, any_delta=False,
          order=None, threads=None, public_only=False, max_memory=None):
    """Draw noisy labels for the student.

    On the command line: pate label votes.npy --teachers 250 --threshold 60% --sigma1 150 --sigma2 40 --delta 1e-5 --write-labels labels.npy --ledger teachers.ledger

    votes: file of votes: .npy, .npz:member, .csv, .tsv, gzip of these, or - for standard input

    Votes:
    layout: array layout: counts (queries x classes), predictions (teachers x queries) or predictions-by-query
        (default: counts)
    member: array of an .npz archive; all: its arrays one after another
    classes: number of classes, or their names in a text file: cat,dog; needed for predictions
    teachers: number of teachers of the ensemble (required)
    abstentions: handling of abstentions (-1, zeros of one-hot, votes missing in counts): class counts them as
        an extra class, left-out ignores them
    header: whether the first line of a text file holds column names; default: detect (one of yes, no)
    index_column: whether the first column of a text file is an index to leave out; default: detect (one of yes,
        no)
    queries: use only the first N rows, or rows A to B-1
    indices: file of row numbers to use, one per query
    indices_are: rows: confirm that indices holds row numbers although they look like labels
    rows_from: origin of the list of indices, which these votes must not decide: random, public, or a file that
        is earlier than the votes
    accept: input warnings that must not refuse the votes, by the names that the refusal gives (some of
        totals-column, label-column, looks-transposed, looks-like-counts, looks-one-hot, looks-long,
        identical-teachers, constant-teachers, plurality-column, decimal-commas, improbable-decisions,
        improbable-labels, answered-rows, one-class, sorted-rows, silent-teachers, plus-minus-one, little-noise)
    student: file of the student's scores, for the Interactive aggregator
    allow_empty: accept an input without queries
    teacher_weights: file with a line for each teacher of predictions: how much its vote counts; what teachers
        of each weight pay is reported

    Mechanism:
    sigma2: standard deviation of the Gaussian noise on each count, in votes
    threshold: smallest noisy top count that is answered: votes, or a share of the teachers like 80%
    sigma1: standard deviation of the noise in the threshold check, in votes
    laplace_scale: scale of Laplace noise on each count (LNMax; 1/gamma in the 2017 paper)
    one_noise: two classes: the noise is one noise on one of the counts, as in PATE-GAN
    ptr_laplace: propose-test-release: epsilon of a stability test with Laplace noise
    ptr_sigma: propose-test-release: standard deviation of Gaussian noise in the stability test
    ptr_sparse: propose-test-release by sparse vector: epsilon that each refusal costs
    ptr_sparse_sigma: the same with Gaussian noise: standard deviation of a query's noise, in votes
    max_refusals: of the sparse forms: end the run after R refusals
    ptr_delta: delta of each query; of the sparse forms, of each refusal
    sample_teachers: a sample that each teacher is in with probability P answers a query: does the number of
        votes change with a teacher? Yes (sigma2, neighbours add-remove)
    sample_records: votes are of a sample that each record is in with probability P: does the number of votes
        change with a record? No, a vote moves (Private-kNN, DP-ICL; sigma2)

    Who is protected:
    teachers_per_person: largest number of teachers that one person's data may be in: S votes may move (default:
        1)
    neighbours: what may happen to a teacher: it votes otherwise, or is added or removed (one of replace,
        add-remove; default: replace)

    Run:
    write_labels: write the labels to this .npy, .csv or .tsv file; -1 means refused
    force: replace an existing file of labels
    reinforce_above: give refused queries the student's label if its score is above GAMMA
    max_answers: stop after K answers
    max_epsilon: stop before a query that could raise the data-independent epsilon of this run above E; of all
        runs together: pate ledger max_epsilon
    queries_follow: state that queries were chosen by answers of this run or of earlier ones, as in PATE-GAN and
        text generation: only what any votes cost is promised
    rows_from_answers: the same as queries_follow answers
    ledger: record the run in this ledger before its labels appear
    ensemble: name of the ensemble in the ledger; default: its name there, else the file name
    trust_ledger: believe a ledger that others could have written
    lock_timeout: wait so long for a ledger in use; default: until it is free

    A budget declared beforehand:
    declared_epsilon: test privately whether the run keeps (E, delta), and make it only where it does; both
        together cost (E, delta), passed or not
    certificate: what the test looks at: costs at Renyi orders, or moments at complex ones, which pass at a
        smaller epsilon; default: complex for Gaussian noise where there are tables (one of renyi, complex)
    fallback_queries: after a failed test answer the first N queries, with half of E
    dry_run: test nothing and draw nothing: report, privately, how likely the test passes
    tables: cache directory for the tables of the test, which hold nothing private

    Privacy:
    delta: delta of the (epsilon, delta) guarantee (required)
    any_delta: allow delta > 0.1
    order: Renyi order alpha of the privacy filter; default: chosen from the settings
    threads: number of threads; 0, the default: all processors

    Output:
    public_only: write only what may be published

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of queries, 8 bytes each
    """
    options = locals()
    return _calls.call('label', options.pop('votes'), options, ('indices', 'ledger', 'student', 'tables', 'teacher_weights', 'write_labels'))


def darrm(votes=None, *, epsilon, setting=None, delta_teacher=None, affected=None, m=None, delta=None,
          noise_function=None, weights=None, monotone=False, layout=None, member=None, classes=None, teachers=None,
          header=None, index_column=None, queries=None, indices=None, indices_are=None, rows_from=None, accept=None,
          labels=None, labels_rows=None, total_delta=None, any_delta=False, max_epsilon=None, write_labels=None,
          force=False, ledger=None, ensemble=None, trust_ledger=False, lock_timeout=None, public_only=False,
          max_memory=None):
    """Plan or draw the majority of private teachers (DaRRM).

    On the command line: pate darrm --teachers 11 --setting independent-fresh --epsilon 0.1 --m 3 --queries 10

    votes: votes for two classes, where there are any: .npy, .npz:member, .csv, .tsv, gzip of these, or - for
        standard input

    Teachers:
    setting: how private the teachers are: independent-fresh (trained on the whole data, new coins for every
        query), static-whole (trained once on the whole data), static-shards (trained once on disjoint shards)
        or non-private (shards, no privacy of their own)
    epsilon: epsilon of one teacher's vote; static: of all its votes; non-private: of one answer (required)
    delta_teacher: delta that goes with epsilon; default: 0
    affected: number of teachers that one record can affect; default: all, with shards 1, and 1 for non-private

    Answer:
    m: privacy of one answer, as a multiple of epsilon
    delta: delta of one answer; default: 1-(1-delta-teacher)^M
    noise_function: optimal (default), double-subsampling, constant, or one-vote (non-private only)
    weights: weights of the objective: agreement (default), uniform, binomial:MU, published:MU, total-variation,
        or a file
    monotone: require noise that never grows with the majority

    Votes:
    layout: array layout: counts (queries x classes), predictions (teachers x queries) or predictions-by-query
        (default: counts)
    member: array of an .npz archive; all: its arrays one after another
    classes: number of classes, or their names in a text file: cat,dog; needed for predictions
    teachers: number of teachers of the ensemble; default: what the votes add up to
    header: whether the first line of a text file holds column names; default: detect (one of yes, no)
    index_column: whether the first column of a text file is an index to leave out; default: detect (one of yes,
        no)
    queries: use only the first N rows, or rows A to B-1
    indices: file of row numbers to use, one per query
    indices_are: rows: confirm that indices holds row numbers although they look like labels
    rows_from: origin of the list of indices, which these votes must not decide: random, public, or a file that
        is earlier than the votes
    accept: input warnings that must not refuse the votes, by the names that the refusal gives (some of
        totals-column, label-column, looks-transposed, looks-like-counts, looks-one-hot, looks-long,
        identical-teachers, constant-teachers, plurality-column, decimal-commas, improbable-decisions,
        improbable-labels, answered-rows, one-class, sorted-rows, silent-teachers, plus-minus-one, little-noise)
    labels: file of true class ids, for the accuracy
    labels_rows: whether labels has one label per row of the votes (file) or per selected query (selected)

    Run:
    total_delta: delta of all answers together, for the optimal (KOV) composition
    any_delta: allow delta > 0.1
    max_epsilon: exit with status 1 above this epsilon, and draw no answers
    write_labels: draw the answers and write them to this .npy, .csv or .tsv file
    force: replace an existing file of labels
    ledger: record the run in this ledger (non-private only)
    ensemble: name of the ensemble in the ledger; default: its name there, else the file name
    trust_ledger: believe a ledger that others could have written
    lock_timeout: wait so long for a ledger in use; default: until it is free

    Output:
    public_only: write only what may be published

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of different histograms and the square of the number of teachers
    """
    options = locals()
    return _calls.call('darrm', options.pop('votes'), options, ('indices', 'labels', 'ledger', 'write_labels'))


def nzc(votes, *, delta, layout=None, member=None, classes=None, teachers=None, abstentions=None, header=None,
        index_column=None, queries=None, indices=None, indices_are=None, accept=None, labels=None, labels_rows=None,
        scale=None, sigma=None, tau=None, constant=None, any_delta=False, max_memory=None):
    """Check the immutable noisy argmax of Sun et al. (2020).

    On the command line: pate nzc votes.npy --scale 20 --tau 1e-6 --delta 1e-5 --summary

    votes: file of votes: .npy, .npz:member, .csv, .tsv, gzip of these, or - for standard input

    Votes:
    layout: array layout: counts (queries x classes), predictions (teachers x queries) or predictions-by-query
        (default: counts)
    member: array of an .npz archive; all: its arrays one after another
    classes: number of classes, or their names in a text file: cat,dog; needed for predictions
    teachers: number of teachers of the ensemble; default: what the votes add up to
    abstentions: handling of abstentions (-1, zeros of one-hot, votes missing in counts): class counts them as
        an extra class
    header: whether the first line of a text file holds column names; default: detect (one of yes, no)
    index_column: whether the first column of a text file is an index to leave out; default: detect (one of yes,
        no)
    queries: use only the first N rows, or rows A to B-1
    indices: file of row numbers to use, one per query
    indices_are: rows: confirm that indices holds row numbers although they look like labels
    accept: input warnings that must not refuse the votes, by the names that the refusal gives (some of
        totals-column, label-column, looks-transposed, looks-like-counts, looks-one-hot, looks-long,
        identical-teachers, constant-teachers, plurality-column, decimal-commas, improbable-decisions,
        improbable-labels, answered-rows, one-class, sorted-rows, silent-teachers, plus-minus-one, little-noise)
    labels: file of true class ids, for the accuracy
    labels_rows: whether labels has one label per row of the votes (file) or per selected query (selected)

    Mechanism:
    scale: scale of Laplace noise on each count, in votes (1/gamma in the paper)
    sigma: standard deviation of Gaussian noise on each count, in votes
    tau: failure probability from which the paper derives the constant
    constant: constant added to the plurality, in votes

    Privacy:
    delta: of (epsilon, delta), of all answers (required)
    any_delta: allow delta > 0.1

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of different histograms
    """
    options = locals()
    return _calls.call('nzc', options.pop('votes'), options, ('indices', 'labels'))


def multilabel(votes, *, multilabel, sigma2, delta, layout=None, teachers=None, queries=None, any_delta=False,
               exact=False, threads=None, max_memory=None):
    """Compute what queries with several labels cost.

    On the command line: pate multilabel votes.npy --multilabel binary,tau:3,powerset --sigma2 40 --delta 1e-5 --summary

    votes: file of votes: .npy or .npz:member of three dimensions, of counts also .csv, .tsv or - for standard
        input

    Votes:
    layout: array layout: predictions (teachers x queries x labels), predictions-by-query (queries x teachers x
        labels) or counts (queries x labels) (default: predictions)
    teachers: number of teachers of the ensemble; counts need it
    queries: use only the first N queries, or A to B-1

    Mechanism:
    multilabel: how a query gets labels: binary (a vote on each), tau:T (sums of ballots with an L2 norm of at
        most sqrt T), powerset (one vote on sets); several are compared (required)
    sigma2: standard deviation of Gaussian noise on each count, in votes: one for all, or one for each of
        multilabel (required)

    Privacy:
    delta: delta of the (epsilon, delta) guarantee (required)
    any_delta: allow delta > 0.1
    exact: also compute exact divergences, and what each teacher pays
    threads: number of threads; 0, the default: all processors

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of votes and of labels
    """
    options = locals()
    return _calls.call('multilabel', options.pop('votes'), options, ())


def ledger(ledger, *, repair=False, trust_ledger=False, lock_timeout=None, rdp=None, approximate=None, gaussian_mu=None,
           zcdp=None, source=None, append=False, delta=None, any_delta=False, orders=None, max_epsilon=None,
           threads=None, max_memory=None):
    """Show the total cost recorded in a ledger.

    On the command line: pate ledger teachers.ledger --summary

    ledger: a ledger of pate label and pate release

    Ledger:
    repair: leave out what was cut off at the end
    trust_ledger: believe a ledger that others could have written
    lock_timeout: wait so long for a ledger in use; default: until it is free

    Numbers of others:
    rdp: add what another accountant says of the same data: a CSV file of Renyi orders and RDP, with the
        headings order,rdp; give it once for each
    approximate: add what is (epsilon, delta)-DP
    gaussian_mu: add what has Gaussian DP: sensitivity over standard deviation
    zcdp: add what is rho-zCDP, or (xi, rho)-zCDP as NAME=XI,RHO
    source: who says so, as the program and its version; needed for every number
    append: write these numbers into the ledger, each as an entry

    Total:
    delta: delta of the total; default: the sum of those of the entries
    any_delta: allow delta > 0.1
    orders: Renyi orders alpha to use: 2,4,8.5; moments means 2 to 9, as in the 2017 paper (S17)
    max_epsilon: exit with status 1 above this epsilon, at delta
    threads: number of threads; 0, the default: all processors

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of entries
    """
    options = locals()
    return _calls.call('ledger', options.pop('ledger'), options, ())


def plan(*, delta, sigma2=None, threshold=None, sigma1=None, laplace_scale=None, one_noise=False, ptr_laplace=None,
         ptr_sigma=None, ptr_sparse=None, ptr_sparse_sigma=None, max_refusals=None, ptr_delta=None,
         teachers_per_person=None, neighbours=None, queries=None, max_answers=None, teachers=None, classes=None,
         sample_teachers=None, sample_records=None, teacher_weights=None, any_delta=False, conversion=None,
         published_sensitivity=None, orders=None, max_epsilon=None, declared_epsilon=None, certificate=None,
         tables=None, threads=None, epsilon=None, solve=None, groups=None, group_epsilon=None, weights_output=None,
         public_only=False, export_rdp=None, export_pld=None, max_memory=None):
    """Bound the cost of a future run, or calibrate its noise.

    On the command line: pate plan --queries 1000 --delta 1e-5 --epsilon 2 --solve sigma2


    Mechanism:
    sigma2: standard deviation of the Gaussian noise on each count, in votes
    threshold: smallest noisy top count that is answered: votes, or a share of the teachers like 80%
    sigma1: standard deviation of the noise in the threshold check, in votes
    laplace_scale: scale of Laplace noise on each count (LNMax; 1/gamma in the 2017 paper)
    one_noise: two classes: the noise is one noise on one of the counts, as in PATE-GAN
    ptr_laplace: propose-test-release: epsilon of a stability test with Laplace noise
    ptr_sigma: propose-test-release: standard deviation of Gaussian noise in the stability test
    ptr_sparse: propose-test-release by sparse vector: epsilon that each refusal costs
    ptr_sparse_sigma: the same with Gaussian noise: standard deviation of a query's noise, in votes
    max_refusals: of the sparse forms: end the run after R refusals
    ptr_delta: delta of each query; of the sparse forms, of each refusal

    Who is protected:
    teachers_per_person: largest number of teachers that one person's data may be in: S votes may move (default:
        1)
    neighbours: what may happen to a teacher: it votes otherwise, or is added or removed (one of replace,
        add-remove; default: replace)

    Run:
    queries: number of queries put to the ensemble
    max_answers: end the run after K answers
    teachers: number of teachers: says how much of their agreement the noise leaves, and where a threshold is
        out of their reach; of teacher_weights: how many there must be
    classes: number of classes, with teachers
    sample_teachers: a sample that each teacher is in with probability P answers a query: does the number of
        votes change with a teacher? Yes (sigma2, neighbours add-remove)
    sample_records: votes are of a sample that each record is in with probability P: does the number of votes
        change with a record? No, a vote moves (Private-kNN, DP-ICL; sigma2)
    teacher_weights: how much the vote of each teacher will count, a line each, as in 'pate analyze'; what
        teachers of each weight pay is reported

    Privacy:
    delta: delta of the (epsilon, delta) guarantee (required)
    any_delta: allow delta > 0.1
    conversion: how to compute the epsilon that is reported first; default: the smallest (one of gdp, optimal,
        improved, classic, pure, kov, moments, strong, profile)
    published_sensitivity: report by how much one vote changes the published cost of a query at Renyi order L,
        and what Algorithm 3 of W19 loses (GNMax; with teachers, classes)
    orders: Renyi orders alpha to use: 2,4,8.5; moments means 2 to 9, as in the 2017 paper (S17)
    max_epsilon: exit with status 1 above this epsilon

    A budget declared beforehand (estimates, without votes):
    declared_epsilon: how likely the test of pate label declared_epsilon E passes, by queries, for votes of
        three levels of agreement
    certificate: what the test looks at: costs at Renyi orders, or moments at complex ones, which pass at a
        smaller epsilon; default: complex for Gaussian noise where there are tables (one of renyi, complex)
    tables: cache directory for its tables, which hold nothing private
    threads: number of threads; 0, the default: all processors

    Calibration (epsilon goes with solve):
    epsilon: target epsilon for solve
    solve: parameter to calibrate: the smallest sigma2, sigma1, laplace-scale, ptr-sigma or ptr-sparse-sigma, or
        the largest queries, max-answers or max-refusals; or the largest weights of groups, teacher-weights,
        which have group_epsilon
    groups: with solve teacher-weights: file with a line for each of the M teachers, the name of its group
    group_epsilon: what a teacher of each group may pay, whatever the votes
    weights_output: write the weight of each teacher that was found, a line each, for teacher_weights

    Output:
    public_only: write only what may be published
    export_rdp: write the Renyi DP behind the cost that is reported first, for other accountants: CSV, order,rdp
    export_pld: write the privacy loss distribution behind it: JSON, a grid of losses with their probabilities,
        never below the truth

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of teachers
    """
    return _calls.call('plan', None, locals(), ('export_pld', 'export_rdp', 'groups', 'tables', 'teacher_weights', 'weights_output'))


def compose(*reports, delta=None, any_delta=False, orders=None, bound=None, reading=None, conversion=None,
            same_teachers=False, trust_ledger=False, rdp=None, approximate=None, gaussian_mu=None, zcdp=None,
            source=None, max_epsilon=None, min_answered=None, require_releasable=False, public_only=False,
            export_rdp=None, export_pld=None, threads=None, max_memory=None):
    """Compose the costs of reports, or join shards of a run.

    On the command line: pate compose round1.json round2.json --summary

    reports: reports: all shards of a run or tuning, or rounds: of analyze, label, plan, release, compose, and
        ledgers

    Rounds:
    delta: delta of the sum; default: that of the reports
    any_delta: allow delta > 0.1
    orders: Renyi orders alpha to use: 2,4,8.5; moments means 2 to 9, as in the 2017 paper (S17)
    bound: bound to report first: tradeoff, published, exact, data-independent or released
    reading: guarantee to report first: joint or realized; expected is an average, no guarantee
    conversion: how to compute the epsilon that is reported first; default: the smallest (one of optimal,
        improved, classic, profile, gdp, pure, kov)
    same_teachers: assert that votes in different files are by the same teachers
    trust_ledger: believe a ledger that others could have written

    Numbers of others:
    rdp: add what another accountant says of the same data: a CSV file of Renyi orders and RDP, with the
        headings order,rdp; give it once for each
    approximate: add what is (epsilon, delta)-DP
    gaussian_mu: add what has Gaussian DP: sensitivity over standard deviation
    zcdp: add what is rho-zCDP, or (xi, rho)-zCDP as NAME=XI,RHO
    source: who says so, as the program and its version; needed for every number

    Limits (exit status 1 when one does not hold):
    max_epsilon: largest epsilon allowed
    min_answered: smallest number of answers allowed
    require_releasable: exit with status 1 unless epsilon may be published as is

    Output:
    public_only: write only what may be published
    export_rdp: write the Renyi DP behind the cost that is reported first, for other accountants: CSV, order,rdp
    export_pld: write the privacy loss distribution behind it: JSON, a grid of losses with their probabilities,
        never below the truth

    Work:
    threads: number of threads; 0, the default: all processors

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the size of the reports
    """
    options = locals()
    return _calls.call_with_reports('compose', options.pop("reports"), options, ('export_pld', 'export_rdp'))


def inspect(votes, *, layout=None, member=None, classes=None, teachers=None, abstentions=None, header=None,
            index_column=None, queries=None, indices=None, indices_are=None, accept=None, student=None, labels=None,
            labels_rows=None, allow_empty=False, threshold=None, sigma1=None, ptr_laplace=None, ptr_sigma=None,
            ptr_sparse=None, ptr_sparse_sigma=None, ptr_delta=None, bins=None, threads=None, max_memory=None):
    """Describe a file of votes and warn of likely mistakes.

    On the command line: pate inspect votes.npy --threshold 60% --sigma1 150 --summary

    votes: file of votes: .npy, .npz:member, .csv, .tsv, gzip of these, or - for standard input

    Votes:
    layout: array layout: counts (queries x classes), predictions (teachers x queries) or predictions-by-query
        (default: counts)
    member: array of an .npz archive; all: its arrays one after another
    classes: number of classes, or their names in a text file: cat,dog; needed for predictions
    teachers: number of teachers of the ensemble; default: what the votes add up to
    abstentions: handling of abstentions (-1, zeros of one-hot, votes missing in counts): class counts them as
        an extra class
    header: whether the first line of a text file holds column names; default: detect (one of yes, no)
    index_column: whether the first column of a text file is an index to leave out; default: detect (one of yes,
        no)
    queries: use only the first N rows, or rows A to B-1
    indices: file of row numbers to use, one per query
    indices_are: rows: confirm that indices holds row numbers although they look like labels
    accept: input warnings that must not refuse the votes, by the names that the refusal gives (some of
        totals-column, label-column, looks-transposed, looks-like-counts, looks-one-hot, looks-long,
        identical-teachers, constant-teachers, plurality-column, decimal-commas, improbable-decisions,
        improbable-labels, answered-rows, one-class, sorted-rows, silent-teachers, plus-minus-one, little-noise)
    student: file of the student's scores, for the Interactive aggregator
    labels: file of true class ids, for the accuracy
    labels_rows: whether labels has one label per row of the votes (file) or per selected query (selected)
    allow_empty: accept an input without queries

    Threshold (both or neither):
    threshold: smallest noisy top count that is answered: votes, or a share of the teachers like 80%
    sigma1: standard deviation of the noise in the threshold check, in votes

    PTR instead (ptr_delta and one of the others):
    ptr_laplace: propose-test-release: epsilon of a stability test with Laplace noise
    ptr_sigma: propose-test-release: standard deviation of Gaussian noise in the stability test
    ptr_sparse: propose-test-release by sparse vector: epsilon that each refusal costs
    ptr_sparse_sigma: the same with Gaussian noise: standard deviation of a query's noise, in votes
    ptr_delta: delta of each query; of the sparse forms, of each refusal

    Histograms:
    bins: largest number of bins; default: one per vote, up to 1000

    Work:
    threads: number of threads; 0, the default: all processors

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with bins only
    """
    options = locals()
    return _calls.call('inspect', options.pop('votes'), options, ('indices', 'labels', 'student'))


def report(*reports, for_=None, purpose=None, model=None, date=None, no_pictures=False, public_only=False,
           max_memory=None):
    """Write reports as an HTML page for people who run no commands.

    On the command line: pate report report.json -o report.html

    reports: reports of pate, JSON; - is standard input

    Heading:
    for_: name of the controller, whose data it was
    purpose: purpose of the model or of the report
    model: name of the model; the title of the page
    date: date of the report

    Output:
    no_pictures: omit the figures, which gnuplot draws
    public_only: show only the parts that may be published

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the size of the reports
    """
    options = locals()
    return _calls.page_of(options.pop("reports"), options)


def plot(*reports, kind, size=None, title=None, label=None, bins=None, max_memory=None):
    """Draw figures from reports.

    On the command line: pate plot report.json --kind cumulative -o cumulative.svg

    reports: reports of pate, JSON; - is standard input

    Figure:
    kind: figure to draw (required)
          cumulative   epsilon against answers (analyze)
          partition    where the budget goes
                       (analyze, plan, label, release)
          votes        agreement of the teachers (inspect)
          gaps         how far the plurality is ahead
                       (inspect)
          orders       RDP and epsilon by order
                       (analyze, plan, label)
          pareto       epsilon against right answers (tune)
          heatmap      epsilon and right answers over two
                       parameters (tune)
          parameter    both over the only parameter (tune)
          teachers     epsilon of every teacher
                       (analyze exact on predictions)
          sensitivity  change of the cost with one vote
                       (release as_published
                       sensitivity_curve)
          profile      delta against epsilon
                       (analyze exact)
          gamma        the noise function (darrm)
          ensembles    gap by number of teachers (inspect)
          accuracy     right answers against the noise
                       (tune labels over one parameter)
    size: width on paper, where text has 8 pt: column (3.3 in), half (2.7 in) or page (5.5 in) (default: column)
    title: title above the figure; default: none, for a caption
    label: name of each report in the legend, in the order of the reports; default: the names of the files
    bins: votes, gaps: largest number of bins (default: 20)

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the size of the reports
    """
    options = locals()
    return _calls.picture_of(options.pop("reports"), options)


def table(*reports, columns=None, label=None, format=None, max_memory=None):
    """Write reports as a table for a paper, one row each.

    On the command line: pate table run1.json run2.json --format latex -o results.tex

    reports: reports of pate, JSON; - is standard input

    Table:
    columns: columns of the table, in this order; default: run, mechanism, queries, answered, accuracy, epsilon,
        delta, promise and publish (some of run, mechanism, teachers, classes, queries, answered, accuracy,
        agreement, epsilon, delta, promise, bound, publish)
    label: name of each run, in the order of the reports; default: the names of the files

    Output:
    format: latex (for the package booktabs), markdown or csv (default: markdown)

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the size of the reports
    """
    options = locals()
    return _calls.text_of('table', options.pop("reports", ()), options)


def cite(*, bibtex=False, max_memory=None):
    """Print how to cite the program and the papers.

    On the command line: pate cite --bibtex


    Output:
    bibtex: write entries for BibTeX

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with nothing
    """
    options = locals()
    return _calls.text_of('cite', options.pop("reports", ()), options)


def simulate(*, teachers=None, classes=None, queries=None, accuracy=None, correlation=None, seed=None, layout=None,
             max_memory=None):
    """Simulate votes of an ensemble.

    On the command line: pate simulate --teachers 250 --queries 1000 --accuracy 0.8 -o votes.npy

    teachers: number of teachers (default: 250)
    classes: number of classes (default: 10)
    queries: number of queries (default: 1000)
    accuracy: expected share of teachers that are right (default: 0.9)
    correlation: correlation between teachers' errors, below 1 (default: 0.1)
    seed: seed of the random numbers; equal seeds give equal votes (default: 0)
    layout: array layout: counts, predictions or predictions-by-query (default: counts)

    Program:
    max_memory: memory limit, like 2GB; beyond it exit with status 3; default: 80% of what is available. Memory
        grows with the number of votes
    """
    return _calls.simulate(locals())
