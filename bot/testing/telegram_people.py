"""What people do on the pretended Telegram, as the updates that the bot gets of it."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import count

from bot.testing.telegram_rules import Json, found_entities, person
from bot.testing.telegram_state import TelegramState


class TelegramPeople(ABC):
    """The people; ``state`` has the chats in which they are."""

    state: TelegramState

    def __init__(self) -> None:
        self._presses = count(1)
        self._albums = count(13_000)

    @abstractmethod
    def push(self, raw: Mapping[str, object]) -> Json:
        """Queue an update of any form, numbered unless it brings its own ``update_id``."""

    def says(
        self,
        chat_id: int,
        text: str,
        *,
        chat_type: str = "private",
        thread: int = 0,
        sender: Json | None = None,
        **fields: object,
    ) -> Json:
        """Let a person write; give the raw update.

        Unless a ``sender`` is named it is the person whose private chat has this id. Mentions and
        commands are marked as Telegram does; further ``fields`` are taken over as they are.
        """
        chat = self.state.chat(chat_id, chat_type)
        message: Json = {
            "message_id": chat.next_message_id(),
            "date": int(time.time()),
            "chat": chat.as_json(),
            "from": sender or person(abs(chat_id)),
            "text": text,
        }
        entities = found_entities(text)
        if entities:
            message["entities"] = entities
        if thread:
            chat.threads.add(thread)
            message |= {"message_thread_id": thread, "is_topic_message": True}
        message |= fields
        chat.messages[int(str(message["message_id"]))] = message
        return self.push({"message": message})

    def edits_message(self, chat_id: int, message_id: int, text: str) -> Json:
        """Let a person change a message; give the raw update."""
        message = self.state.chats[chat_id].messages[message_id]
        message |= {"text": text, "edit_date": int(time.time()) + 1}
        return self.push({"edited_message": dict(message)})

    def sends_album(self, chat_id: int, file_ids: tuple[str, ...], caption: str) -> list[Json]:
        """Let a person send pictures as one, the caption below the first; give the raw updates."""
        album = str(next(self._albums))
        return [
            self.says(
                chat_id,
                "",
                photo=[_photo(name)],
                media_group_id=album,
                caption="" if number else caption,
            )
            for number, name in enumerate(file_ids)
        ]

    def presses(
        self, chat_id: int, message_id: int, token: str, sender: Json | None = None
    ) -> Json:
        """Let a person press a button below a message of the bot; give the raw update."""
        query: Json = {
            "id": f"press-{next(self._presses)}",
            "from": sender or person(abs(chat_id)),
            "message": self.state.chats[chat_id].messages[message_id],
            "chat_instance": "-1",
            "data": token,
        }
        self.state.open_presses.add(str(query["id"]))
        return self.push({"callback_query": query})

    def changes_standing(
        self, chat_id: int, status: str, *, by: Json, chat_type: str = "group"
    ) -> Json:
        """Let somebody add, promote or remove the bot; give the raw update."""
        change: Json = {
            "chat": self.state.chat(chat_id, chat_type).as_json(),
            "from": by,
            "date": int(time.time()),
            "old_chat_member": {"user": self.state.bot, "status": "left"},
            "new_chat_member": {"user": self.state.bot, "status": status} | _RIGHTS.get(status, {}),
        }
        return self.push({"my_chat_member": change})

    def migrates(self, old_id: int, new_id: int) -> tuple[Json, Json]:
        """Let a group become a supergroup, which both of them tell; give the raw updates."""
        told = self.says(old_id, "", chat_type="group", sender=person(1), migrate_to_chat_id=new_id)
        self.state.move_chat(old_id, new_id)
        again = self.says(new_id, "", sender=person(1), migrate_from_chat_id=old_id)
        return told, again


_RIGHTS: dict[str, Json] = {
    "administrator": dict.fromkeys(
        (
            *("can_be_edited", "is_anonymous", "can_manage_chat", "can_delete_messages"),
            *("can_manage_video_chats", "can_restrict_members", "can_promote_members"),
            *("can_change_info", "can_invite_users", "can_post_stories", "can_edit_stories"),
            "can_delete_stories",
        ),
        False,
    ),
    "kicked": {"until_date": 0},
}
"""What else is said of a member with a status."""


def _photo(file_id: str) -> Json:
    return {"file_id": file_id, "file_unique_id": file_id, "width": 800, "height": 600}
