"""Epsilons at the limits of the numbers that a strategy may pay."""

import sys

LIMITS = (5e-324, 1e-300, 0.1, 700.0, 1e4, 1e154, 1e308, sys.float_info.max)
