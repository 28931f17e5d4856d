"""Texts of every kind that reaches a chat bot, made by program: languages, code, noise, floods.

The law of this file: a text depends on the generator of chance alone, and its sentences are the
project's own.
"""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Callable
from random import Random

Maker = Callable[[Random], str]
"""Makes a text of some thousand characters."""

ENGLISH = (
    "Could you check whether the invoice from last Tuesday was paid?",
    "I moved the meeting with the people from the harbour to Thursday at ten.",
    "She prefers short answers, and she never reads anything before breakfast.",
    "Remember that our budget for the garden is four hundred pounds, not five.",
    "The train was late again; we waited nearly an hour at the station.",
    "Please write a friendly reminder that nobody could take as a complaint.",
    "What did we decide about the colour of the kitchen door?",
    "My brother thinks that the old bicycle is worth repairing, but I doubt it.",
    "Let's compare both offers once more, because the cheaper one has no warranty.",
    "He said that the package would arrive before noon, weather permitting.",
)
GERMAN = (
    "Kannst du bitte prüfen, ob die Rechnung vom letzten Dienstag bezahlt wurde?",
    "Die Besprechung ist auf Donnerstag um zehn Uhr verschoben worden.",
    "Für den Garten haben wir höchstens vierhundert Euro eingeplant.",
    "Der Zug hatte wieder Verspätung, wir standen fast eine Stunde am Bahnsteig.",
    "Schreib ihr eine freundliche Erinnerung, die niemand als Vorwurf verstehen kann.",
    "Was hatten wir eigentlich über die Farbe der Küchentür beschlossen?",
    "Das günstigere Angebot enthält leider keine Gewährleistung.",
)
FRENCH = (
    "Peux-tu vérifier si la facture de mardi dernier a été réglée ?",
    "La réunion est reportée à jeudi, à dix heures précises.",
    "Elle préfère les réponses courtes et ne lit rien avant le petit déjeuner.",
    "Le train était encore en retard, nous avons attendu presque une heure.",
    "Qu'avions-nous décidé pour la couleur de la porte de la cuisine ?",
)
RUSSIAN = (
    "Проверь, пожалуйста, оплачен ли счёт за прошлый вторник.",
    "Встреча перенесена на четверг, начало в десять часов утра.",
    "Она любит короткие ответы и ничего не читает до завтрака.",
    "Поезд опять опоздал, мы ждали на станции почти целый час.",
    "Что мы решили насчёт цвета кухонной двери?",
)
CHINESE = (
    "请帮我看一下上周二的发票有没有付款。",
    "会议改到了星期四上午十点，地点不变。",
    "她喜欢简短的回答，早饭以前什么都不看。",
    "花园的预算是四百块，不是五百块，别记错了。",
    "火车又晚点了，我们在车站等了差不多一个小时。",
    "厨房的门刷什么颜色，我们上次是怎么决定的？",
    "便宜的那个方案没有保修，所以我想再比较一次。",
)
JAPANESE = (
    "先週の火曜日の請求書が支払われたかどうか、確認してください。",
    "会議は木曜日の十時に変更になりました。",
    "彼女は短い返事が好きで、朝食の前には何も読みません。",
    "電車がまた遅れて、駅で一時間近く待ちました。",
    "台所のドアの色について、何を決めましたか。",
    "安いほうのプランには保証がないので、もう一度比べましょう。",
)
KOREAN = (
    "지난주 화요일 청구서가 결제되었는지 확인해 주세요.",
    "회의는 목요일 오전 열 시로 변경되었습니다.",
    "그녀는 짧은 대답을 좋아하고 아침 식사 전에는 아무것도 읽지 않아요.",
    "기차가 또 늦어서 역에서 거의 한 시간을 기다렸습니다.",
    "부엌 문의 색깔에 대해 우리가 무엇을 결정했나요?",
)
THAI = (
    "ช่วยตรวจสอบว่าใบแจ้งหนี้ของวันอังคารที่แล้วจ่ายหรือยัง ",
    "การประชุมเลื่อนไปเป็นวันพฤหัสบดีเวลาสิบโมงเช้า ",
    "รถไฟมาสายอีกแล้ว เรารอที่สถานีเกือบหนึ่งชั่วโมง ",
    "เราตัดสินใจเรื่องสีของประตูห้องครัวว่าอย่างไร ",
)
ARABIC = (
    "هل يمكنك التحقق مما إذا كانت فاتورة يوم الثلاثاء الماضي قد دفعت؟",
    "تم نقل الاجتماع إلى يوم الخميس في الساعة العاشرة صباحا.",
    "تأخر القطار مرة أخرى وانتظرنا في المحطة ما يقرب من ساعة.",
    "ماذا قررنا بشأن لون باب المطبخ؟",
)
HINDI = (
    "कृपया देखिए कि पिछले मंगलवार का बिल चुकाया गया या नहीं।",
    "बैठक अब गुरुवार को सुबह दस बजे होगी।",
    "रेलगाड़ी फिर देर से आई और हम स्टेशन पर लगभग एक घंटा रुके।",
    "रसोई के दरवाज़े के रंग के बारे में हमने क्या तय किया था?",
)
HEBREW = (
    "אפשר לבדוק אם החשבונית מיום שלישי שעבר שולמה?",
    "הפגישה נדחתה ליום חמישי בעשר בבוקר.",
    "הרכבת שוב איחרה וחיכינו בתחנה כמעט שעה.",
)
GREEK = (
    "Μπορείς να ελέγξεις αν πληρώθηκε το τιμολόγιο της περασμένης Τρίτης;",
    "Η συνάντηση μεταφέρθηκε για την Πέμπτη στις δέκα το πρωί.",
    "Το τρένο άργησε πάλι και περιμέναμε σχεδόν μία ώρα στον σταθμό.",
)


