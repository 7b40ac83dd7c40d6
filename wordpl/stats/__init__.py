"""Statistics of records: scores with intervals, comparisons of entries, and rankings."""
