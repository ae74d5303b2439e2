"""A run that a person starts on the host itself: its request comes from files, its token from a prompt.

What the person says about the host must agree with the recipe; every disagreement is told at once.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TextIO, TypeVar

from transom.errors import InvalidDocument, UsageError
from transom.model.codec import decode
from transom.model.entry import NodeEntry
from transom.model.problem import Mistake
from transom.model.recipe import API_VERSION, Recipe
from transom.model.request import JoinSecrets, Request, Verb
from transom.node.host.nouns.files import Files
from transom.node.host.values import PathKind
from transom.node.kubernetes import join_configuration

T = TypeVar("T", Recipe, NodeEntry)


def request_from_files(
    options: argparse.Namespace, files: Files, verb: Verb, stdin: TextIO
) -> Request:
    """The request that the files and the person make together."""
    if not (options.recipe and options.entry):
        raise UsageError("--recipe and --entry belong together", hint="Give both, or neither.")
    recipe = _document(Recipe, files, options.recipe)
    entry = _document(NodeEntry, files, options.entry)
    mistakes = [*_disagreements(options, recipe)]
    if mistakes:
        raise InvalidDocument(
            mistakes, subject="the command line", hint="Leave it out, or use the host's own recipe."
        )
    request = Request(verb=verb, recipe=recipe, owner=entry.owner)
    if verb is not Verb.JOIN:
        return request
    secrets = _secrets(options, files, entry, stdin)
    # The authority that kubeadm finds there is one of these; the fleet's own may be gone by now.
    pins = secrets.ca_hashes
    known = entry.owner.cluster
    pin = known if known in pins or not pins else pins[0]
    return replace(request, join=secrets, owner=replace(entry.owner, cluster=pin), pins=pins)


def _document(kind: type[T], files: Files, path: str) -> T:
    if files.kind(path) is not PathKind.FILE:
        raise UsageError(f"there is no {path}", subject=path, hint="`transom script` writes it.")
    try:
        found = decode(kind, json.loads(files.read(path)))
    except (ValueError, RecursionError) as error:
        raise InvalidDocument([Mistake(str(error))], subject=path) from error
    if (found.api_version, found.kind) != (API_VERSION, kind.__name__):
        said = f"{found.api_version} {found.kind}"
        raise UsageError(
            f"{path} is a {said}", subject=path, hint=f"It must be a {API_VERSION} {kind.__name__}."
        )
    return found


def _disagreements(options: argparse.Namespace, recipe: Recipe) -> Iterator[Mistake]:
    asked = options.kubernetes_version
    if asked and asked.removeprefix("v") != recipe.target.kubernetes:
        yield Mistake(
            f"Kubernetes {asked} is asked for, the recipe is for {recipe.target.kubernetes}"
        )
    name = options.hostname
    if name and name.lower() != recipe.join.node_name.lower():
        yield Mistake(f"the name {name} is asked for, the recipe is for {recipe.join.node_name}")


def _secrets(
    options: argparse.Namespace, files: Files, entry: NodeEntry, stdin: TextIO
) -> JoinSecrets:
    if options.join_config:
        found = join_configuration.read(files, options.join_config)
        return join_configuration.secrets(found, options.join_config)
    if not entry.endpoint or not entry.ca_hashes:
        raise UsageError(
            "the fleet does not say where to join",
            subject=options.entry,
            hint="Give --join-config, or cluster.joinEndpoint and caCertHashes in the fleet.",
        )
    # Windows PowerShell may put a byte order mark before what it pipes.
    token = "".join(filter(str.isascii, stdin.readline())).strip()
    if not join_configuration.TOKEN.fullmatch(token):
        raise UsageError(
            "what was given is no bootstrap token",
            hint="It is six letters or digits, a dot, and sixteen more; `kubeadm token create`.",
        )
    return JoinSecrets(endpoint=entry.endpoint, token=token, ca_hashes=entry.ca_hashes)
