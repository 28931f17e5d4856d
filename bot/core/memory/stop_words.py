"""Words of questions that say nothing about what is asked for.

They are left out of questions alone, never of what is searched. Closed classes of words, written
down without looking at what any one question would gain. Of languages other than English there are
few: words that are frequent weigh little anyway, and none that mean something in English, such as
*die*, *war* or *comment*, can be left out.
"""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also am an and any are aren around as at away be because been
before being below between both but by can cannot could couldn did didn do does doesn doing don done
down during each either else ever every few for from further had hadn has hasn have haven having he
her here hers herself him himself his how however i if in into is isn it its itself just ll may me
might mine more most much must mustn my myself neither no nor not of off on once one only onto or
other our ours ourselves out over own please re s same shall shan she should shouldn since so some
such t than that the their theirs them themselves then there these they this those through to
together too toward towards under until up upon us ve very was wasn we were weren what whatever when
where whether which while who whom whose why will with within without won would wouldn yet you your
yours yourself yourselves
"""

_OTHERS = """
que qué quien quién cual cuál cuando cuándo donde dónde como cómo cuanto cuánto porque
qual quando onde quem quanto
quel quelle quels quelles quoi où pourquoi combien est ce
che chi cosa perché quale
wer wie wann warum wo welche welcher welches wem wen ist
waar wanneer waarom wie hoe welke wat
что кто где когда как почему сколько какой какая какие какое чем ли
"""

_SELF = """
i me my mine myself yo mí mi mis moi mon ma mes io mio mia ich mich mir mein meine ik mij mijn eu
meu minha я меня мне мой моя мои
"""

STOP_WORDS = frozenset((_ENGLISH + _OTHERS).split())

SELF_WORDS = frozenset(_SELF.split())
"""Words for who speaks."""

SELF_SIGNS = ("我", "私", "僕", "俺", "나", "내", "저")
"""The same, where words are not told apart."""
