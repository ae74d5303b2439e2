"""A container image's name taken apart: which registry, which repository, which tag or digest. Pure."""

from transom.model.records import dataclass

_DEFAULT_REGISTRY, _DEFAULT_HOST = "docker.io", "registry-1.docker.io"


@dataclass(frozen=True, slots=True)
class Reference:
    """An image's name taken apart: where, which repository, and which tag or digest."""

    host: str
    repository: str
    tag: str

    @staticmethod
    def parse(text: str) -> "Reference":
        """Read a name as container runtimes do; without a host it is Docker Hub's."""
        first, slash, rest = text.partition("/")
        is_host = slash and ("." in first or ":" in first or first == "localhost")
        host, path = (first, rest) if is_host else (_DEFAULT_REGISTRY, text)
        name, at, digest = path.partition("@")
        repository, _, tag = name.partition(":")
        if host == _DEFAULT_REGISTRY and "/" not in repository:
            repository = f"library/{repository}"
        return Reference(host, repository, digest if at else tag or "latest")

    @property
    def base(self) -> str:
        """The address of its registry."""
        host = _DEFAULT_HOST if self.host == _DEFAULT_REGISTRY else self.host
        return f"https://{host}"

    @property
    def manifest_url(self) -> str:
        """Where its manifest is; what a lock calls its url."""
        return f"{self.base}/v2/{self.repository}/manifests/{self.tag}"
