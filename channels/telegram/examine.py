"""What an operator can get wrong about a Telegram bot, looked at."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from socket import gaierror
from urllib.error import URLError
from urllib.parse import urlsplit

from bot.api import Clock, Finding, blame_proxy, distrust, judge_clock, one_line
from channels.telegram.plain_request import NO_ANSWER, Answer, ask
from channels.telegram.token import redact

_AREA = "telegram"

TIMEOUT_S = 10.0

WATCH_S = 4
"""How long another program has to show that it fetches too. A poll that is pushed out by ours comes
again a second later as a rule, and then pushes out ours."""

RECENT = timedelta(hours=1)
"""How long a failure to reach the webhook counts: Telegram keeps the last one for ever."""

MOST_GROUPS = 20
"""How many of the groups of the settings are looked up."""

_UNREACHABLE = (
    'look at the network, and at "proxy" or https_proxy; channels.telegram.base_url is'
    " https://api.telegram.org unless you run a Bot API server of your own"
)
_GIVE_ONE = (
    "@BotFather: /mybots, your bot, API Token; put it into TELEGRAM_BOT_TOKEN or"
    " channels.telegram.token"
)
_REVOKE = "@BotFather, /revoke, your bot, and give the bot its new token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The bot that is to be examined.

    Attributes:
        address: Of the bot, token included.
        webhook_url: Where Telegram should send updates; None when the bot fetches them.
        groups: The only groups that it listens in; None for all.
        is_running: Another process receives for it just now.
    """

    address: str = field(repr=False)
    webhook_url: str | None = None
    groups: frozenset[int] | None = None
    is_running: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Me:
    """What getMe says of the bot."""

    id: int
    username: str
    joins_groups: bool
    reads_groups: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Webhook:
    """What getWebhookInfo says: an empty ``url`` for none, and the newest failure to deliver."""

    url: str
    pending: int
    failed_at: datetime | None
    failure: str


async def examine(subject: Subject, clock: Clock) -> tuple[Finding, ...]:
    """Look at everything; nothing is changed, and no update is taken from anybody."""
    return await asyncio.to_thread(_Examination(subject, clock).findings)


class _Examination:
    """Asks Telegram, one question after the other; blocking."""

    def __init__(self, subject: Subject, clock: Clock) -> None:
        self._subject = subject
        self._clock = clock

    def findings(self) -> tuple[Finding, ...]:
        """Look at everything; what was seen before an answer failed to come is given too."""
        found: list[Finding] = []
        try:
            for finding in self._look():
                found.append(finding)
        except NO_ANSWER as error:
            cause = error.reason if isinstance(error, URLError) else error
            blamed = distrust(error)
            if isinstance(cause, ConnectionRefusedError | gaierror):
                blamed = blame_proxy(cause, self._subject.address)
            reason = one_line(blamed or redact(str(cause)) or type(cause).__name__)
            found.append(_broken("reach", f"Telegram cannot be reached ({reason})", _UNREACHABLE))
        return tuple(found)

    def _look(self) -> Iterator[Finding]:
        answer = self._ask("getMe")
        me = _read_me(answer.result)
        if me is None:
            yield _refusal(answer)
            return
        link = f"https://t.me/{me.username}"
        yield _ok("token", f"the token is that of @{me.username}, {link}")
        if answer.at is not None:
            yield judge_clock(_AREA, ours=self._clock.now(), theirs=answer.at)
        yield _joining(me)
        yield _privacy(me)
        yield from self._groups(me)
        yield from self._receiving(me)
        yield self._menu()

    def _ask(self, method: str, *, waits_s: int = 0, **parameters: object) -> Answer:
        limit_s = TIMEOUT_S + waits_s
        return ask(self._subject.address, method, parameters, timeout_s=limit_s)

    def _groups(self, me: _Me) -> Iterator[Finding]:
        """Look whether the bot is in the groups that it is told to listen in."""
        for group in sorted(self._subject.groups or ())[:MOST_GROUPS]:
            answer = self._ask("getChatMember", chat_id=group, user_id=me.id)
            if answer.code in (400, 403) or _status_of(answer.result) in ("left", "kicked"):
                yield _warning(
                    "groups",
                    f"the bot is not in the group {group}",
                    f"add @{me.username} to it, or take {group} out of channels.telegram.groups",
                )

    def _receiving(self, me: _Me) -> Iterator[Finding]:
        answer = self._ask("getWebhookInfo")
        hook = _read_webhook(answer.result)
        if hook is None:
            yield _refusal(answer)
        elif self._subject.webhook_url is not None:
            yield self._webhook(hook, self._subject.webhook_url)
        elif hook.url:
            yield self._webhook_in_the_way(hook)
        elif not self._subject.is_running:
            yield self._other_poller(me, hook)

    def _webhook(self, hook: _Webhook, wanted: str) -> Finding:
        """Judge the webhook of a bot that is told of updates."""
        is_running = self._subject.is_running
        if hook.url != wanted:
            what = f"the webhook leads to {_host_of(hook.url)}" if hook.url else "no webhook is set"
            if not is_running:
                return _warning("webhook", what, "start the bot: it sets its webhook")
            mend = "restart the bot; if it comes back, another program has the token: " + _REVOKE
            return _broken("webhook", f"{what}, though the bot runs", mend)
        since = None if hook.failed_at is None else self._clock.now() - hook.failed_at
        if since is None or since > RECENT:
            return _ok("webhook", f"the webhook is set; {_waiting(hook)}")
        seen = f"Telegram cannot deliver: {one_line(hook.failure)}; {_waiting(hook)}"
        if not is_running:
            return _warning("webhook", seen, "start the bot, then run doctor again")
        mend = (
            f"see to it that {_host_of(wanted)} leads to the bot, on port 443, 80, 88 or 8443, with"
            " a certificate that others accept"
        )
        return (_broken if hook.pending else _warning)("webhook", seen, mend)

    def _webhook_in_the_way(self, hook: _Webhook) -> Finding:
        """Judge a webhook that keeps a bot from fetching."""
        seen = f"a webhook is set, to {_host_of(hook.url)}: nothing can be fetched"
        if self._subject.is_running:
            mend = "stop the program that sets it again and again; if you do not know it: "
            return _broken("webhook", f"{seen}; {_waiting(hook)}", mend + _REVOKE)
        mend = "start the bot: it takes the webhook away and fetches what waits"
        return _warning("webhook", f"{seen}; {_waiting(hook)}", mend)

    def _other_poller(self, me: _Me, hook: _Webhook) -> Finding:
        """Look whether somebody else fetches: a poll that waits is pushed out by another one.

        No offset is given, so that nothing is confirmed, and no kinds, so that the bot's stay.
        """
        answer = self._ask("getUpdates", waits_s=WATCH_S, timeout=WATCH_S, limit=1)
        if answer.code == 409:
            return _broken(
                "polling",
                f"another program fetches the messages of @{me.username}",
                "stop it: each message goes to one of the two; if you do not know it: " + _REVOKE,
            )
        if answer.code != 200:
            return _refusal(answer)
        return _ok("polling", f"nobody else fetches; {_waiting(hook)}")

    def _menu(self) -> Finding:
        answer = self._ask("getMyCommands")
        if answer.code != 200:
            return _refusal(answer)
        if answer.result:
            return _ok("menu", "the menu of commands is set")
        if self._subject.is_running:
            mend = "restart the bot: it sets the menu when it starts"
        else:
            mend = "start the bot: it sets the menu"
        return _warning("menu", "the bot shows no menu of commands", mend)


