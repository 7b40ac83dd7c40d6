"""How a store's tables came to be what they are: one file a step in versions/, each naming the step before it."""
