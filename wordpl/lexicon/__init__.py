"""Which words can be the answer: features of words, filters, and models that rank words by how like answers they are.

The libraries that the features need are the extra `lexicon`; what was made with them comes with
the package.
"""
