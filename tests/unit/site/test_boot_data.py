"""Boot data of a pinned fleet, and the store that keeps its secret."""

import pytest

from transom.site.boot_data import SecretWish, secret_place


@pytest.mark.parametrize(
    ("vault", "endpoint", "audience"),
    [("shop", "https://shop.vault.azure.net", "https://vault.azure.net"),
     ("https://shop.vault.azure.cn/", "https://shop.vault.azure.cn", "https://vault.azure.cn"),
     ("https://10.0.0.4:8443", "https://10.0.0.4:8443", "https://vault.azure.net")],
)  # fmt: skip
def test_a_vault_of_another_cloud_is_asked_with_a_token_for_it(vault, endpoint, audience):
    found = secret_place(SecretWish(store="azure-key-vault", name="j", vault=vault))
    assert (found.endpoint, found.audience, found.version) == (endpoint, audience, "7.4")
