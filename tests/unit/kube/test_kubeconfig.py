"""Kubeconfigs as kubectl reads them: several files are one, the first to say a thing decides."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from transom.errors import UsageError
from transom.kube.kubeconfig import choose


def document(*, current="", contexts=(), clusters=(), users=()):
    """Each context is named after its cluster and user; each value says which file it is of."""
    return {
        "current-context": current,
        "contexts": [{"name": c, "context": {"cluster": c, "user": c}} for c in contexts],
        "clusters": [{"name": name, "cluster": value} for name, value in dict(clusters).items()],
        "users": [{"name": name, "user": value} for name, value in dict(users).items()],
    }


def write(folder, name, **said):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(yaml.safe_dump(document(**said)))
    return folder / name


def test_the_first_file_that_names_a_thing_decides_about_it_wholly(tmp_path):
    first = write(
        tmp_path / "one", "config", clusters={"a": {"server": "https://one"}}, contexts=["b"]
    )
    second = write(
        tmp_path / "two",
        "config",
        current="a",
        contexts=["a"],
        clusters={"a": {"server": "https://two", "certificate-authority": "ca"}, "b": {}},
        users={"a": {"token": "t"}, "b": {}},
    )
    found = choose([first, second])
    assert (found.context, found.cluster.server) == ("a", "https://one")
    assert found.cluster.authority == ""
    assert found.user.token == "t"
    assert choose([second, first]).cluster.server == "https://two"
    assert choose([first, second], "b").context == "b"


def test_the_first_current_context_counts_and_missing_files_are_passed_over(tmp_path):
    both = {"contexts": ["a", "b"], "clusters": {"a": {}, "b": {}}, "users": {"a": {}, "b": {}}}
    files = [
        tmp_path / "missing",
        write(tmp_path, "silent", **both),
        write(tmp_path, "b", current="b", **both),
        write(tmp_path, "a", current="a", **both),
    ]
    assert choose(files).context == "b"


def test_paths_are_relative_to_the_file_they_stand_in(tmp_path):
    first = write(
        tmp_path / "one",
        "config",
        current="a",
        contexts=["a"],
        clusters={"a": {"certificate-authority": "ca.crt"}},
    )
    user = {"client-certificate": "../me.crt", "client-key": "/keys/me.key", "tokenFile": "token"}
    second = write(tmp_path / "two", "config", users={"a": user})
    found = choose([first, second])
    assert found.cluster.authority == str(tmp_path / "one/ca.crt")
    assert found.user.certificate == str(tmp_path / "two/../me.crt")
    assert found.user.key == "/keys/me.key"
    assert found.user.token_file == str(tmp_path / "two/token")
    assert found.folder == second.parent


def test_what_is_empty_is_not_said(tmp_path):
    user = {"token": "", "client-certificate": "", "username": None}
    file = write(tmp_path, "config", contexts=["a"], clusters={"a": {}}, users={"a": user})
    found = choose([file], "a")
    assert (found.user.token, found.user.certificate, found.user.username) == ("", "", "")


def test_the_way_there_and_whom_to_act_as_are_read(tmp_path):
    cluster = {"proxy-url": "http://proxy:3128", "tls-server-name": "api.corp"}
    user = {
        "as": "jane",
        "as-uid": "7",
        "as-groups": ["dev", "ops"],
        "as-user-extra": {"corp/reason": ["a", "b"]},
    }
    file = write(tmp_path, "config", contexts=["a"], clusters={"a": cluster}, users={"a": user})
    found = choose([file], "a")
    assert (found.cluster.proxy, found.cluster.server_name) == ("http://proxy:3128", "api.corp")
    assert found.headers == (
        ("Impersonate-User", "jane"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "dev"),
        ("Impersonate-Group", "ops"),
        ("Impersonate-Extra-corp%2Freason", "a"),
        ("Impersonate-Extra-corp%2Freason", "b"),
    )


@pytest.mark.parametrize(
    ("said", "context", "expected"),
    [
        ({"contexts": ["a", "b"]}, None, "it has no current-context; its contexts: a, b"),
        ({"contexts": ["a"], "current": "c"}, None, "there is no context 'c'; its contexts: a"),
        ({}, "prod", "there is no context 'prod'; its contexts: none"),
        ({"contexts": ["a"]}, "a", "context 'a' names the cluster 'a', which is not there"),
        (
            {"contexts": ["a"], "clusters": {"a": {}}},
            "a",
            "context 'a' names the user 'a', which is not there",
        ),
        (
            {"contexts": ["a"], "clusters": {"a": {}}, "users": {"a": {"token": ["hunter2"]}}},
            "a",
            "what context 'a' names is malformed",
        ),
    ],
)
def test_what_is_wrong_is_said_without_any_secret(tmp_path, said, context, expected):
    with pytest.raises(UsageError) as caught:
        choose([write(tmp_path, "config", **said)], context)
    assert expected in caught.value.message
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("users: [\ntoken: hunter2", "it is no YAML"),
        ("hunter2", "it is no kubeconfig"),
        ("users: hunter2", "its users are no list"),
        ("users: [hunter2]", "an entry of its users has no name"),
        ("users: [{name: a, user: hunter2}]", "an entry of its users has no name, or is no user"),
        ("users: [{user: {token: hunter2}}]", "an entry of its users has no name"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_among_several(tmp_path, content, expected):
    good = write(tmp_path, "good", current="a", contexts=["a"], clusters={"a": {}}, users={"a": {}})
    (tmp_path / "bad").write_text(content)
    with pytest.raises(UsageError) as caught:
        choose([good, tmp_path / "bad"])
    assert f"cannot use the kubeconfig {tmp_path / 'bad'}: {expected}" in caught.value.message
    assert "hunter2" not in f"{caught.value} {caught.value.__cause__}"


_NAMES = st.sampled_from("abc")


@settings(max_examples=40)
@given(
    files=st.lists(
        st.tuples(
            st.sampled_from(["", "a", "b", "c"]), st.sets(_NAMES), st.sets(_NAMES), st.sets(_NAMES)
        ),
        min_size=1,
        max_size=4,
    ),
    asked=st.one_of(st.none(), _NAMES),
)
def test_any_files_give_what_the_first_of_them_says(tmp_path_factory, files, asked):
    folder, paths = tmp_path_factory.mktemp("k"), []
    for number, (current, contexts, clusters, users) in enumerate(files):
        place = {name: {"server": f"https://{number}"} for name in clusters}
        tokens = {name: {"token": str(number)} for name in users}
        said = {"current": current, "contexts": contexts, "clusters": place, "users": tokens}
        paths.append(write(folder, f"config-{number}", **said))

    def first(part, name):
        return next((n for n, file in enumerate(files) if name in file[part]), None)

    name = asked or next((file[0] for file in files if file[0]), "")
    where = [first(part, name) for part in (1, 2, 3)]
    if None in where:
        with pytest.raises(UsageError):
            choose(paths, asked)
    else:
        found = choose(paths, asked)
        assert found.context == name
        assert (found.cluster.server, found.user.token) == (f"https://{where[1]}", str(where[2]))
