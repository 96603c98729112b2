"""Keeps the service from calling addresses that schemathesis made up."""

import schemathesis

NOBODY = "http://127.0.0.1:9/"


@schemathesis.hook
def map_body(context, body):
    if isinstance(body, dict) and isinstance(body.get("webhook"), str):
        if body["webhook"].startswith(("http://", "https://")):
            return {**body, "webhook": NOBODY}
    return body
