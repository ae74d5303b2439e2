"""A bare machine of the lab that boots with compiled data."""

import hashlib
import io
import shutil
import zipfile
from dataclasses import replace

from tests.support import lab_cloudbase_init as cloudbase
from tests.support.lab_node import Site

from transom.bootstrap.compile import BootPlan, Fetched
from transom.model.request import Verb


class Machine(Site):
    """A host that boots with boot data."""

    def __init__(self, lab):
        super().__init__(lab)
        self.c = self.host.drive_c
        program = self.c / "k" / "transom" / "node.pyz"
        (self.c / "bundle").mkdir(exist_ok=True)
        shutil.move(program, self.c / "bundle" / "node.pyz")
        shutil.rmtree(program.parent)
        self._zip_python()
        shutil.copytree(cloudbase.packages(), self.c / "cloudbase-init", dirs_exist_ok=True)
        cloudbase.write(self.host, r"C:\k\run.py", cloudbase.RUN)

    def _zip_python(self):
        """The lab's own Python as an archive, in place of python.org's."""
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as opened:
            for path in (self.c / "Python").rglob("*"):
                if path.is_file():
                    opened.write(path, path.relative_to(self.c / "Python"))
        (self.c / "bundle" / "python.zip").write_bytes(archive.getvalue())

    def fetched(self, name):
        content = (self.c / "bundle" / name).read_bytes()
        return Fetched(sha256=hashlib.sha256(content).hexdigest(), url=f"file:///C:/bundle/{name}")

    def plan(self, token=""):
        request = self.request(Verb.JOIN)
        wrong = {"token": token, "discovery": "3s"}
        secrets = replace(request.join, **wrong) if token else request.join
        # The pool's recipe: whatever machine boots with it puts its own name in.
        recipe = replace(
            self.recipe,
            identity=replace(self.recipe.identity, name="a-pool"),
            join=replace(self.recipe.join, node_name="a-pool"),
        )
        return BootPlan(
            request=replace(request, recipe=recipe, join=None),
            python=self.fetched("python.zip"),
            program=self.fetched("node.pyz"),
            join=secrets,
        )

    def boot(self, data):
        """Let cloudbase-init execute boot data; answer its status and whether to restart."""
        cloudbase.write(self.host, r"C:\k\user-data", data.decode())
        said = self.host.run([r"C:\Python\python.exe", r"C:\k\run.py"], timeout_s=280, check=False)
        return said.strip().splitlines()[-1], said

    def has(self, path):
        return (self.c / path).exists()
