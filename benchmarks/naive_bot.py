"""The bot to compare with: python-telegram-bot and anthropic, nothing stored, nothing retried.

It is what one writes in an evening, and as fast as these two libraries allow.
"""

from __future__ import annotations

import os
from collections import defaultdict

from anthropic import AsyncAnthropic
from anthropic.types import MessageParam
from telegram import Update
from telegram.ext import Application, ContextTypes, MessageHandler, filters

histories: defaultdict[int, list[MessageParam]] = defaultdict(list)
claude = AsyncAnthropic()


async def answer(update: Update, context: ContextTypes.DEFAULT_TYPE) -> None:
    """Ask Claude with all that was said in this chat, and send what it says."""
    if update.message is None or update.message.text is None:
        return
    history = histories[update.message.chat_id]
    history.append({"role": "user", "content": update.message.text})
    async with claude.messages.stream(
        model="claude-sonnet-5-5", max_tokens=4096, messages=history
    ) as stream:
        text = await stream.get_final_text()
    history.append({"role": "assistant", "content": text})
    await update.message.reply_text(text)


def main() -> None:
    """Poll until stopped."""
    url = os.environ["TELEGRAM_BASE_URL"]
    builder = Application.builder().token(os.environ["TELEGRAM_BOT_TOKEN"])
    application = builder.base_url(f"{url}/bot").base_file_url(f"{url}/file/bot").build()
    application.add_handler(MessageHandler(filters.TEXT, answer))
    application.run_polling()


if __name__ == "__main__":
    main()
