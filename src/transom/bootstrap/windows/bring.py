"""Bring the node program to this machine by its hash, and let it join.

Boot data writes this file and boot.json beside it; cloudbase-init's own Python runs it at each boot
until it ends with 0. Standard library only. 1003 asks cloudbase-init for a restart and another run.
"""

import base64
import hashlib
import json
import os
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.dirname(HERE)
PYTHON = os.path.join(HOME, "python")
PROGRAM = os.path.join(HOME, "node.pyz")
REPORT = os.path.join(HERE, "report.json")
WAIT_S = 900
NOT_TRUSTED = (35, 60)  # curl.exe's exit codes for a handshake or certificate that fails
ONLY_ADMINISTRATORS = ("*S-1-5-18:(OI)(CI)F", "*S-1-5-32-544:(OI)(CI)F")
OWNERS = r"""{owners}"""


def main():
    """Do it all; answer the exit code."""
    try:
        with open(os.path.join(HERE, "boot.json"), encoding="utf-8") as file:
            wanted = json.load(file)
        for folder in (HOME, *wanted["close"]):
            close(folder)
        check_owners()
        bring_python(wanted["python"])
        bring_program(wanted["program"])
    except Exception as error:  # whatever it is: a machine without a report helps nobody
        report(error)
        return 1
    command = [os.path.join(PYTHON, "python.exe"), PROGRAM, "boot", *wanted["arguments"]]
    return subprocess.call(command + sys.argv[1:])


def report(error):
    """Leave behind why it failed, where the node program would."""
    document = {
        "apiVersion": "node.transom.dev/v1alpha1",
        "kind": "BootReport",
        "error": type(error).__name__,
        "message": str(error),
        "subject": "bring.py",
        "hint": "Look at cloudbase-init's log for what came before.",
        "run": "",
    }
    with open(REPORT, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1)
    print(json.dumps(document))


def close(folder):
    """Let nobody but SYSTEM and administrators look into a folder."""
    os.makedirs(folder, exist_ok=True)
    command = ["icacls", folder, "/inheritance:r", "/grant:r", *ONLY_ADMINISTRATORS]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def check_owners():
    """Refuse what somebody else put there before it was closed: Windows itself says whose it is."""
    encoded = base64.b64encode(OWNERS.encode("utf-16-le")).decode()
    command = ["powershell", "-NoProfile", "-NonInteractive", "-EncodedCommand", encoded]
    where = dict(os.environ, TRANSOM_HOME=HOME)
    done = subprocess.run(command, check=False, env=where, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())


def bring_python(wanted):
    """Have the Python of that hash unpacked; the mark is written last, so a cut is seen."""
    mark = os.path.join(PYTHON, "sha256")
    if os.path.exists(mark):
        with open(mark, encoding="ascii") as file:
            if file.read() == wanted["sha256"]:
                return
    archive = os.path.join(HERE, "python.zip")
    download(wanted, archive)
    set_python_aside()
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(PYTHON)
    with open(mark, "w", encoding="ascii") as file:
        file.write(wanted["sha256"])
    os.remove(archive)


def set_python_aside():
    """Move another Python away file by file: Windows removes nothing that runs, but renames it."""
    names = os.listdir(PYTHON) if os.path.isdir(PYTHON) else []
    if not names:
        return
    number = 1
    while os.path.exists(os.path.join(HOME, "old", "boot-%d" % number)):
        number += 1
    place = os.path.join(HOME, "old", "boot-%d" % number)
    os.makedirs(place)
    for name in names:
        os.rename(os.path.join(PYTHON, name), os.path.join(place, name))


def bring_program(wanted):
    """Have the node program of that hash."""
    if os.path.exists(PROGRAM) and hash_of(PROGRAM) == wanted["sha256"]:
        return
    if not wanted.get("url"):
        raise RuntimeError("%s is not the program this boot data was made for" % PROGRAM)
    download(wanted, PROGRAM)


def download(wanted, target):
    """Fetch a file and keep it only with its hash; try again until the time is over."""
    deadline = time.monotonic() + WAIT_S
    delay_s = 1
    while True:
        try:
            fetch(wanted["url"], target + ".part")
            break
        except OSError as error:
            if time.monotonic() + delay_s > deadline:
                raise RuntimeError("cannot fetch %s: %s" % (wanted["url"], error)) from error
        time.sleep(delay_s)
        delay_s = min(delay_s * 2, 60)
    found = hash_of(target + ".part")
    if found != wanted["sha256"]:
        os.remove(target + ".part")
        raise RuntimeError("%s has the SHA-256 %s" % (wanted["url"], found))
    os.replace(target + ".part", target)


def fetch(url, target):
    """Download to a file."""
    context = ssl.create_default_context()
    # Many private authorities lack the key identifiers that Python 3.13 asks for.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    try:
        opened = urllib.request.urlopen(url, timeout=60, context=context)
    except urllib.error.URLError as error:
        if not isinstance(error.reason, ssl.SSLCertVerificationError):
            raise
        fetch_by_windows(url, target, error.reason.verify_message)
        return
    with opened as answer, open(target, "wb") as file:
        file.writelines(iter(lambda: answer.read(1 << 20), b""))


def fetch_by_windows(url, target, reason):
    """Download with Windows' curl.exe: it has a missing root fetched, Python never does."""
    command = ["curl.exe", "--fail", "--location", "--silent", "--show-error", "--ssl-no-revoke"]
    command += ["--connect-timeout", "30", "--max-time", "900", "--output", target, url]
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE)
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode in NOT_TRUSTED:
        raise RuntimeError(
            "the certificate of %s is not trusted: %s; Windows says: %s" % (url, reason, said)
        )
    if done.returncode:
        raise OSError("curl.exe ended with %s: %s" % (done.returncode, said))


def hash_of(path):
    """The SHA-256 of a file."""
    found = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            found.update(piece)
    return found.hexdigest()


if __name__ == "__main__":
    sys.exit(main())
