"""What records say: intervals, scores, comparisons and rankings. It knows records, never games."""
