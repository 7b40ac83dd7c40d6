"""Ways to find a good guess, one file each: pure functions on arrays that know no game in progress.

Words are numbers here: an answer is its column in the clue matrix, a guess its row, a hint the pair (row, clue number).
"""
