"""Every exception that is raised on purpose.

::

    BotError
    ├── ConfigError              the operator's settings cannot be used        (exit 2)
    ├── DataError                the data folder or database cannot be used    (exit 2)
    │   └── DataFolderBusy       another process works on it
    ├── StoreError               a running store failed
    │   ├── StoreLost            its file is damaged or gone
    │   └── StoreUnreadable      what one row holds is damaged
    ├── SearchUnavailable        memory cannot be searched at this moment
    ├── ModelError               the model could not answer
    │   ├── ModelAuthError       key or permission refused
    │   ├── ModelRateLimited     too many requests                             (retryable)
    │   ├── ModelOverloaded      the vendor is overloaded                      (retryable)
    │   ├── ModelUnavailable     5xx, no connection                            (retryable)
    │   │   └── ModelSilent      it was asked, and no answer came in time
    │   ├── ModelStreamCut       the answer broke off or made no sense         (retryable)
    │   ├── CapReached           the day's spending cap is used up
    │   ├── ContextTooLong       the request is longer than the model reads
    │   ├── CannotFit            the request alone is longer than the bot may send
    │   └── ModelRequestRefused  the vendor calls the request itself wrong
    │       └── ModelNotFound    it has no such model
    ├── ChannelError             a chat platform failed
    │   ├── ChannelAuthError     token refused
    │   └── DeliveryError        a message was not delivered                   (retryable or not)
    │       ├── FateUnknown      it may have been delivered
    │       └── FileTooLarge     a file is longer than is fetched or sent
    ├── NotRunning               no running bot can be asked                   (exit 1)
    ├── NoAnswer                 one is there, and does not answer in time     (exit 1)
    ├── PluginError              a plugin cannot be used
    └── ToolError                a tool's word to the model

The docstring of a class is its default message. ``retryable`` and ``retry_after_s`` are the only
policy an error carries; who catches it decides everything else.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar


class BotError(Exception):
    """Something went wrong."""

    retryable: ClassVar[bool] = False

    def __init__(self, message: str = "", *, retry_after_s: float | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())
        self.retry_after_s = retry_after_s


class ConfigError(BotError):
    """The configuration cannot be used."""


class DataError(BotError):
    """The data folder or its database cannot be used."""


class DataFolderBusy(DataError):
    """Another process is working on this data folder."""


class StoreError(BotError):
    """The store could not carry out a request."""


class StoreLost(StoreError):
    """The store's file is damaged or gone; nothing but the operator can mend that."""


class StoreUnreadable(StoreError):
    """Something that is stored cannot be read; asked again, it cannot either."""


class SearchUnavailable(BotError):
    """Memory cannot be searched at this moment."""


class ModelError(BotError):
    """The model could not answer."""


class ModelAuthError(ModelError):
    """The model's vendor refused the key."""


class ModelRateLimited(ModelError):
    """The model's vendor asks for fewer requests."""

    retryable = True


class ModelOverloaded(ModelError):
    """The model's vendor is overloaded."""

    retryable = True


class ModelUnavailable(ModelError):
    """The model's vendor cannot be reached or failed."""

    retryable = True


class ModelSilent(ModelUnavailable):
    """The model's vendor was asked and gave no answer."""


class ModelStreamCut(ModelError):
    """The model's answer broke off."""

    retryable = True


class CapReached(ModelError):
    """The day's spending cap is used up.

    ``scope`` is whose: ``person``, ``chat`` or ``bot``; ``resets_at`` the midnight, in the bot's
    time zone, at which the next day begins, and ``retry_after_s`` how far that is.
    """

    def __init__(self, scope: str, resets_at: datetime, *, retry_after_s: float) -> None:
        super().__init__(f"the daily cap of the {scope} is used up", retry_after_s=retry_after_s)
        self.scope = scope
        self.resets_at = resets_at


class ContextTooLong(ModelError):
    """The request is longer than the model reads.

    ``needed_tokens`` and ``limit_tokens`` are the vendor's own numbers, None when it gave none.
    """

    def __init__(
        self,
        message: str = "The request is longer than the model reads.",
        *,
        needed_tokens: int | None = None,
        limit_tokens: int | None = None,
    ) -> None:
        super().__init__(message)
        self.needed_tokens = needed_tokens
        self.limit_tokens = limit_tokens


class CannotFit(ModelError):
    """The request is too long even alone.

    Both numbers are tokens of a whole request: what it needs, and what it may have.
    """

    def __init__(self, needed_tokens: int, limit_tokens: int) -> None:
        super().__init__(f"{needed_tokens} tokens are needed, {limit_tokens} may be used")
        self.needed_tokens = needed_tokens
        self.limit_tokens = limit_tokens


class ModelRequestRefused(ModelError):
    """The model's vendor refused the request as invalid."""


class ModelNotFound(ModelRequestRefused):
    """The model's vendor has no such model."""


class ChannelError(BotError):
    """The chat platform failed."""


class ChannelAuthError(ChannelError):
    """The chat platform refused the token."""


class DeliveryError(ChannelError):
    """A message could not be delivered.

    ``can_retry`` says whether the same call may succeed later (a limit, an outage) or never
    (the person blocked the bot, the chat is gone).
    """

    def __init__(
        self,
        message: str = "",
        *,
        can_retry: bool = True,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, retry_after_s=retry_after_s)
        self.can_retry = can_retry


class FateUnknown(DeliveryError):
    """The connection broke after the message was sent: it may have been delivered."""


class FileTooLarge(DeliveryError):
    """The file is too large."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message, can_retry=False)


class NotRunning(BotError):
    """No running bot can be asked."""


class NoAnswer(BotError):
    """The running bot gives no answer."""


class PluginError(BotError):
    """A plugin cannot be used."""


class ToolError(BotError):
    """A tool could not do it; the text is read by the model and says what to do instead."""
