"""The keywords that are True or False.

Made by cli/python/generate.py from the options of the program: not to be edited.
"""

FLAGS = frozenset(['again', 'allow_empty', 'any_delta', 'append', 'as_published', 'bibtex', 'dry_run', 'exact', 'force',
                   'monotone', 'no_pictures', 'one_noise', 'other_teachers', 'parameters_from_labels',
                   'public_only', 'refine', 'release', 'repair', 'require_releasable', 'rows_from_answers',
                   'same_teachers', 'sensitivity_curve', 'trust_ledger'])
