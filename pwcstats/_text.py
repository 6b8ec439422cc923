"""How messages write labels, numbers and shapes."""

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from pwcstats.errors import value

# Control characters except tab and newline, bidirectional marks, and lone surrogates.
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# Names less similar than this, on a scale from 0 to 1, are no suggestions. Names with another first letter must be more
# similar.
CUTOFF, CUTOFF_OTHER_LETTER = 0.65, 0.75


def shape_of(array: Any) -> str:
    """Dimensions, written in a way that Python and R users both read."""
    return " x ".join(map(str, array.shape)) if len(array.shape) else "a single number"


def shown(label: Any) -> str:
    """A label as Python writes it, without NumPy's wrapping of scalars."""
    return repr(label.item() if isinstance(label, np.generic) else label)


def counted(n: int, what: str) -> str:
    """A number of things, with a plural s where it is needed."""
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def percent(share: float) -> str:
    """A share from 0 to 1 in per cent: 0.95 is "95 %"."""
    return f"{100 * share:.12g} %"


def named(label: Any) -> str:
    """A label as it is, in quotes if it is empty or has blanks at its ends."""
    text = str(label)
    return text if text.strip() == text and text else repr(text)


def listed(labels: Iterable[Any]) -> str:
    """The first eight labels, in brackets."""
    labels = list(labels)
    first = ", ".join(map(named, labels[:8]))
    return f"({first}, ...)" if len(labels) > 8 else f"({first})"


def nearest(given: Any, known: Iterable[Any]) -> str | None:
    """The name that is most similar to the given text, or None if no name is similar; case hardly matters."""
    if not isinstance(given, str):
        return None
    from difflib import get_close_matches  # only errors need it

    text = given.casefold()
    spelled: dict[str, str] = {}
    for name in known:
        if isinstance(name, str) and name != given:
            spelled.setdefault(name.casefold(), str(name))
    alike = [name for name in spelled if name[:1] == text[:1]]
    found = get_close_matches(text, spelled, n=1, cutoff=CUTOFF_OTHER_LETTER) or get_close_matches(
        text, alike, n=1, cutoff=CUTOFF
    )
    return spelled[found[0]] if found else None


def did_you_mean(given: Any, known: Iterable[Any]) -> str:
    """A question that follows an error about an unknown name: " Did you mean 'wlw2'?"; empty if no name is similar."""
    name = nearest(given, known)
    return "" if name is None else f" Did you mean {value(name)}?"


def rename_hint(missing: Iterable[str], columns: Iterable[Any]) -> str:
    """Advice that follows an error about missing columns: " Rename 'Folds' to 'fold'."; empty if no name is similar."""
    columns = list(columns)
    pairs = ((nearest(name, columns), name) for name in missing)
    renamed = [f"{old!r} to {new!r}" for old, new in pairs if old is not None]
    return f" Rename {' and '.join(renamed)}." if renamed else ""


def visible(text: str) -> str:
    """The text with control characters escaped; a terminal would obey them, and fonts do not have them."""
    return _INVISIBLE.sub(lambda found: ascii(found.group())[1:-1], text)
