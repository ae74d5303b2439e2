"""The lab and its stand-ins agree about their files."""

import json

from transom_lab.standins import (
    CriFault,
    ShutdownAction,
    cancel_power_cut,
    note_boot,
    order_power_cut,
    pending_shutdown,
    set_cri_faults,
    unknown_calls,
)

STATE = "ProgramData/transom-lab"


def test_each_boot_has_a_higher_number_and_ends_a_shutdown(tmp_path):
    folder = tmp_path / STATE
    note_boot(tmp_path)
    (folder / "shutdown.json").write_text("{}")
    note_boot(tmp_path)
    assert json.loads((folder / "boot.json").read_text()) == {"number": 2}
    assert pending_shutdown(tmp_path) is None


def test_a_shutdown_is_read_as_the_program_writes_it(tmp_path):
    (tmp_path / STATE).mkdir(parents=True)
    written = '{"action": "restart", "at": "2026-11-16T02:07:15.673760123Z", "comment": "update"}'
    (tmp_path / STATE / "shutdown.json").write_text(written)
    request = pending_shutdown(tmp_path)
    assert request is not None
    assert (request.action, request.comment) == (ShutdownAction.RESTART, "update")
    assert request.at.isoformat() == "2026-11-16T02:07:15.673760+00:00"


def test_faults_are_written_as_the_runtime_reads_them_and_none_heals(tmp_path):
    set_cri_faults(tmp_path, [CriFault("RunPodSandbox", code=14, count=3, delay_s=0.25)])
    file = tmp_path / STATE / "cri-faults.json"
    assert json.loads(file.read_text()) == [
        {
            "method": "RunPodSandbox",
            "code": 14,
            "message": "made to fail by the lab",
            "count": 3,
            "delayMilliseconds": 250,
        }
    ]
    set_cri_faults(tmp_path, [])
    assert not file.exists()


def test_refused_calls_are_listed_and_a_new_host_has_none(tmp_path):
    assert unknown_calls(tmp_path) == []
    (tmp_path / "var/log").mkdir(parents=True)
    (tmp_path / "var/log/standins.log").write_text('2026 powershell ["Get-Process"]\n')
    assert unknown_calls(tmp_path) == ['2026 powershell ["Get-Process"]']


def test_a_power_cut_is_ordered_in_one_line_and_can_be_taken_back(tmp_path):
    order_power_cut(tmp_path, "kubeadm.exe", 12, lose_unflushed=True)
    file = tmp_path / "ProgramData" / "transom-lab" / "power-cut"
    assert file.read_text() == "kubeadm.exe 12 lose"
    assert cancel_power_cut(tmp_path)
    assert not file.exists()
    assert not cancel_power_cut(tmp_path)
