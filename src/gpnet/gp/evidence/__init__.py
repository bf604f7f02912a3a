"""Ways to one number, the log evidence of a node given its parents.                     FAMILY

To add one: a file with a class that fulfils `EvidenceMethod`, and one line in `EVIDENCE_METHODS`.
"""

from gpnet.gp.evidence.base import Evidence, EvidenceMethod
from gpnet.gp.evidence.bridge import Bridge
from gpnet.gp.evidence.laplace import Laplace
from gpnet.gp.evidence.qmc import Qmc

EVIDENCE_METHODS: dict[str, type[EvidenceMethod]] = {
    "qmc": Qmc,
    "laplace": Laplace,
    "bridge": Bridge,
}

__all__ = ["EVIDENCE_METHODS", "Evidence", "EvidenceMethod"]
