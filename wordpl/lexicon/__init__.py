"""Which words can be the answer: features of words, filters, and models that rank words by how like answers they are.

The libraries that the features need are the extra `lexicon`; what was made with them comes with
the package.
"""

LIGHT_FEATURES = ("frequency", "dictionary", "inflection", "spelling")
"""The feature sets that are used unless others are asked for."""
MODEL_NAMES = ("blend", "boosting", "logistic", "spy-em")
"""The models, listed here so that a command's help need not import them; `models.MODELS` has the functions."""
