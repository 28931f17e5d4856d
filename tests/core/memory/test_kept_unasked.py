"""What may be remembered of somebody who did not ask for it, in ten languages."""

# ruff: noqa: RUF001 - words in other letters

from __future__ import annotations

import pytest

from bot.core.memory.believing import may_extract
from bot.core.memory.passing import is_in_passing, is_of_another
from bot.core.memory.sensitive import is_sensitive

HEALTH = (
    "Is HIV positive.", "Takes lithium.", "Takes two sleeping pills.", "Has Crohn's.", "Has MS.",
    "Is a quadriplegic.", "Is sober since 2019.", "Is in recovery.", "Is on the autism spectrum.",
    "Seropositiv seit 2019.", "Ich habe MS.", "Ist depressiv.", "Macht eine Psychotherapie.",
    "Nimmt jeden Morgen Medikamente.", "Ich bin Diabetikerin.", "Hatte einen Herzinfarkt.",
    "Est séropositif.", "Est atteint d'un cancer.", "Suit une thérapie.", "Prend du lithium.",
    "Tiene sida.", "Tiene cáncer.", "Estoy embarazada.", "Toma medicamentos.",
    "È sieropositivo.", "È incinta.", "Prende il litio.", "Está grávida.", "Tem uma doença.",
    "У меня диабет.", "Принимает таблетки.", "Лечится у психиатра.", "У него ВИЧ.",
    "我有糖尿病", "我有抑郁症", "每天吃药", "高血压", "私は鬱です", "うつです", "高血圧です",
    "精神科に通っている", "우울증이 있다", "약을 먹는다",
)  # fmt: skip

BELIEFS = (
    "Votes for the Green Party.", "Votes Green.", "Votes left.", "Is a Tory.", "Is a Mormon.",
    "Goes to mass every Sunday.", "Attends mass.", "Is a Jehovah's Witness.", "Reads the Koran.",
    "Wählt immer die Grünen.", "Wählt CDU.", "Ist in der SPD.", "Wählt konservativ.",
    "Geht sonntags zur Messe.", "Betet täglich.", "Ist Jude.", "Ist evangelisch.",
    "Ist Mitglied der IG Metall.", "Ist Veganer aus religiösen Gründen.",
    "Vote toujours à gauche.", "Est de droite.", "Je suis juif.", "Va à la messe.", "Est athée.",
    "Vota siempre a la izquierda.", "Soy católico.", "Va a misa.", "Es cristiana.",
    "Vota a sinistra.", "Va a messa ogni domenica.", "È cattolico.", "Vai à missa.", "É ateu.",
    "Голосует за коммунистов.", "Член партии.", "Ходит в церковь.", "Я верующий.", "Католик.",
    "我是党员", "我是基督徒", "每周去教堂", "支持民进党", "私は仏教徒です", "自民党を支持している",
    "毎週ミサに行く", "교회에 다닌다", "민주당을 지지한다",
)  # fmt: skip

PERSON = (
    "Is trans.", "Is bi.", "I am Black.", "Was in jail.", "Was arrested twice.",
    "Ist schwul.", "Ich bin trans.", "War im Gefängnis.", "Wurde verurteilt.",
    "Je suis homosexuel.", "A fait de la prison, condamné deux fois.", "Es gay.", "Es lesbiana.",
    "Tiene antecedentes penales.", "È stato arrestato.", "Foi condenado.", "Я гей.",
    "Есть судимость.", "我是回族", "我是同性恋", "ゲイです", "前科がある", "전과가 있다",
)  # fmt: skip

