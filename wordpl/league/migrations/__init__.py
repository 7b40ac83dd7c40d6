"""Schema migrations of the league store: one file per revision in versions/, each naming the revision before it."""