def _read_me(result: object) -> _Me | None:
    match result:
        case {"id": int(number), "username": str(username), **rest}:
            return _Me(
                id=number,
                username=username,
                joins_groups=bool(rest.get("can_join_groups")),
                reads_groups=bool(rest.get("can_read_all_group_messages")),
            )
    return None


def _read_webhook(result: object) -> _Webhook | None:
    match result:
        case {"url": str(url), **rest}:
            pending, failed = rest.get("pending_update_count"), rest.get("last_error_date")
            return _Webhook(
                url=url,
                pending=pending if isinstance(pending, int) else 0,
                failed_at=datetime.fromtimestamp(failed, UTC) if isinstance(failed, int) else None,
                failure=str(rest.get("last_error_message") or "it does not say why"),
            )
    return None


def _status_of(member: object) -> str:
    return str(member.get("status")) if isinstance(member, dict) else ""


def _joining(me: _Me) -> Finding:
    if me.joins_groups:
        return _ok("joining", "the bot can be added to groups")
    mend = f"@BotFather: /setjoingroups, @{me.username}, Enable; unless that is what you want"
    return _warning("joining", "the bot cannot be added to groups", mend)


def _privacy(me: _Me) -> Finding:
    name = f"@{me.username}"
    if me.reads_groups:
        return Finding(
            area=_AREA,
            check="privacy",
            seen="privacy mode is off: the bot is sent everything that is written in its groups",
            mend=f"to have it on: @BotFather, /setprivacy, {name}, Enable",
        )
    return _warning(
        "privacy",
        "privacy mode is on: in groups where it is not admin the bot is sent commands for it and"
        f" replies to it; a mere mention of {name} may not reach it",
        f"to use it in groups: @BotFather, /setprivacy, {name}, Disable; then remove it from each"
        " group and add it again, or make it admin there",
    )


def _refusal(answer: Answer) -> Finding:
    """Word an answer that is not what was asked for."""
    if answer.code in (401, 404):
        return _broken("token", "Telegram refuses the token", _GIVE_ONE)
    if answer.code == 429:
        mend = "wait a minute, then run doctor again"
        return _warning("reach", "Telegram asks for fewer requests", mend)
    words = one_line(redact(answer.description)) or "its answer makes no sense"
    return _broken("reach", f"Telegram fails ({answer.code}): {words}", _UNREACHABLE)


def _waiting(hook: _Webhook) -> str:
    return f"{hook.pending} update{'' if hook.pending == 1 else 's'} waiting"


def _host_of(url: str) -> str:
    """Give what may be shown of a webhook's address: people put their token behind it."""
    return urlsplit(url).hostname or "somewhere"


def _ok(check: str, seen: str) -> Finding:
    return Finding(area=_AREA, check=check, seen=seen)


def _warning(check: str, seen: str, mend: str) -> Finding:
    return Finding(area=_AREA, check=check, grade="warning", seen=seen, mend=mend)


def _broken(check: str, seen: str, mend: str) -> Finding:
    return Finding(area=_AREA, check=check, grade="broken", seen=seen, mend=mend)
