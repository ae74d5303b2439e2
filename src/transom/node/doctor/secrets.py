"""The secrets that one host's configuration names, so that no output has them."""

from dataclasses import replace
from typing import Any

from transom.model.codec import encode
from transom.node.doctor.observation import Observation
from transom.node.doctor.redaction import Redactor


def redactor_for(seen: Observation) -> Redactor:
    """A redactor that knows what stands under secret keys in the host's configuration.

    Logs are no configuration: `redaction` says why nothing is learnt from them.
    """
    redactor = Redactor()
    for text in seen.texts.values():
        redactor.learn(text)
    for service in seen.services:
        redactor.learn(service.command)
        redactor.learn("\n".join(service.environment))
    redactor.learn("\n".join(f"{name}={value}" for name, value in seen.environment.items()))
    return redactor


def encoded(seen: Observation, redactor: Redactor) -> Any:
    """An observation as JSON without a secret.

    A log is cleaned whole before its lines: a private key in it goes over many of them.
    """
    logs = (
        replace(log, lines=tuple(redactor.clean("\n".join(log.lines)).split("\n")))
        for log in seen.logs
    )
    return redactor.clean_tree(encode(replace(seen, logs=tuple(logs))))
