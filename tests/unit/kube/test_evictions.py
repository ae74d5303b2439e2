"""What a refused eviction says: kept for now by a budget or by its namespace's end, or refused for good."""

import pytest

from transom.kube.errors import Forbidden, Refusal, Throttled, refused


def eviction(reason, message):
    causes = [{"reason": reason, "message": message}] if reason else []
    status = {"message": "no", "details": {"causes": causes}}
    return refused(Refusal(403, status), act="evict", subject="pod shop/web-1", server="s")


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("DisruptionBudget", "The disruption budget web needs 2 healthy pods"),
        ("NamespaceTerminating", "namespace shop is being terminated"),
    ],
)
def test_a_pod_is_kept_for_now_by_its_budget_or_its_namespaces_end(reason, kept):
    error = eviction(reason, kept)
    assert isinstance(error, Throttled)
    assert error.budget == kept


@pytest.mark.parametrize("reason", ["", "FieldValueForbidden"])
def test_whatever_else_forbids_it_is_for_good(reason):
    assert isinstance(eviction(reason, "no"), Forbidden)
