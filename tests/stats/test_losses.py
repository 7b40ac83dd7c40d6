import numpy as np
import pandas as pd

from wordpl.stats import game_statistics


def test_groups_are_in_natural_order_and_words_are_sorted_by_losses():
    secrets = ["eerie", "crane", "llama", "slate", "geese", "abide"]
    cost = [5.0, np.inf, 5.0, 5.0, np.inf, np.inf]
    run = pd.DataFrame({"entry": "a", "secret": pd.Categorical(secrets), "cost": cost, "n_moves": [3, 1, 2, 2, 1, 0]})
    assert [(group.group, group.n_games, group.n_lost) for group in game_statistics.by_letter_pattern(run)] == [
        ("all letters differ", 3, 2),
        ("more letters repeat", 3, 1),
    ]
    assert [group.group for group in game_statistics.by_rounds(run)] == ["no move", "1 move", "2 moves", "3 moves"]
    assert list(game_statistics.hardest_words(run)["secret"]) == ["abide", "crane", "geese", "eerie", "llama", "slate"]


def test_a_single_lost_game_does_not_make_a_word_the_hardest_and_games_without_a_secret_have_none():
    costs = {"once": [np.inf], "often": [np.inf] * 9 + [5.0], "easy": [4.0] * 10, "tough": [6.0] * 10}
    secrets = np.repeat(list(costs), [len(own) for own in costs.values()])
    run = pd.DataFrame({"entry": "a", "secret": secrets, "cost": np.concatenate(list(costs.values()))})
    assert list(game_statistics.hardest_words(run)["secret"]) == ["often", "once", "tough", "easy"]
    assert list(game_statistics.hardest_words(run, 1)["n_lost"]) == [9]
    entries = pd.Categorical(run["entry"], ["a", "b"])  # the second one has not played
    assert {group.entry for group in game_statistics.by_letter_pattern(run.assign(entry=entries))} == {"a"}
    unknown = run.assign(secret="")
    assert not len(game_statistics.hardest_words(unknown))
    assert game_statistics.by_letter_pattern(unknown) == []
