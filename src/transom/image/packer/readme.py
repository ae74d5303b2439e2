"""What stands beside a rendered template: the commands, what is to be given, and the licence."""

from collections.abc import Sequence

from transom.facts import rows
from transom.facts.imaging import BuildTool, Installer
from transom.facts.rows import At
from transom.image.packer.plan import EXAMPLE, TEMPLATE, VALUES, ImagePlan, Variable


def readme(plan: ImagePlan, variables: Sequence[Variable]) -> bytes:
    """The page."""
    target, builder = plan.request.recipe.target, plan.builder
    packer = rows.one(BuildTool, "packer", At())
    given = [item for item in variables if item.value is None]
    keyed = any(item.name == "ssh_public_key" for item in given)
    lines = [
        f"# Windows Server {plan.windows} with Kubernetes {target.kubernetes} for {plan.platform.title}",
        "",
        f"Rendered by `transom image render`. It needs packer {packer.version} or newer.",
        "",
        "```sh",
        "transom image validate .                      # every mistake, before anything is built",
        f"packer init {TEMPLATE}                   # the plugin, at the version the template names",
        f"cp {EXAMPLE} site.auto.pkrvars.json   # then fill it in",
    ]
    if keyed:
        lines += [
            'ssh-keygen -t ed25519 -N "" -C build -f ~/.ssh/image-build',
            'export PKR_VAR_ssh_public_key="$(cat ~/.ssh/image-build.pub)"',
            "export PKR_VAR_ssh_private_key_file=~/.ssh/image-build",
        ]
    lines += ["packer build .", "```", "", "## What is to be given", ""]
    lines += ["| variable | what |", "|---|---|"]
    lines += [f"| `{item.name}` | {item.description} |" for item in given]
    lines += [
        "",
        f"`{VALUES}` has the address and the SHA-256 of everything that is brought, from the lock; another address for the",
        "same bytes is a variable, other bytes are another lock.",
        "",
        "## What is done",
        "",
        "The node program prepares the machine (`prepare --image`), it restarts, the same again finds nothing left, and",
        "`doctor --image` must find no error. Then keys go and Windows is generalised. `C:\\k\\transom\\image.json` in the image",
        "says what it was made of. SSH takes keys alone; the administrator's password is made by packer and kept by nobody.",
        "",
        *_first_boot(plan),
        "## Licence",
        "",
        builder.licence,
        "",
    ]
    return "\n".join(lines).encode()


def _first_boot(plan: ImagePlan) -> list[str]:
    lines = ["## First boot", ""]
    if plan.cloudbase_init is None:
        lines.append("The base image must have cloudbase-init; its configuration is replaced.")
    else:
        version = rows.one(Installer, "cloudbase-init-installer", At()).version
        lines.append(
            f"cloudbase-init {version} is installed from the address and sum in the values."
        )
    lines += [
        f"It takes boot data by {plan.platform.service}: `transom userdata compile` makes it.",
        *([plan.platform.advice] if plan.platform.advice else []),
        "",
    ]
    return lines
