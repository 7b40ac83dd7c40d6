"""Whether a word is a lemma or a form of another word, and how common its relatives are.

Wordle's editors avoid regular plurals and most past tenses. These features distinguish such forms from words with the
same ending, like bonus.
"""

from collections.abc import Iterable, Sequence

from wordpl.lexicon import sources
from wordpl.lexicon.sources import zipf

SOURCES = (sources.LEMMINFLECT, sources.SIMPLEMMA, sources.WORDFREQ, sources.SYMSPELL)
LEAKAGE = "none: dictionaries of word forms"
PARTS_OF_SPEECH = ("NOUN", "VERB", "ADJ", "ADV", "PROPN", "AUX")
FORMS = ("NNS", "VBD", "VBG", "VBZ", "JJR")


def columns(words: Sequence[str]) -> list[dict[str, float]]:
    """Return in which parts of speech each word is a lemma or a form, and the frequencies of related words."""
    return [
        _form_features(word) | _lemma_features(word) | _simplemma_features(word) | _ending_features(word)
        for word in words
    ]


def is_only_a_form(word: str) -> bool:
    """Return whether the lexicon contains the word only as a form of other words."""
    lemmas = sources.lemmas(word)
    return bool(lemmas) and not any(word in part_lemmas for part_lemmas in lemmas.values())


def _form_features(word: str) -> dict[str, float]:
    lemmas = sources.lemmas(word)
    other_lemmas = [lemma for part_lemmas in lemmas.values() for lemma in part_lemmas if lemma != word]
    row: dict[str, float] = {"unknown": not lemmas, "zipf_of_lemma": _max_zipf(other_lemmas)}
    row["lemma_is_commoner_by"] = max(0.0, row["zipf_of_lemma"] - zipf(word)) if other_lemmas else 0.0
    for part in PARTS_OF_SPEECH:
        part_lemmas = lemmas.get(part, ())
        row[f"is_{part}"] = word in part_lemmas
        row[f"is_a_form_of_{part}"] = bool(part_lemmas) and word not in part_lemmas
    row["n_parts_of_speech"] = sum(word in part_lemmas for part_lemmas in lemmas.values())
    only_a_form = is_only_a_form(word)
    row["only_a_form"] = only_a_form
    for end in ("s", "ed"):
        row[f"only_a_form_in_{end}"] = only_a_form and word.endswith(end)
    row["only_a_form_in_other_letters"] = only_a_form and not word.endswith(("s", "ed"))
    return row


def _lemma_features(word: str) -> dict[str, float]:
    by_tag = {tag: [form for form in forms if form != word] for tag, forms in sources.inflections(word).items()}
    forms = {form for tag_forms in by_tag.values() for form in tag_forms}
    row: dict[str, float] = {"n_forms": len(forms), "zipf_of_forms": _max_zipf(forms)}
    row["n_forms_in_dictionary"] = len(forms & sources.dictionary_counts().keys())
    return row | {f"zipf_of_{tag}": _max_zipf(by_tag.get(tag, ())) for tag in FORMS}


def _simplemma_features(word: str) -> dict[str, float]:
    is_known, lemma_of = sources.simplemma_functions()
    lemma = lemma_of(word)
    differs = lemma != word
    commoner_by = zipf(lemma) - zipf(word) if differs else 0.0
    return {"simplemma_knows": is_known(word), "simplemma_differs": differs, "simplemma_commoner_by": commoner_by}


def _ending_features(word: str) -> dict[str, float]:
    dictionary = sources.dictionary_counts()
    stem = word[:-1] if word.endswith("s") and not word.endswith("ss") else ""
    return {
        "zipf_without_s": zipf(stem),
        "known_without_s": stem in dictionary,
        "known_without_es": word.endswith("es") and word[:-2] in dictionary,
        "known_without_ed": word.endswith("ed") and (word[:-2] in dictionary or word[:-1] in dictionary),
    }


def _max_zipf(words: Iterable[str]) -> float:
    return max(map(zipf, words), default=0.0)
