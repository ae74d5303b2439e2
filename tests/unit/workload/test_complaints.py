"""What a live pod or node says is wrong, as lines."""

from transom.workload.complaints import of_node, of_pod


def pod(**status):
    return {"kind": "Pod", "metadata": {"name": "web"}, "status": status}


def event(reason, message, *, about="Pod", name="web", kind="Warning", at="2026-11-18T08:00:00Z"):
    return {
        "type": kind,
        "reason": reason,
        "message": message,
        "lastTimestamp": at,
        "involvedObject": {"kind": about, "name": name},
    }


def test_containers_speak_before_events_and_conditions():
    waiting = {"waiting": {"reason": "RunContainerError", "message": "hcs::x:\n  no"}}
    ended = {"terminated": {"reason": "Error", "exitCode": -1073741510}}
    lines = of_pod(
        pod(
            containerStatuses=[{"name": "web", "state": waiting, "lastState": ended}],
            conditions=[
                {"type": "Ready", "status": "False", "reason": "ContainersNotReady"},
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                 "message": "0/3 nodes are available"},
            ],
        ),
        [event("BackOff", "Back-off restarting")],
    )  # fmt: skip
    assert lines == [
        "web: RunContainerError: hcs::x: no",
        "web: Error, exit code -1073741510",
        "BackOff: Back-off restarting",
        "PodScheduled: Unschedulable: 0/3 nodes are available",
    ]


def test_only_its_own_warnings_count_the_newest_first_and_each_once():
    events = [
        event("Failed", "old"),
        event("Failed", "new", at="2026-11-18T09:00:00Z"),
        event("Failed", "new", at="2026-11-18T08:30:00Z"),
        event("Scheduled", "fine", kind="Normal"),
        event("Failed", "of another", name="api"),
        event("Failed", "of a node", about="Node"),
    ]
    assert of_pod(pod(), events) == ["Failed: new", "Failed: old"]


def test_a_pod_that_runs_or_begins_complains_of_nothing():
    creating = {"waiting": {"reason": "ContainerCreating"}}
    done = {"terminated": {"reason": "Completed", "exitCode": 0}}
    statuses = [{"name": "a", "state": creating}, {"name": "b", "state": done}]
    assert of_pod(pod(containerStatuses=statuses), []) == []
    assert of_pod({"kind": "Pod", "metadata": None, "status": [1]}, [{"type": "Warning"}]) == []


def test_a_node_complains_where_it_is_not_ready_or_under_pressure():
    conditions = [
        {"type": "MemoryPressure", "status": "True", "reason": "X", "message": "memory"},
        {"type": "DiskPressure", "status": "False", "reason": "Y", "message": "disk"},
        {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "gone"},
    ]
    node = {"kind": "Node", "metadata": {"name": "win"}, "status": {"conditions": conditions}}
    assert of_node(node, [event("Rebooted", "again", about="Node", name="win")]) == [
        "MemoryPressure: X: memory",
        "Ready: NodeStatusUnknown: gone",
        "Rebooted: again",
    ]