HARMLESS = (
    "Uses lithium batteries.", "Takes notes on a tablet.", "Votes on pull requests within a day.",
    "Sends mass mails with mutt.", "Goes to mass transit meetups.", "Uses MassTransit with .NET.",
    "Has MS Office at work.", "Prefers a theme that is black.", "Prefers polite answers.",
    "Works in disaster recovery.", "Runs migrations with Alembic.", "Sends PSD files.",
    "Reads from right to left.", "Lives in Gayton.", "Codes in Go and Rust.", "Likes terrapins.",
    "Wählt immer das Fenster am Gang.", "Mag die grünen Äpfel am liebsten.", "Lebt in Essex.",
    "Fährt jedes Jahr zur Messe nach Hannover.", "Studiert Medizin in Graz.", "Mag Rote Bete.",
    "Wohnt in Neunkirchen.", "Hat viele Gläubiger.", "Trinkt morgens Kaffee.",
    "Am Morgen lieber keine Termine.", "Hört Musik von heute.", "Sie-Form in Antworten bevorzugt.",
    "Freundliche Antworten sind willkommen.", "Elternzeit bis März.", "Prima sind kurze Antworten.",
    "Aime que la barre soit à gauche.", "Prie de répondre en français.", "Travaille à Lyon.",
    "Prefiere escribir por la mañana.", "Habla español y catalán.", "Papas fritas le gustan.",
    "Preferisce il caffè la mattina.", "Il caffè preferito è l'espresso.",
    "Disabilita le notifiche.",
    "Prefere escrever de manhã.", "Usa o Linux em casa.", "Предпочитает тёмную тему.",
    "Любит играть партии в шахматы.", "Завтракает в семь.", "Ест раков.", "喜欢早上写代码",
    "使用 Debian 和 Vim", "ミサイルの歴史が好き", "ゲイツの本が好き", "朝はコーヒーを飲む",
    "今日子と呼ばれたい", "明日香と呼ばれたい", "母国語は日本語", "미사일보다 로켓을 좋아함",
    "게이머라서 리눅스를 안 씀",
)  # fmt: skip

IN_PASSING = (
    "Wants pizza today.", "Heute gern Pizza.", "Ist diese Woche in Rom.", "Nutzt vorerst Vim.",
    "Aujourd'hui en télétravail.", "En vacances cette semaine.", "Hoy prefiere té.",
    "Por ahora usa Vim.", "Oggi vuole la pizza.", "Stasera cucina.", "Hoje prefere chá.",
    "Por enquanto usa Vim.", "Сегодня хочет пиццу.", "На этой неделе в Риме.", "今天想吃披萨",
    "暂时用 Vim", "今日はピザがいい", "一時的に Vim を使う", "오늘은 피자", "이번 주는 로마",
)  # fmt: skip

OF_OTHERS = (
    "My wife works at Siemens.", "Meine Frau arbeitet bei Siemens.", "Frau arbeitet bei Siemens.",
    "Sein Chef mag Tee.", "Sie wohnt in Graz.", "Ma femme travaille chez Renault.",
    "Mon collègue aime le thé.", "Il habite à Lyon.", "Mi mujer trabaja en Seat.",
    "Su jefe usa Vim.", "Mia moglie lavora alla Fiat.", "Il mio capo usa Vim.",
    "Minha mulher trabalha na Embraer.", "Meu chefe usa Vim.", "Моя жена работает в банке.",
    "Он любит чай.", "我妻子在银行工作", "她喜欢茶", "妻は銀行で働いている", "私の上司は紅茶が好き",
    "제 아내는 은행에서 일한다",
)  # fmt: skip


@pytest.mark.parametrize("statement", HEALTH + BELIEFS + PERSON)
def test_prv_3_what_is_sensitive_is_not_kept(statement: str) -> None:
    assert is_sensitive(statement, "preference")
    assert not may_extract("preference", "some key", statement, statement)


@pytest.mark.parametrize("statement", HARMLESS)
def test_mem_4_what_only_looks_like_it_is_kept(statement: str) -> None:
    assert may_extract("preference", "some key", statement, statement)


@pytest.mark.parametrize("name", ["Christian", "Cristiano", "Cristina", "Reza", "Jude", "Islam"])
def test_mem_4_a_name_is_a_name(name: str) -> None:
    assert may_extract("name", "name", f"Is called {name}.", f"I am {name}")


@pytest.mark.parametrize("statement", IN_PASSING)
def test_mem_4_what_is_said_in_passing_is_not_kept(statement: str) -> None:
    assert is_in_passing(statement)
    assert not may_extract("preference", "some key", statement, "I said so")


@pytest.mark.parametrize("statement", OF_OTHERS)
def test_mem_4_what_is_said_of_others_is_not_kept(statement: str) -> None:
    assert is_of_another(statement)
    assert not may_extract("preference", "some key", statement, "I said so")
    assert not may_extract("preference", "some key", "Works there.", statement)


@pytest.mark.parametrize(
    ("need", "topic_is_all"),
    [("Nutzt einen Rollstuhl.", True), ("Est malvoyant.", True), ("Es sorda.", True),
     ("車椅子を使う", True), ("Has diabetes.", False)],
)  # fmt: skip
def test_prv_3_what_somebody_needs_may_be_kept_as_that_alone(need: str, topic_is_all: bool) -> None:
    assert may_extract("accessibility", "need", need, need) is topic_is_all
    assert not may_extract("preference", "need", need, need)
