"""The rules with logic, one module each: `RULE`, and `check(view, ctx)` that yields hits.

`LOGIC` lists them by id with their module, so that a module is imported only when an object
comes by that it can speak about. Called by the catalogue. A rule must not change what it is
shown, and reports only on it.
"""

LOGIC: tuple[tuple[str, str], ...] = (
    ("WIN043", "os_name_against_placement"),
    ("WIN044", "os_label_of_pod"),
    ("WIN050", "hostprocess_mixed"),
    ("WIN052", "hostprocess_values_disagree"),
    ("WIN058", "nonroot_administrator"),
    ("WIN060", "hostprocess_without_user"),
    ("WIN061", "hostprocess_pipe_mount"),
    ("WIN063", "hostprocess_under_pod_security"),
    ("WIN064", "os_name_unset_under_restricted"),
    ("WIN070", "windows_pod_without_selector"),
    ("WIN072", "windows_taint_not_tolerated"),
    ("WIN073", "build_not_pinned"),
    ("WIN074", "mixed_images"),
    ("WIN076", "hyperv_runtime_class"),
    ("WIN077", "linux_pod_without_selector"),
    ("WIN082", "several_dns_searches"),
    ("WIN085", "long_grace_with_docker"),
    ("WIN087", "termination_message_on_existing_file"),
    ("WIN091", "environment_differs_by_case"),
    ("WIN102", "memory_limit_too_small"),
    ("WIN126", "mount_path_form"),
    ("WIN137", "projected_with_run_as_user"),
    ("WIN165", "dual_stack_on_overlay"),
    ("WIN166", "ipv6_only"),
    ("WIN167", "nodeport_from_own_node"),
    ("WIN176", "network_policy_of_windows_pods"),
    ("WIN177", "ping_to_the_outside"),
    ("WIN200", "image_of_another_build"),
    ("WIN201", "untagged_base_image"),
    ("WIN203", "retired_base_image"),
    ("WIN205", "linux_image_in_windows_pod"),
    ("WIN206", "node_build_unsupported"),
    ("WIN207", "node_containerd_too_old"),
    ("WIN208", "node_with_dockershim"),
    ("WIN209", "removed_api_version"),
)
