"""Whether the access Windows reports is the access the recipe wants.

Windows spells a descriptor in its own way when it is read back: rights as names or numbers, entries
in its own order, flags of its own. Comparing texts would find drift for ever.
"""

from transom.model import sddl


def same_access(found: str, wanted: str) -> bool:
    """Whether two descriptors give the same access; owner and order do not count."""
    try:
        there = sddl.parse(found)
    except ValueError:
        return False  # an entry of a kind that no recipe has
    asked = sddl.parse(wanted)
    return there.protected == asked.protected and set(there.entries) == set(asked.entries)
