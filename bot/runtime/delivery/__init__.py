"""From the outbox to the platform: in order, at its pace, nothing twice without a mark."""

from bot.runtime.delivery.courier import (
    LANDED_AFTER_S,
    REFUSED_PAUSE_S,
    REPEATED,
    DeliveryParts,
)
from bot.runtime.delivery.marks import Marks
from bot.runtime.delivery.pacing import Pacer, Urgency
from bot.runtime.delivery.queues import Delivery

__all__ = [
    "LANDED_AFTER_S",
    "REFUSED_PAUSE_S",
    "REPEATED",
    "Delivery",
    "DeliveryParts",
    "Marks",
    "Pacer",
    "Urgency",
]
