"""Reading the request of a run."""

import json

from transom.errors import InvalidDocument, UsageError
from transom.model.codec import decode
from transom.model.problem import Mistake
from transom.model.request import Request, Verb


def read_request(text: str, verb: Verb) -> Request:
    """Read a request; whatever is wrong with it is the caller's mistake, named by its path."""
    try:
        request = decode(Request, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InvalidDocument([Mistake(str(error))], subject="the request") from error
    if request.verb is not verb:
        raise UsageError(
            f"the request says {request.verb.value}, the command {verb.value}",
            hint="They must agree.",
        )
    return request
