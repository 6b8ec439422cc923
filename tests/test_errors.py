"""Messages with references: how front ends write them, and whether they survive pickling."""

import pickle
import warnings

import joblib
import numpy as np
import pytest

from pwcstats import errors
from pwcstats._text import listed, named, percent
from pwcstats.errors import InputError, Message, PwcError, PwcWarning, Reference, Vocabulary, arg, code, quoted, value

SOURCE = f"{arg('maxiter')} must be at least 1, got {value(None)}; try {arg('method', 'firth')} or {code('fit()')}."
KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, (PwcError, PwcWarning))]


class R(Vocabulary):
    """Names and values as R has them."""

    def parameter(self, name):
        return {"maxiter": "maxit"}.get(name, name)

    def literal(self, value):
        return {"None": "NULL", "True": "TRUE"}.get(value, value)

    def setting(self, name, value):
        return f"{self.parameter(name)} = {self.literal(value)}"

    def function(self, name):
        return {"fit()": "bt()"}.get(name, name)


class Shell(Vocabulary):
    """Parameters as options."""

    def parameter(self, name):
        return f"--{name.replace('_', '-')}"

    def setting(self, name, value):
        return f"{self.parameter(name)} {value.strip(chr(39))}"


@pytest.mark.parametrize(
    ("vocabulary", "expected"),
    [
        (Vocabulary(), "maxiter must be at least 1, got None; try method='firth' or fit()."),
        (R(), "maxit must be at least 1, got NULL; try method = 'firth' or bt()."),
        (Shell(), "--maxiter must be at least 1, got None; try --method firth or fit()."),
    ],
    ids=["python", "r", "shell"],
)
def test_rendering(vocabulary, expected):
    assert Message(SOURCE).render(vocabulary) == expected


def test_a_message_is_the_text_that_python_shows():
    message = Message(SOURCE)
    assert message == "maxiter must be at least 1, got None; try method='firth' or fit()."
    assert str(InputError(SOURCE)) == message
    assert message.source == SOURCE
    assert [part for part in message.parts if isinstance(part, Reference)] == [
        Reference("parameter", "maxiter"),
        Reference("value", "", "None"),
        Reference("setting", "method", "'firth'"),
        Reference("function", "fit()"),
    ]


def test_a_message_of_a_message_is_the_same():
    once = Message(SOURCE)
    again = Message(once)
    assert (again, again.source, again.parts) == (once, once.source, once.parts)


def test_without_references():
    assert Message("no rows.").parts == ("no rows.",)
    assert Message("").render(R()) == ""
    assert str(InputError()) == ""


def test_arguments_are_the_parameters_in_order_and_once():
    assert Message(SOURCE).arguments == ("maxiter", "method")
    assert InputError(f"{arg('y')}, {arg('x', 1)}, {arg('y', 2)}, {value('z')}").arguments == ("y", "x")
    assert PwcWarning("nothing").arguments == ()


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (None, "None"),
        ("a b", "'a b'"),
        (np.float64(0.5), "0.5"),
        (np.int64(3), "3"),
        (np.bool_(True), "True"),
        (np.str_("s"), "'s'"),
        (np.array(2.0), "2.0"),
        ([1, 2], "[1, 2]"),
    ],
)
def test_values_are_written_as_python_writes_them(x, expected):
    assert Message(value(x)) == expected
    assert Message(arg("method", x)) == f"method={expected}"


LABELS = [
    "plain",
    "",
    " blanks ",
    "{method}",
    "100 %",
    "%s",
    'it\'s "quoted"',
    "back\\slash",
    "new\nline",
    "\x1b[31m",
    "中文",
    "\U0001f600",
    "\ufdd0",
    "\ufdd0a\ufdd1b\ufdd2",
    "\ufdd0value\ufdd2",
    "\ufdd0value\ufdd1\ufdd1\ufdd1\ufdd2",
]


@pytest.mark.parametrize("label", LABELS)
def test_labels_of_users_stay_as_they_are(label):
    message = Message(f"{arg('items')} {named(label)} and {listed([label, 1])}, {value(label)}")
    assert message == f"items {named(label)} and {listed([label, 1])}, {label!r}"
    assert message.arguments == ("items",)
    assert message.render(Shell()).startswith("--items ")
    assert pickle.loads(pickle.dumps(message)).source == message.source


def test_quoted_keeps_references():
    inner = InputError(f"{arg('maxiter')} must be a number, got {value(None)}.")
    outer = InputError(f"method 'a': {quoted(inner)} Change {arg('estimator')}.")
    assert str(outer) == "method 'a': maxiter must be a number, got None. Change estimator."
    assert outer.message.render(R()) == "method 'a': maxit must be a number, got NULL. Change estimator."
    assert outer.arguments == ("maxiter", "estimator")
    assert quoted(ValueError("plain")) == "plain"
    assert quoted(PwcWarning(SOURCE)) == SOURCE


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickling(kind, protocol):
    found = pickle.loads(pickle.dumps(kind(SOURCE), protocol))
    assert type(found) is kind
    assert str(found) == Message(SOURCE)
    assert found.arguments == ("maxiter", "method")
    assert found.message.render(R()) == Message(SOURCE).render(R())


def fail():
    raise InputError(SOURCE)


def test_errors_from_another_process():
    with pytest.raises(InputError, match="^maxiter must be at least 1, got None") as caught:
        joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(fail)() for _ in range(2))
    assert caught.value.message.render(R()) == Message(SOURCE).render(R())
    assert caught.value.arguments == ("maxiter", "method")


def test_messages_to_and_from_another_process():
    (found,) = joblib.Parallel(n_jobs=2, backend="loky")([joblib.delayed(Message)(Message(SOURCE))])
    assert found.source == SOURCE


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_kinds(kind):
    assert issubclass(kind, UserWarning if issubclass(kind, PwcWarning) else PwcError)
    assert kind.__doc__
    assert kind.__name__ in errors.__all__


def test_input_errors_are_value_errors():
    assert issubclass(InputError, ValueError)


@pytest.mark.parametrize("given", [(SOURCE, errors.ConvergenceWarning), (errors.ConvergenceWarning(SOURCE),)])
def test_warnings_can_be_given_by_class_or_as_objects(given):
    with pytest.warns(errors.ConvergenceWarning, match="^maxiter must") as caught:
        warnings.warn(*given, stacklevel=1)
    assert caught[0].message.arguments == ("maxiter", "method")


def test_a_reference_of_an_unknown_kind_is_an_error():
    assert Vocabulary().render(Reference("function", "couple")) == "couple"
    with pytest.raises(ValueError, match="a reference has no kind 'class'"):
        Vocabulary().render(Reference("class", "couple"))


def test_percent():
    assert [percent(share) for share in (0.95, 1 - 0.07, 0.9999, 0.05)] == ["95 %", "93 %", "99.99 %", "5 %"]
