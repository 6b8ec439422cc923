"""Input becomes checked arrays; the wording of every input error is here."""
