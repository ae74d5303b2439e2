"""Names of signers: what is asked for must be in the signer's, in any order, quoted or not."""

from hypothesis import given
from hypothesis import strategies as st

from transom.node.host.signature import objection
from transom.node.host.values import Signature

_VALUES = st.text(st.characters(codec="ascii", exclude_characters='"\r\n'), min_size=1).map(
    str.strip
)
_NAMES = st.dictionaries(st.sampled_from(["CN", "O", "L", "S", "C"]), _VALUES, min_size=1)


def written(parts):
    return ", ".join(f'{key}="{value}"' for key, value in parts.items())


def by(subject):
    return Signature(subject=subject, issuer="CN=CA", thumbprint="")


@given(_NAMES, st.data())
def test_every_part_of_a_name_asks_for_itself_and_nothing_more(parts, data):
    some = data.draw(st.sets(st.sampled_from(sorted(parts)), min_size=1))
    asked = {"subject": written({key: parts[key] for key in some})}
    assert objection(by(written(parts)), asked) == ""
    changed = {**parts, min(some): parts[min(some)] + "x"}
    assert objection(by(written(changed)), asked) != ""


def test_a_name_as_windows_writes_it():
    signer = by('CN=Python Software Foundation, O="Foundation, Inc.", S=Oregon, C=US')
    assert objection(signer, {"subject": 'O="Foundation, Inc.", C=US'}) == ""
    assert "subject is" in objection(signer, {"subject": "O=Foundation"})
