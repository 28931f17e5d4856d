"""What every store must do, as plain checks that any implementation can be put through.

A check is an async function that is given ``open_store``: each call opens the same data once more,
as a new process would. ``CONTRACT`` lists them all::

    @pytest.mark.parametrize("check", CONTRACT, ids=lambda check: check.__name__)
    async def test_my_store(check: Check, tmp_path: Path) -> None:
        await check(lambda: MyStore.open(tmp_path / "store"))
"""

from bot.testing.stores.attending import ATTENDING
from bot.testing.stores.backlog import BACKLOG
from bot.testing.stores.cleaning import CLEANING
from bot.testing.stores.clearing import CLEARING
from bot.testing.stores.cuts import CUTS
from bot.testing.stores.delivery import DELIVERY
from bot.testing.stores.edits import EDITS
from bot.testing.stores.edits_remembered import EDITS_REMEMBERED
from bot.testing.stores.episodes import EPISODES
from bot.testing.stores.facts import FACTS
from bot.testing.stores.facts_about import FACTS_ABOUT
from bot.testing.stores.forgetting import FORGETTING
from bot.testing.stores.given import Check, OpenStore, Store
from bot.testing.stores.items import ITEMS
from bot.testing.stores.moving import MOVING
from bot.testing.stores.people import PEOPLE
from bot.testing.stores.personal import PERSONAL
from bot.testing.stores.presence import PRESENCE
from bot.testing.stores.pressing import PRESSING
from bot.testing.stores.pruning import PRUNING
from bot.testing.stores.receiving import RECEIVING
from bot.testing.stores.remembering import REMEMBERING
from bot.testing.stores.reminders import REMINDERS
from bot.testing.stores.retrying import RETRYING
from bot.testing.stores.sending_files import SENDING_FILES
from bot.testing.stores.settings import SETTINGS
from bot.testing.stores.spending import SPENDING
from bot.testing.stores.turns import TURNS

CONTRACT: tuple[Check, ...] = (
    *RECEIVING,
    *TURNS,
    *RETRYING,
    *DELIVERY,
    *EDITS,
    *EDITS_REMEMBERED,
    *PRESSING,
    *SENDING_FILES,
    *PRUNING,
    *CUTS,
    *REMEMBERING,
    *CLEANING,
    *SETTINGS,
    *MOVING,
    *PEOPLE,
    *PRESENCE,
    *PERSONAL,
    *ITEMS,
    *EPISODES,
    *CLEARING,
    *FORGETTING,
    *FACTS,
    *FACTS_ABOUT,
    *SPENDING,
    *BACKLOG,
    *REMINDERS,
    *ATTENDING,
)

__all__ = ["CONTRACT", "Check", "OpenStore", "Store"]
