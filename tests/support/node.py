"""A recipe for Kubernetes 1.37 with Flannel overlay on Windows Server 2022, a host for it, and its kubeadm."""

import hashlib
import io
import json
import tarfile
import zipfile
from dataclasses import replace

from transom.model.journal import Owner
from transom.model.recipe import (
    Artifact,
    DefenderExclusion,
    Directory,
    EnvironmentValue,
    Feature,
    File,
    FirewallRule,
    HostNetwork,
    Identity,
    JoinPlan,
    KubeletPlan,
    Limits,
    ManualKubelet,
    Member,
    NetworkPlan,
    ProtectedFile,
    Recipe,
    Recovery,
    RegistryValue,
    Route,
    Service,
    Target,
    Unpack,
    Update,
)
from transom.model.request import JoinSecrets
from transom.model.taint import Taint, TaintEffect
from transom.node.host.values import (
    Completed,
    FirewallPort,
    NodeHealth,
    PathKind,
    RegistryData,
    ServiceDefinition,
    Signature,
)
from transom.testing.simulated_host import SimulatedHost

CLOSED = "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"

CLOSED_FILE = "O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)"

KUBERNETES, KUBELET = r"C:\etc\kubernetes", r"C:\var\lib\kubelet"

FLAGS_FILE = KUBELET + r"\kubeadm-flags.env"

TOKEN = "abcdef.0123456789abcdef"

DOCKER = r"C:\Program Files\docker\docker.exe"


