"""What the built-in commands do, in the languages other than English that menus are shown in.

A command's English line stands with the command itself; those of plugins have one language.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MENU_WORDS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "new": (("zh", "开始新的对话"), ("ja", "新しい会話を始める")),
        "context": (
            ("zh", "查看或清空模型在此聊天中看到的内容"),
            ("ja", "このチャットでモデルに見えている内容を表示・消去する"),
        ),
        "compact": (
            ("zh", "立即总结此聊天较早的一半"),
            ("ja", "このチャットの前半を今すぐ要約する"),
        ),
        "memory": (
            ("zh", "查看、搜索或删除我记住的关于你的内容"),
            ("ja", "あなたについて覚えていることを見る・探す・忘れさせる"),
        ),
        "usage": (("zh", "查看用量和费用"), ("ja", "使用量と費用を見る")),
        "stop": (("zh", "停止正在撰写的回答"), ("ja", "書きかけの回答を止める")),
        "retry": (("zh", "重试失败的操作"), ("ja", "失敗したものをもう一度試す")),
        "failed": (("zh", "列出未能送达的回答"), ("ja", "届かなかった回答を一覧にする")),
        "config": (("zh", "查看或更改设置"), ("ja", "設定を表示・変更する")),
        "claim": (
            ("zh", "用日志中的验证码成为所有者"),
            ("ja", "ログにあるコードで所有者になる"),
        ),
        "pair": (
            ("zh", "允许某人使用或列出等待者"),
            ("ja", "利用を許可する、または待っている人を一覧にする"),
        ),
        "unpair": (("zh", "拒绝等待者或已获准者"), ("ja", "利用を断る、または取り消す")),
        "allow": (
            ("zh", "允许此群组的所有人与我对话"),
            ("ja", "このグループの全員に利用を許可する"),
        ),
        "disallow": (("zh", "在此群组中保持沉默"), ("ja", "このグループでは黙る")),
        "status": (("zh", "查看机器人的运行状况"), ("ja", "ボットの状態を表示する")),
        "help": (("zh", "显示命令列表"), ("ja", "コマンドの一覧を表示する")),
    }
)
"""By command, a line for each language."""
