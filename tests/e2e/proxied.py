"""A bot behind a company's proxy: it thinks that it talks to the vendors' own addresses."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import trustme
from aiohttp import web

from bot.testing.anthropic_server import PretendedAnthropic
from bot.testing.company_proxy import CompanyProxy
from bot.testing.processes import BotProcess
from bot.testing.slack_server import PretendedSlack
from bot.testing.starts import BOT
from bot.testing.telegram_server import PretendedTelegram

USER = "daybook"
PASSWORD = "p" * 12  # of nobody; without %-escapes
PAGE_HOST = "93.184.215.14"
"""An address of the public web, so that no name is looked up; the proxy alone is asked for it."""


@dataclass(slots=True)
class Company:
    """What is there, and the settings of a bot that finds all of it through the proxy alone."""

    proxy: CompanyProxy
    telegram: PretendedTelegram
    slack: PretendedSlack
    vendor: PretendedAnthropic
    bot: BotProcess
    ca_file: Path

    def let_in(self, password: str = PASSWORD) -> None:
        """Write the proxy, the CA and the vendors into the bot's settings."""
        self.bot.settings |= {
            "proxy": f"http://{USER}:{password}@{self.proxy.place}",
            "ca_file": str(self.ca_file),
            "anthropic": {"api_key": "k" * 20},
            "channels": {
                "telegram": {"token": self.telegram.token},
                "slack": {
                    "bot_token": self.slack.bot_token,
                    "app_token": self.slack.app_token,
                },
            },
            "plugins": ["web_fetch"],
        }


def certificate_of(authority: trustme.CA, host: str) -> ssl.SSLContext:
    """Give what somebody shows themselves with as a host."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(host).configure_cert(context)
    return context


@asynccontextmanager
async def company(folder: Path) -> AsyncIterator[Company]:
    """Open it."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "company.pem"))
    async with (
        PretendedTelegram() as telegram,
        PretendedSlack() as slack,
        PretendedAnthropic(api_key="k" * 20) as vendor,
        page() as page_port,
    ):
        slack.known_as = "slack.com"
        slack.sending.upload_url = "https://slack.com/upload"
        routes = {
            "api.telegram.org": int(telegram.base_url.rpartition(":")[2]),
            "slack.com": slack.port,
            "api.anthropic.com": int(vendor.base_url.rpartition(":")[2]),
            PAGE_HOST: page_port,
        }
        async with (
            CompanyProxy(
                routes,
                lambda host: certificate_of(authority, host),
                user=USER,
                password=PASSWORD,
            ) as proxy,
            BotProcess(folder, telegram, vendor, launcher=BOT) as bot,
        ):
            there = Company(proxy, telegram, slack, vendor, bot, folder / "company.pem")
            there.let_in()
            yield there


@asynccontextmanager
async def page() -> AsyncIterator[int]:
    """Serve one page; give its port."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text="The canteen opens at noon.")

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield runner.addresses[0][1]
    await runner.cleanup()
