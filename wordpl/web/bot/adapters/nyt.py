"""The New York Times' Wordle."""

from wordpl.web.bot.adapters.base import Adapter, PageShape


class NewYorkTimes(Adapter):
    """Reads the page by the attributes of its tiles and keys, since the names of its classes change too often."""

    name = "nyt"
    about = "The New York Times' Wordle. Tested on an imitation with the same attributes, not on the real page."
    shape = PageShape(
        row="[role='group'][aria-label^='Row']",
        tile="[data-testid='tile']",
        marks=(("[data-state='correct']", "c"), ("[data-state='present']", "i"), ("[data-state='absent']", ".")),
        refused="[id*='toaster' i], [class*='ToastContainer']",
        refused_text="not in word list|must (be|contain)|already",
        dialogs=(
            "button:has-text('Reject all')",
            "button:has-text('Continue')",
            "[data-testid='Play']",
            "dialog [aria-label='Close'], [role='dialog'] [aria-label='Close'], [data-testid='icon-close']",
        ),
    )
    share_button = "button:has-text('Share')"
