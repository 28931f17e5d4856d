"""No client of HTTP in the product leaves the way that all connections take."""

import ast
from collections.abc import Iterator

from tests.repo.tree import python_files

OF_THE_BOT = ("bot/", "channels/", "plugins/")
PRETENDED = "bot/testing/"
LED_BY = {
    "ClientSession": ("middlewares=", "proxy="),  # aiohttp's reads no environment by itself
    "TCPConnector": ("ssl=trusted()",),  # nor does it know another CA than its import found
    "build_opener": ("ProxyHandler(",),  # urllib's own choice knows no [::1] in no_proxy
}
LEAVES_IT = ("trust_env=", "verify=", "verify_ssl=", "ssl=", "ssl_context=", "mounts=")
MAKERS = {*LED_BY, "AsyncClient", "HTTPXRequest", "AsyncAnthropic", "AsyncWebClient"}


def test_every_client_is_led() -> None:
    found = list(_clients())

    assert {maker for _, maker, _ in found} == MAKERS
    assert [
        f"{where} {maker}"
        for where, maker, given in found
        if maker in LED_BY and not any(each.startswith(LED_BY[maker]) for each in given)
    ] == []


def test_none_has_a_way_of_its_own() -> None:
    own = [
        f"{where} {maker}: {each}"
        for where, maker, given in _clients()
        for each in given
        if each.startswith(LEAVES_IT) and not each.startswith(LED_BY.get(maker, ("\0",)))
    ]

    assert own == []


def test_nobody_uses_the_opener_that_was_made_before() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name, node in _nodes()
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).endswith("urlopen")
    ]

    assert found == []


def _clients() -> Iterator[tuple[str, str, list[str]]]:
    """Give the place of each client's making, what makes it, and what that is given."""
    for name, node in _nodes():
        if not isinstance(node, ast.Call):
            continue
        maker = _name(node.func)
        if maker == "to_thread":
            maker = _name(node.args[0])
        if maker in MAKERS:
            given = [ast.unparse(each).rpartition("urllib.request.")[2] for each in node.args]
            given += [f"{each.arg}={ast.unparse(each.value)}" for each in node.keywords]
            yield f"{name}:{node.lineno}", maker, given


def _name(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _nodes() -> Iterator[tuple[str, ast.AST]]:
    for name, tree in python_files(*OF_THE_BOT):
        if not name.startswith(PRETENDED):
            yield from ((name, node) for node in ast.walk(tree))
