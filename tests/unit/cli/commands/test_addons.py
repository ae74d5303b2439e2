"""`transom addons render` is pure: a stream, or a folder that kustomize takes."""

import yaml

from transom.cli.main import main

FLEET = "tests/data/fleets/k137-2022-containerd-flannel-overlay.yaml"


def test_a_folder_has_what_the_stream_has(tmp_path, capsys):
    assert main(["addons", "render", "-f", FLEET]) == 0
    stream = list(yaml.safe_load_all(capsys.readouterr().out))
    assert main(["addons", "render", "-f", FLEET, "--to", str(tmp_path / "out")]) == 0
    folder = tmp_path / "out"
    resources = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    assert stream == [yaml.safe_load((folder / name).read_text()) for name in resources]
    assert {path.name for path in folder.iterdir()} == {*resources, "kustomization.yaml"}


def test_what_is_no_longer_rendered_leaves_the_folder_and_nothing_else_does(tmp_path):
    (tmp_path / "mine.yaml").write_text("kept: true\n")
    main(["addons", "render", "-f", FLEET, "--to", str(tmp_path)])
    services = FLEET.replace("flannel-overlay", "services")
    main(["addons", "render", "-f", services, "--to", str(tmp_path)])
    names = {path.name for path in tmp_path.iterdir()}
    assert "mine.yaml" in names
    assert not [name for name in names if name.startswith("daemonset")]


def test_a_folder_that_cannot_be_written_is_told(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["addons", "render", "-f", FLEET, "--to", str(tmp_path / "file")]) == 2
    assert "cannot write" in capsys.readouterr().err


def test_a_resource_set_needs_its_namespace_and_its_clusters(capsys):
    words = ["addons", "render", "-f", FLEET, "--resource-set", "default"]
    for more in ([], ["--cluster-label", "nonsense"]):
        assert main([*words, *more]) == 2
        assert "--cluster-label KEY=VALUE" in capsys.readouterr().err
    assert main([*words, "--cluster-label", "os=windows"]) == 0
    kinds = [item["kind"] for item in yaml.safe_load_all(capsys.readouterr().out)]
    assert kinds == ["ConfigMap", "ClusterResourceSet"]