def _tar_gz(members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _zip(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


DOWNLOADS = {
    "https://dl.example/kubeadm.exe": b"kubeadm " * 40,
    "https://dl.example/kubelet.exe": b"kubelet " * 40,
    "https://dl.example/kube-log-runner.exe": b"kube-log-runner",
    "https://dl.example/containerd.tar.gz": _tar_gz(
        {
            "bin/containerd.exe": b"containerd " * 20,
            "bin/containerd-shim-runhcs-v1.exe": b"shim",
            "bin/ctr.exe": b"ctr",
        }
    ),
    "https://dl.example/cni.zip": _zip({"win-overlay.exe": b"overlay", "host-local.exe": b"local"}),
}

SIGNED = {b"overlay", b"local"}

SIGNER = Signature(subject="CN=Corp, O=Corp Ltd", issuer="CN=Corp CA", thumbprint="AB" * 20)

NEWER = "1.37.2"


def _artifact(name, url, path, unpack=Unpack.FILE, members=(), *, authenticode=None):
    return Artifact(
        id=name,
        version="1.0.0",
        url=url,
        sha256=hashlib.sha256(DOWNLOADS[url]).hexdigest(),
        unpack=unpack,
        path=path,
        members=tuple(Member(name=inside, path=outside) for inside, outside in members),
        why=f"artifact-{name}",
        authenticode=authenticode,
    )


ARTIFACTS = (
    _artifact("kubeadm", "https://dl.example/kubeadm.exe", r"C:\k\kubeadm.exe"),
    _artifact("kubelet", "https://dl.example/kubelet.exe", r"C:\k\kubelet.exe"),
    _artifact(
        "containerd",
        "https://dl.example/containerd.tar.gz",
        r"C:\k\transom\downloads\containerd.tar.gz",
        Unpack.TAR_GZ,
        [
            ("bin/containerd.exe", r"C:\Program Files\containerd\containerd.exe"),
            (
                "bin/containerd-shim-runhcs-v1.exe",
                r"C:\Program Files\containerd\containerd-shim-runhcs-v1.exe",
            ),
            ("bin/ctr.exe", r"C:\Program Files\containerd\ctr.exe"),
        ],
    ),
    _artifact(
        "cni-plugins",
        "https://dl.example/cni.zip",
        r"C:\k\transom\downloads\cni.zip",
        Unpack.ZIP,
        [
            ("./win-overlay.exe", r"C:\opt\cni\bin\win-overlay.exe"),
            ("host-local.exe", r"C:\opt\cni\bin\host-local.exe"),
        ],
        authenticode={"subject": "CN=Corp"},
    ),
    _artifact(
        "kube-log-runner", "https://dl.example/kube-log-runner.exe", r"C:\k\kube-log-runner.exe"
    ),
)

SERVICES = (
    Service(
        name="containerd",
        display_name="containerd",
        command=(r"C:\Program Files\containerd\containerd.exe", "--run-service"),
        start="auto",
        depends_on=(),
        environment={"HTTPS_PROXY": "http://proxy:3128"},
        recovery=Recovery(restart_delays_ms=(5000, 60000), reset_s=900),
        flags_file="",
        why="service-containerd",
    ),
    Service(
        name="kubelet",
        display_name="kubelet",
        command=(
            r"C:\k\kube-log-runner.exe",
            r"--log-file=C:\var\log\kubelet\kubelet.log",
            r"C:\k\transom\python\python.exe",
            r"C:\k\transom\node.pyz",
            "kubelet",
            rf"--flags-file={FLAGS_FILE}",
            r"C:\k\kubelet.exe",
            "--windows-service",
            "--v=2",
        ),
        start="auto",
        depends_on=("containerd",),
        environment={},
        recovery=None,
        flags_file=FLAGS_FILE,
        why="service-kubelet",
    ),
    Service(
        name="kube-proxy",
        display_name="kube-proxy",
        command=(r"C:\k\transom\python\python.exe", r"C:\k\transom\node.pyz", "run", "kube-proxy"),
        start="auto",
        depends_on=(),
        environment={},
        recovery=None,
        flags_file="",
        why="service-kube-proxy",
        runs="kube-proxy",
    ),
)

RECIPE = Recipe(
    identity=Identity(
        fleet="shop", pool="web", name="win-01", address="10.0.0.21", rename=False, reboot="allowed"
    ),
    target=Target(
        kubernetes="1.37.1",
        windows_release="2022",
        windows_build=20348,
        runtime="containerd",
        runtime_version="2.2.1",
        privileged="hostprocess",
        isolation="process",
        end_of_life=False,
        why="",
    ),
    limits=Limits(free_disk_gib=5, clock_skew_s=300, why=""),
    network=NetworkPlan(
        plugin="flannel",
        version="0.28.0",
        mode="overlay",
        name="flannel.4096",
        pod_cidrs=("10.244.0.0/16",),
        service_cidrs=("10.96.0.0/12",),
        cluster_dns=("10.96.0.10",),
        vni=4096,
        port=4789,
        mtu=1450,
        why="",
    ),
    features=(Feature(name="Containers", why="feature-containers"),),
    updates=(Update(kb="KB5012637", revision=681, why="overlay"),),
    directories=tuple(
        Directory(path=path, acl=acl, why="")
        for path, acl in (
            (r"C:\k", CLOSED),
            (r"C:\k\transom\downloads", CLOSED),
            (KUBERNETES, CLOSED),
            (KUBERNETES + r"\pki", CLOSED),
            (KUBELET, ""),
            (KUBELET + r"\pki", CLOSED),
            (r"C:\var\log\kubelet", CLOSED),
            (r"C:\Program Files\containerd", ""),
        )
    ),
    artifacts=ARTIFACTS,
    files=(
        File(
            path=r"C:\Program Files\containerd\config.toml", content="version = 3\n", acl="", why=""
        ),
        File(path=r"C:\etc\cni\net.d\10-flannel.conf", content="{}", acl=CLOSED_FILE, why=""),
        File(
            path=r"C:\etc\cni\late.d\late.conf",
            content='{"subnet": "{{nodePodCIDR}}"}',
            acl="",
            why="",
            fills=("nodePodCIDR",),
        ),
    ),
    protected_files=(
        ProtectedFile(path=KUBELET + r"\config.yaml", acl=CLOSED_FILE, why=""),
        ProtectedFile(path=FLAGS_FILE, acl=CLOSED_FILE, why=""),
        ProtectedFile(path=KUBELET + r"\instance-config.yaml", acl=CLOSED_FILE, why=""),
    ),
    registry=(
        RegistryValue(
            key=r"SYSTEM\CurrentControlSet\Services\hns\State",
            name="EnableCompartmentNamespace",
            type="dword",
            value=1,
            why="",
        ),
        RegistryValue(key=r"SOFTWARE\Other", name="Mode", type="string", value="new", why=""),
    ),
    environment=(
        EnvironmentValue(name="Path", value=r"C:\k", append=True, why=""),
        EnvironmentValue(name="Path", value=r"C:\Windows", append=True, why=""),
        EnvironmentValue(name="CRI_CONFIG", value="x", append=False, why=""),
    ),
    dns_suffixes=("corp.example", "svc.cluster.local"),
    routes=(
        Route(prefix="169.254.169.254/32", gateway="0.0.0.0", keep=True, why=""),  # noqa: S104 - on-link
        Route(prefix="10.9.0.0/16", gateway="10.0.0.1", keep=False, why=""),
    ),
    firewall=(
        FirewallRule(name="kubelet", protocol="tcp", port="10250", why=""),
        FirewallRule(name="VXLAN", protocol="udp", port="4789", why=""),
    ),
    defender_exclusions=(
        DefenderExclusion(process=r"C:\Program Files\containerd\containerd.exe", why=""),
    ),
    images=(),
    services=SERVICES,
    host_networks=(HostNetwork(name="host", driver="nat", program=DOCKER, why=""),),
    kubelet=KubeletPlan(
        config={"maxPods": 9},
        patch_file="",
        manual=ManualKubelet(
            config={"kind": "KubeletConfiguration", "maxPods": 9}, arguments=("--cri=pipe",), why=""
        ),
        why={},
    ),
    join=JoinPlan(
        api_version="kubeadm.k8s.io/v1beta4",
        cri_socket="npipe:////./pipe/containerd-containerd",
        node_name="win-01",
        taints=(Taint("os", TaintEffect.NO_SCHEDULE, "windows"),),
        labels={"pool": "web"},
        kubelet_extra_args={"v": "4"},
        patches_directory=r"C:\k\transom\patches",
        flags_file=FLAGS_FILE,
        ca_certificate=KUBERNETES + r"\pki\ca.crt",
        ignore_preflight_errors=(),
        why="",
    ),
    notes=(),
)


def _newer(artifact):
    url = artifact.url.replace(".example/", ".example/new/")
    if url not in DOWNLOADS:
        return artifact
    digest = hashlib.sha256(DOWNLOADS[url]).hexdigest()
    return replace(artifact, url=url, sha256=digest, version="1.1.0")


def newer(recipe):
    """The recipe for the next version: other programs, other flags, another containerd.conf."""
    containerd, kubelet, *others = recipe.services
    return replace(
        recipe,
        target=replace(recipe.target, kubernetes=NEWER),
        artifacts=tuple(_newer(artifact) for artifact in recipe.artifacts),
        files=(replace(recipe.files[0], content="version = 4\n"), *recipe.files[1:], PATCH),
        services=(containerd, replace(kubelet, command=(*kubelet.command, "--new")), *others),
    )


PATCH = File(path=r"C:\k\transom\patches\kubelet+merge.json", content="{}", acl="", why="")


def kubeadm_for(network):
    """What the real kubeadm does to files and the kubelet service, in its order."""

    def kubeadm(host, argv):
        if argv[1] == "reset":
            return _reset(host)
        if argv[1] == "upgrade":
            return _upgrade(host, argv)
        return _join(host, argv[argv.index("--config") + 1], network)

    return kubeadm


KUBELET_CONF = (
    json.dumps(
        {
            "clusters": [
                {
                    "name": "c",
                    "cluster": {
                        "server": "https://10.0.0.1:6443",
                        "certificate-authority-data": "eA==",
                    },
                }
            ],
            "users": [{"name": "u", "user": {"client-certificate": "c", "client-key": "c"}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
    ).encode()
    + b"\n"
)


def patched(host, directory, **more):
    """The kubelet's configuration with the patches of that directory: written as they are, untyped."""
    config = {"kind": "KubeletConfiguration", **more}
    path = rf"{directory}\kubeletconfiguration+merge.json"
    if directory and host.disk.kind(path) is PathKind.FILE:
        config |= json.loads(host.disk.read(path))
    return (json.dumps(config) + "\n").encode()


def _join(host, path, network):
    document = json.loads(host.disk.read(path))
    for taken in (KUBERNETES + r"\kubelet.conf", KUBERNETES + r"\pki\ca.crt"):
        if host.disk.kind(taken) is not PathKind.ABSENT:
            return Completed(code=1, output=f"[ERROR FileAvailable]: {taken} already exists")
    token = document["discovery"]["bootstrapToken"]["token"]
    registration = document["nodeRegistration"]
    extra = registration["kubeletExtraArgs"]
    pairs = extra.items() if isinstance(extra, dict) else [(e["name"], e["value"]) for e in extra]
    flags = [f"--{name}={value}" for name, value in pairs]
    taints = ",".join(f"{t['key']}={t['value']}:{t['effect']}" for t in registration["taints"])
    flags.append(f"--register-with-taints={taints}")
    bootstrap = KUBERNETES + r"\bootstrap-kubelet.conf"
    host.disk.append(bootstrap, token.encode())
    host.disk.append(KUBERNETES + r"\pki\ca.crt", b"CA\n")
    host.services.stop("kubelet")
    patches = (document.get("patches") or {}).get("directory", "")
    host.disk.append(KUBELET + r"\config.yaml", patched(host, patches))
    host.disk.append(FLAGS_FILE, f'KUBELET_KUBEADM_ARGS="{" ".join(flags)}"\n'.encode())
    host.services.start("kubelet")
    host.disk.append(KUBELET + r"\pki\kubelet-client.pem", b"key")
    host.disk.append(KUBERNETES + r"\kubelet.conf", KUBELET_CONF)
    host.disk.remove(bootstrap)
    host.settings.put("hns", network, True)  # by flanneld, once the node is there
    return Completed(code=0, output=f"joined with {token}")


def _upgrade(host, argv):
    """As kubeadm 1.37: a backup below tmp, the configuration written anew, and a file of its own."""
    if "containerd" not in host.services.alive:
        return Completed(code=1, output="[ERROR CRI]: the container runtime is not running")
    patches = argv[argv.index("--patches") + 1]
    if host.disk.kind(patches) is PathKind.ABSENT or not host.disk.entries(patches):
        return Completed(code=1, output="no patch")
    backup = KUBERNETES + r"\tmp\kubeadm-kubelet-config1"
    host.files.make_directory(backup)
    host.disk.append(backup + r"\config.yaml", host.disk.read(KUBELET + r"\config.yaml"))
    host.disk.create(KUBELET + r"\config.yaml")
    host.disk.append(KUBELET + r"\config.yaml", patched(host, patches, new=True))
    host.disk.create(KUBELET + r"\instance-config.yaml")
    host.disk.append(KUBELET + r"\instance-config.yaml", b"x\n")
    return Completed(code=0, output="")


def _reset(host):
    host.services.stop("kubelet")
    for name in ("kubelet.conf", "bootstrap-kubelet.conf"):
        host.disk.remove(f"{KUBERNETES}\\{name}")
    for directory in (KUBELET, KUBERNETES + r"\pki"):
        if host.disk.kind(directory) is PathKind.DIRECTORY:
            for name in host.disk.entries(directory):
                host.files.remove_tree(f"{directory}\\{name}")
    return Completed(code=0, output="")


def docker(host, argv):
    """Docker's networks: its own list, and what it makes in the host network service."""
    name = argv[-1]
    if argv[1:3] == ("network", "rm"):
        host.settings.put("docker", name, None)
        host.settings.put("hns", name, None)
    elif host.settings.get("docker", name):
        return Completed(code=1, output=f"network with name {name} already exists")
    else:
        host.settings.put("docker", name, True)
        host.settings.put("hns", name, True)
    return Completed(code=0, output="")


def new_host():
    """A Windows machine as it is found: with other people's things on it."""
    host = SimulatedHost()
    for path in (r"C:\k\transom", r"C:\Windows", r"C:\Program Files\containerd", r"C:\etc\cni"):
        host.files.make_directory(path)
    host.files.write(r"C:\Program Files\containerd\config.toml", b"version = 2\n")
    host.files.write(r"C:\Program Files\containerd\ctr.exe", b"an older ctr")
    host.registry.make_key(r"SOFTWARE\Other")
    host.registry.put(r"SOFTWARE\Other", "Mode", RegistryData("string", "old"))
    host.environment.put("Path", r"C:\Windows\;C:\Tools")
    host.features.disable("Containers")
    host.firewall.put("kubelet", FirewallPort(protocol="tcp", port="10255"))
    host.network.add_dns_suffix("corp.example")
    host.settings.put("active", "169.254.169.254/32", True)
    host.services.put(
        "spooler", ServiceDefinition(command="spooler.exe", display_name="Spooler", start="auto")
    )
    host.services.start("spooler")
    host.services.ends_by_itself = lambda name: (
        name == "kubelet" and host.disk._kind(KUBELET + r"\config.yaml") is PathKind.ABSENT
    )
    host.source.content.update(DOWNLOADS)
    host.signatures.signed = {hashlib.sha256(item).hexdigest(): SIGNER for item in SIGNED}
    for name in ("kubeadm.exe", "kubeadm-new.exe"):
        host.programs[name] = kubeadm_for("flannel.4096")
    host.files.make_directory(DOCKER.rpartition("\\")[0])
    host.files.write(DOCKER, b"docker")
    host.programs["docker.exe"] = docker
    host.cluster.healthy = lambda _node: health_of(host)
    host.flush()
    host.calls.clear()
    return host


def health_of(host):
    """A Node as its kubelet reports it: which program runs, and with a command line it knows."""
    if KUBERNETES.lower() + r"\kubelet.conf" not in host.disk._seen:
        return None
    data = host.disk._seen[r"c:\k\kubelet.exe"].data
    definition = host.settings.seen.get(("service", "kubelet"))
    is_new = data.startswith(b"newer")
    fits = is_new or "--new" not in definition.command
    ready = "kubelet" in host.services.alive and "containerd" in host.services.alive and fits
    return NodeHealth(ready=ready, kubelet=NEWER if is_new else "1.37.1", problem="stopped")


SECRETS = JoinSecrets(endpoint="10.0.0.1:6443", token=TOKEN, ca_hashes=("sha256:ab",))

OWNER = Owner(cluster="sha256:ab", fleet="shop", who="cli")
