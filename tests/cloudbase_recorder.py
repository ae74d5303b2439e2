"""What cloudbase-init asks of Windows, remembered: used beside a simulated system, and on a host of the lab.

Goes to hosts as it is: the standard library and cloudbase-init only.
"""

import datetime as dt
import ntpath
from typing import Any

from cloudbaseinit.metadata.services import base as services
from cloudbaseinit.plugins.common import execcmd


class Recorder:
    """The functions of cloudbase-init's osutils that a story tells of, but for files and programs."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine
        self.acts: list[tuple[str, str, dict[str, Any]]] = []
        self.users = set(machine.users)
        self.now: dict[str, Any] = {}
        self.group: dict[str, Any] = {}

    def get_default_script_exec_header(self):
        return "rem cmd"

    def get_maximum_password_length(self):
        return 20

    def generate_random_password(self, length):
        return "r" * length

    def set_timezone(self, name):
        if not isinstance(name, str):
            raise TypeError("no such time zone")
        self._act("timezone", name)

    def set_host_name(self, name):
        self._act("hostname", name)
        return True

    def set_ntp_client_config(self, hosts):
        self._act("ntp", " ".join(hosts), servers=list(hosts))

    def group_exists(self, name):
        self._expect_text(name)
        return False

    def create_group(self, name):
        self.group = self._act("group", name, members=[])

    def add_user_to_local_group(self, user, group):
        if self.now.get("_adds"):
            self.now["groups"].append(group)
            return
        self._expect_text(user)
        if user not in self.users:
            raise LookupError(user)
        self.group["members"].append(user)

    def user_exists(self, name):
        self._expect_text(name)
        return name in self.users

    def create_user(self, name, password):
        self._expect_text(password)
        given = "random" if set(password) == {"r"} else "given"
        self.now = self._act("user", name, password=given, groups=[], _adds=True)

    set_user_password = create_user

    def set_user_info(self, _name, *, full_name, expire_interval, disabled):
        del full_name
        day = ""
        if expire_interval is not None:
            epoch = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
            day = (epoch + dt.timedelta(seconds=expire_interval)).date().isoformat()
        self.now |= {"disabled": bool(disabled), "expires": day}

    def create_user_logon_session(self, name, _password):
        return name

    def close_user_logon_session(self, token):
        pass

    def get_user_home(self, name):
        return ntpath.join(r"C:\Users", name)

    def _act(self, action, subject, **detail):
        self.acts.append((action, subject, detail))
        return detail

    def told(self):
        """The acts, without what only this class notes in them."""
        for _action, _subject, detail in self.acts:
            detail.pop("_adds", None)
        return self.acts

    @staticmethod
    def _expect_text(value):
        if not isinstance(value, str):
            raise TypeError(f"{value!r} is no text")


class Service(services.BaseMetadataService):
    """A metadata service with one machine's data."""

    def __init__(self, data: bytes, machine: Any) -> None:
        super().__init__()
        self._data, self._machine = data, machine
        if machine.platform is not None and not machine.platform.unpacks_gzip:
            self.get_decoded_user_data = self.get_user_data
        if machine.platform is not None and machine.platform.names_only:
            self._get_datasource_instance_meta_data = self._names_only

    def _get_data(self, path):
        raise services.NotExistingMetadataException(path)

    def get_user_data(self):
        return self._data

    def get_instance_id(self):
        return self._machine.instance_id

    def get_host_name(self):
        return self._machine.hostname

    def get_public_keys(self):
        return list(self._machine.public_keys)

    def _names_only(self):
        from cloudbaseinit.utils import network

        return network.get_host_info(self._machine.hostname, None)


class Ec2(execcmd.EC2Config):
    """Scripts between tags, noted as one act with its blocks."""

    windows: Any

    @classmethod
    def from_data(cls, multicmd):
        real = execcmd.EC2Config.from_data(multicmd)
        windows, execute = cls.windows, real.execute

        def noted():
            before = len(windows.acts)
            answer = execute()
            blocks = [dict(detail) for _action, _subject, detail in windows.acts[before:]]
            script = multicmd.decode(errors="replace")
            windows.acts[before:] = [
                ("run", "ec2", {"interpreter": "ec2", "script": script, "blocks": blocks})
            ]
            return answer

        real.execute = noted
        return real
