"""A host of the lab with an older version of Kubernetes."""

from tests.support import lab_node as usual

from transom_lab.nodeprogram import fit_recipe

OLD = "1.36.4"


class Site(usual.Site):
    """A host whose recipe can be that of either version."""

    def __init__(self, lab):
        super().__init__(lab)
        self.new = self.recipe
        self.old = fit_recipe(self.recipe, self.host, kubernetes=OLD)

    @property
    def version(self):
        """What the API server says the kubelet is, once it is Ready."""
        node = self.await_ready(timeout_s=120)
        return node["status"]["nodeInfo"]["kubeletVersion"].removeprefix("v")

    def done(self, verb, recipe, **changes):
        """Run a verb to its end, with as many reboots as it asks for; give the steps that changed."""
        self.recipe = recipe
        answer = self.run(verb, **changes)
        if answer.code == 4:
            self.host.reboot()
            answer = self.run(verb, **changes)
        assert answer.code == 0, answer.lines
        return said(answer, "changed", "step")


def said(answer, state, what):
    """One thing of every event in a state."""
    return [line[what] for line in answer.lines if line.get("state") == state]
