"""`transom convert` writes v1alpha1 as v1alpha2, shows the change, and names what it could not keep."""

import pytest

from transom.cli.main import main

OLD = """\
# ours
apiVersion: transom.dev/v1alpha1
kind: Fleet
metadata: {name: shop}
spec:
  cluster: {context: prod}
  kubernetes: {version: 1.37.1} # stay
  network: {podCIDRs: [10.244.0.0/16], serviceCIDRs: [10.96.0.0/12], flannel: {mode: overlay}}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "fleet.yaml"
    path.write_text(OLD)
    return path


def test_it_is_printed_and_what_is_not_kept_is_named(file, capsys):
    assert main(["convert", "-f", str(file)]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("# ours\napiVersion: transom.dev/v1alpha2\n")
    assert "kind: Client\nfleets:\n- fleetName: shop\n  context: prod\n" in out
    assert err == f"{file}:7: not kept: # stay\n"
    assert file.read_text() == OLD


def test_the_difference_is_shown_and_nothing_written(file, capsys):
    assert main(["convert", "-f", str(file), "--diff"]) == 1
    out = capsys.readouterr().out
    assert "-apiVersion: transom.dev/v1alpha1\n+apiVersion: transom.dev/v1alpha2\n" in out
    assert file.read_text() == OLD


def test_the_file_is_changed_once(file, capsys):
    assert main(["convert", "-f", str(file), "--write"]) == 0
    text = file.read_text()
    assert "apiVersion: transom.dev/v1alpha2\n" in text
    capsys.readouterr()
    assert main(["convert", "-f", str(file), "--write"]) == 0
    assert capsys.readouterr() == ("", f"{file} is v1alpha2 already\n")
    assert file.read_text() == text


def test_a_mistake_has_its_place_in_the_old_form(file, capsys):
    file.write_text(OLD.replace("overlay", "overlai"))
    assert main(["convert", "-f", str(file), "--write"]) == 2
    assert f"{file}:8:" in capsys.readouterr().err


def test_every_command_reads_the_old_form_and_says_so_in_one_line(file, capsys):
    assert main(["recipe", "-f", str(file)]) == 0
    notice = f"{file} is transom.dev/v1alpha1; `transom convert -f {file}` writes v1alpha2\n"
    assert notice in capsys.readouterr().err
    main(["convert", "-f", str(file), "--write"])
    capsys.readouterr()
    assert main(["recipe", "-f", str(file)]) == 0
    assert "v1alpha1;" not in capsys.readouterr().err
