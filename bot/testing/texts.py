"""Texts that are hard to format or to split, and what must not be lost of them."""

import re

FAMILY = "👩\u200d👩\u200d👧\u200d👦"
"""One emoji of seven code points."""

UNUSUAL_TEXTS = (
    "*unbalanced **stars and _underscores",
    "```\nan open fence",
    "`tick ``ticks ```three",
    "Vec<T> & Map<K, V> <b>bold</b> </script>",
    "[link](https://example.org/a_(b)?c=1&d=2) and [broken](",
    "***",
    "[]: x",
    "> quote\n> > nested\n\n- a\n  - b\n    1. c",
    "| a | b |\n|---|---|\n| 1 | 2 | 3 |",
    "price $5 and $x$ and ||bars|| and ~tilde~",
    "你好、**世界**。これは*テスト*です",
    f"{FAMILY} 🇩🇪 👍🏽 e\u0301",
    "# heading\n\n---\n\n<!-- comment -->",
    r"\*escaped\* \\ back\slash",
    "a lone surrogate: \ud83d",
)
"""Texts that a formatter may choke on; all of them must arrive."""


def long_answer() -> str:
    """Write an answer of more than 12 000 characters with everything that is hard to split."""
    code = "\n".join(f"value_{n} = compute({n})  # step {n}" for n in range(150))
    table = "\n".join(f"| row{n} | Vec<T{n}> | 值{n} |" for n in range(40))
    prose = " ".join(f"word{n} **bold{n}** `code{n}`" for n in range(120))
    parts = (
        f"# Report\n\n{prose}",
        f"```python\n{code}\n```",
        "- outer\n  - inner\n    1. deepest\n\n    ```sh\n    make all\n    ```",
        f"| # | → | = |\n|---|---|---|\n{table}",
        "````markdown\n```python\nnested = True\n```\n````",
        "这是一个很长的中文段落没有空格" * 60,
        FAMILY * 250,
        "unbalanced * star and **bold without an end and Vec<T>",
        " ".join(f"tail{n}" for n in range(300)),
    )
    return "\n\n".join(parts)


def words_of(text: str) -> list[str]:
    """List runs of letters and digits in their order; ideographs count one by one.

    The language names of fences are left out: platforms show them beside the text, not in it.
    """
    without_languages = re.sub(r"^([ \t]*`{3,})[a-z]+[ \t]*$", r"\1", text, flags=re.MULTILINE)
    return re.findall(r"[㐀-鿿぀-ヿ]|[^\W_㐀-鿿぀-ヿ]+", without_languages)


def leaves_fence_open(part: str) -> bool:
    """Tell whether a Markdown text ends inside a code fence."""
    fence = ""
    for line in part.splitlines():
        marks = re.match(r"[ \t]*(`{3,}|~{3,})", line)
        if marks is None:
            continue
        if not fence:
            fence = marks[1]
        elif marks[1].startswith(fence) and line.strip() == marks[1]:
            fence = ""
    return bool(fence)
