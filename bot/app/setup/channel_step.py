"""The steps about chat platforms, and how the bot gets its owner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.app.channels import build_channel, slack_manifest, wanted_channels
from bot.app.setup.form import Form, Secret
from bot.config import Config, OwnFiles
from bot.core.findings import Findings
from bot.ports import Channel

_ABOUT_TOKENS = frozenset(
    {"token", "bot_token", "app_token", "signing_secret", "scopes", "reach", "clock", "privacy"}
)
"""What is shown of a channel's findings: all else the first start sets right, or doctor tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """A chat platform that can be set up.

    Attributes:
        name: Its channel.
        title: What people call it.
        offer: What is asked first; empty where a mere Enter skips the only secret.
        guide: The lines that say where its secrets come from.
        secrets: What the settings need, by what is configured already.
        claim: How somebody claims a bot there.
    """

    name: str
    title: str
    guide: Callable[[], tuple[str, ...]]
    secrets: Callable[[Config], tuple[Secret, ...]]
    claim: str
    offer: str = ""


def _telegram_guide() -> tuple[str, ...]:
    return ("Write /newbot to https://t.me/BotFather; it gives you a token.",)


def _telegram_secrets(config: Config) -> tuple[Secret, ...]:
    return (
        Secret(
            path=("channels", "telegram", "token"),
            variable="TELEGRAM_BOT_TOKEN",
            title="Bot token",
            check="token",
            kind="telegram",
        ),
    )


def _slack_guide() -> tuple[str, ...]:
    return (
        "1. https://api.slack.com/apps, Create New App, From a manifest; as JSON it is this:",
        "",
        slack_manifest(),
        "",
        "2. Install App; its Bot User OAuth Token (xoxb-…) is what you need first.",
        "3. Basic Information, App-Level Tokens, Generate, with the scope connections:write: the",
        "   second token (xapp-…).",
    )


def _slack_secrets(config: Config) -> tuple[Secret, ...]:
    """Name the two that the mode needs: Slack is called, or calls the bot."""
    modes = [each.values.get("mode") for each in config.channels if each.name == "slack"]
    bot = Secret(
        path=("channels", "slack", "bot_token"),
        variable="SLACK_BOT_TOKEN",
        title="Bot User OAuth Token",
        check="bot_token",
        kind="slack bot",
    )
    if "http" in modes:
        signing = Secret(
            path=("channels", "slack", "signing_secret"),
            variable="SLACK_SIGNING_SECRET",
            title="Signing Secret",
            check="signing_secret",
            kind="slack signing",
        )
        return (bot, signing)
    app = Secret(
        path=("channels", "slack", "app_token"),
        variable="SLACK_APP_TOKEN",
        title="App-Level Token",
        check="app_token",
        kind="slack app",
    )
    return (bot, app)


PLATFORMS = (
    Platform(
        name="telegram",
        title="Telegram",
        guide=_telegram_guide,
        secrets=_telegram_secrets,
        claim="Telegram: open the bot's link above and send it  /claim CODE",
    ),
    Platform(
        name="slack",
        title="Slack",
        offer="Set Slack up now?",
        guide=_slack_guide,
        secrets=_slack_secrets,
        claim="Slack: send  !claim CODE  to the bot in a direct message",
    ),
)
"""All that can be set up, in the order of the steps."""


def fill_platform(form: Form, platform: Platform) -> None:
    """Ask for the secrets of a platform, and see whether they are taken."""
    questions = form.questions
    questions.head(platform.title)
    secrets = platform.secrets(form.read(form.files))
    files = form.files
    if not platform.offer or questions.confirm(platform.offer, default=False):
        questions.say(*platform.guide())
        for secret in secrets:
            files = form.enter(secret, files)
    if not any(form.look_up(each, files).is_set for each in secrets):
        questions.say("Skipped.")
        return

    def look(entered: OwnFiles) -> Awaitable[Findings]:
        return _examine(build_channel(form.read(entered), platform.name, form.clock, form.hide))

    form.settle(platform.name, files, look, secrets)
    sections = form.read(form.files).channels
    if any(each.is_switched_off for each in sections if each.name == platform.name):
        questions.say(f"It is switched off: channels.{platform.name}.enabled is false.")


async def _examine(channel: Channel) -> Findings:
    """Look at what the tokens are good for; nobody who receives with them is disturbed."""
    try:
        found = await channel.examine(is_running=True)
    finally:
        await channel.close()
    return tuple(each for each in found if each.check in _ABOUT_TOKENS)


def tell_of_owner(form: Form) -> None:
    """Say how somebody becomes the owner of a bot that can be reached from outside."""
    config = form.read(form.files)
    wanted = wanted_channels(config)
    ways = [each.claim for each in PLATFORMS if each.name in wanted]
    if not ways:
        return
    form.questions.head("Owner: who steers the bot and lets others in")
    if config.admins:
        form.questions.say(f"The settings name {len(config.admins)}, under admins.")
        return
    form.questions.say(
        "As long as it has none, each start prints a line with a code, good for one use:",
        "  no owner yet: send the bot  /claim CODE  in a private chat (Slack: !claim)",
        *(f"  {way}" for way in ways),
        "Until then it answers nobody; afterwards you let people in by a button.",
    )
