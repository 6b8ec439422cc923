"""Run commands in this process."""

import io
import json
import sys
from types import SimpleNamespace

import pytest

from pwcstats.cli import main


class Shell:
    """Runs ``pwcstats ...`` in a folder of its own."""

    def __init__(self, folder, capsys, monkeypatch):
        self.folder, self._capsys, self._monkeypatch = folder, capsys, monkeypatch

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return str(self.folder / name)

    def path(self, name):
        return str(self.folder / name)

    def stdin(self, text):
        self._monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))

    def run(self, *arguments):
        """Exit code, stdout and stderr."""
        code = main([str(word) for word in arguments])
        return (code, *self._capsys.readouterr())

    def ok(self, *arguments):
        """Stdout of a command that succeeds and prints nothing on stderr."""
        code, out, err = self.run(*arguments)
        assert (code, err) == (0, "")
        return out

    def document(self, *arguments):
        """The JSON document; NaN and Infinity, which are not valid JSON, are errors."""

        def refuse(token):
            raise AssertionError(token)

        return json.loads(self.ok(*arguments, "--json"), parse_constant=refuse)

    def refused(self, *arguments):
        """The line on stderr of a command whose data cannot be used."""
        code, out, err = self.run(*arguments)
        assert (code, out) == (1, "")
        assert err.startswith("pwcstats: ")
        assert err.count("\n") == 1
        assert err.endswith("\n")
        return err

    def misused(self, *arguments):
        """The message of argparse on wrong usage."""
        with pytest.raises(SystemExit) as error:
            main([str(word) for word in arguments])
        assert error.value.code == 2
        return self._capsys.readouterr().err
