"""Prediction of which words can be answers: word features, filters, and models that rank words like known answers.

The features need the libraries of the extra `lexicon`. The word lists and the prior made with them come with the
package.
"""

LIGHT_FEATURES = ("frequency", "dictionary", "inflection", "spelling")
"""The feature sets used by default."""
MODEL_NAMES = ("blend", "boosting", "logistic", "spy-em")
"""Names of the models in `word_ranking.MODELS`, listed here so that a command's help does not import them."""