def sentences(of: tuple[str, ...], joint: str = " ", count: int = 24) -> Maker:
    """Make texts of ``count`` sentences, drawn from ``of``."""
    return lambda chance: joint.join(chance.choice(of) for _ in range(count))


def python_code(chance: Random) -> str:
    """Write some functions of a made-up module."""
    things = ("invoice", "customer", "garden", "station", "offer", "reminder")
    lines = []
    for number in range(10):
        thing, other = chance.sample(things, 2)
        lines += [
            f"def find_{thing}_{number}({other}: str, limit: int = {number * 3}) -> list[str]:",
            f'    """Return every {thing} that belongs to the {other}."""',
            f"    found = [row.name for row in {thing}s.values() if row.{other}_id == {other}]",
            f"    if not found and limit > {chance.randrange(100)}:",
            f'        raise KeyError(f"no {thing} for {{{other}!r}}")',
            "    return sorted(found)[:limit]\n",
        ]
    return "\n".join(lines)


def json_rows(chance: Random) -> str:
    """Write what a tool might answer."""
    rows = [
        {"id": n, "name": f"row {n}", "at": f"2026-03-{n + 1:02}", "score": chance.random()}
        for n in range(24)
    ]
    return json.dumps(rows)


def html_page(chance: Random) -> str:
    """Write the middle of a web page."""
    return "\n".join(
        f'<li class="item-{n}"><a href="/offer/{n}?from=list">{chance.choice(ENGLISH)}</a></li>'
        for n in range(24)
    )


def markdown_page(chance: Random) -> str:
    """Write headings, lists, emphasis and a table."""
    return "\n\n".join(
        f"## Part {n}\n\n- **{chance.choice(ENGLISH)}**\n- see `part_{n}.py`\n\n"
        f"| item | price |\n|---|---|\n| offer {n} | {chance.randrange(900)} |"
        for n in range(8)
    )


def log_lines(chance: Random) -> str:
    """Write lines of a log."""
    return "\n".join(
        f"2026-03-14T10:{n:02}:07.{chance.randrange(1000):03}Z INFO [worker-{n % 4}] request "
        f"finished status=200 ms={chance.randrange(900)}"
        for n in range(30)
    )


def addresses(chance: Random) -> str:
    """Write web addresses with long queries."""
    return " ".join(
        f"https://example.org/offers/{n}/view?id={chance.randrange(10**9)}&ref=mail"
        for n in range(30)
    )


def drawn(alphabet: str, count: int = 1_500) -> Maker:
    """Make texts of ``count`` characters drawn from an alphabet."""
    return lambda chance: "".join(chance.choices(alphabet, k=count))


def repeated(piece: str, count: int = 1_500) -> Maker:
    """Make a text that is one piece over and over."""
    return lambda _: piece * count


def any_characters(chance: Random) -> str:
    """Draw from the whole of Unicode, lone surrogates included."""
    return "".join(chr(chance.randrange(0x110000)) for _ in range(600))


KINDS: dict[str, Maker] = {
    "English": sentences(ENGLISH),
    "German": sentences(GERMAN),
    "French": sentences(FRENCH),
    "Russian": sentences(RUSSIAN),
    "Greek": sentences(GREEK),
    "Hebrew": sentences(HEBREW),
    "Arabic": sentences(ARABIC),
    "Hindi": sentences(HINDI),
    "Thai": sentences(THAI),
    "Chinese": sentences(CHINESE, ""),
    "Japanese": sentences(JAPANESE, ""),
    "Korean": sentences(KOREAN),
    "capitals": lambda chance: sentences(ENGLISH)(chance).upper(),
    "code": python_code,
    "JSON": json_rows,
    "HTML": html_page,
    "Markdown": markdown_page,
    "log": log_lines,
    "addresses": addresses,
    "emoji": drawn("🎉😀🚀👍🍕🔥😂🤖🌍🌧", 400),
    "symbols": drawn("∑∫√≤≥≠∞→←↔■□▲△◆", 600),
    "base64": lambda chance: base64.b64encode(chance.randbytes(1_200)).decode(),
    "hex": lambda chance: chance.randbytes(800).hex(),
    "random letters": drawn(string.ascii_lowercase),
    "random capitals": drawn(string.ascii_letters),
    "random marks": drawn(string.punctuation),
    "digits": drawn(string.digits),
    "numbers": lambda chance: " ".join(str(chance.randrange(10**6)) for _ in range(250)),
    "any characters": any_characters,
    "one letter": repeated("a"),
    "one capital": repeated("Z"),
    "one ideograph": repeated("中"),
    "one mark": repeated("^"),
    "one emoji": repeated("😀", 300),
    "two marks in turn": repeated("=-", 700),
    "one word": repeated("word ", 400),
    "rules": lambda _: "\n".join(mark * 72 for mark in "=-*_#.~" * 4),
    "spaces": repeated(" "),
    "newlines": repeated("\n"),
    "tabs": repeated("\t"),
}
"""Every kind by its name."""
