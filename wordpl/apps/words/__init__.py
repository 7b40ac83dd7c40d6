"""Prediction of which words can be answers: word features, filters, and models that rank words like known answers.

The features need the libraries of the extra `lexicon`. The word lists and the prior made with them come with the
package.
"""
