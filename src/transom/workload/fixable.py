"""Which rules `transom fix` ends without --unsafe, for all pods or for some.

Beside the remedies, because those cost more to import than a file costs to lint. A test holds both
together.
"""

FIXABLE = frozenset(
    (
        *("WIN001", "WIN002", "WIN003", "WIN004", "WIN005", "WIN006", "WIN007", "WIN008"),
        *("WIN009", "WIN010", "WIN012", "WIN013", "WIN014", "WIN015", "WIN017", "WIN020", "WIN021"),
        *("WIN022", "WIN023", "WIN024", "WIN025", "WIN026", "WIN027", "WIN029", "WIN042"),
        *("WIN051", "WIN070", "WIN071", "WIN072", "WIN077", "WIN081", "WIN094", "WIN103"),
        *("WIN120", "WIN121", "WIN123", "WIN127", "WIN140", "WIN141", "WIN142", "WIN209"),
        "WIN210",
    )
)
