"""Sensitive attributes, which are never read out of what people say.

The law of this file: it stands behind the model's instructions, not in their place, and rather
refuses too much: whoever wants something of this kind remembered says so, and then it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.core.memory.facts import FactTopic

_HEALTH = r"""
\bdiagnos|\bdiabet|\binsulin|\bcancer\b|\btumou?r|\bchemo|\bdepressi(?:on|ve)|\bdepressed|
\banxiety|\bbipolar|\bschizo|\basthma|\ballerg|\bintoleran|\bco?eliac|\billness|\bdiseases?\b|
\bdisorder|\bsyndrome|\btherapy\b|\bmedicat|\bantidepress|\bpregnan|\bmiscarr|\babortion|
\binfertil|\bhiv\b|\badhd\b|\bautis|\basperger|\bepilep|\bmigraine|\bsurgery\b|\bdisabilit(?:y|ies)|
\b(?:i am|i'm) disabled|^is disabled|\bmental health|\bblood (?:pressure|type|sugar)|
\bheart (?:attack|condition)|\bstroke|\bsuicid|\bself-harm|\balcoholi|\baddict|\brehab\b|
\bptsd\b|\bdementia|\balzheimer|\bparkinson|\bmenopaus|\bobes(?:e|ity)|\bcovid|\barthrit|\bkrank|
\bkrebs\b|\bschwanger|\bmalad|\benceinte|\bgrossesse|\benferm|\bembaraz|\bдиабет|\bболе[зн]|
\bберемен|\bдепресс|\bаллерги|糖尿|癌|抑郁|抑鬱|うつ病|鬱病|怀孕|懷孕|妊娠|疾病|病気|持病|患有|
生病|过敏|過敏|アレルギー|障害者|残疾|殘疾|당뇨|우울증|임신|알레르기|\bdepressiv|\bd[ée]pressi|
\bdepresi[oó]n|\bdeprim|\bпсих(?:иатр|отерап)|\bsero-?positi[vf]|\bs[ée]ropositi[vf]|
\bsieropositiv|\bhiv-|\bсеропозитив|\bвич\b|\bспид(?:ом|а)?\b|(?-i:\bAIDS\b|\bSIDA\b)|\b(?:tiene|
tengo|tem|tenho) sida\b|艾滋|エイズ|에이즈|\b(?:psycho|psico|fisio|physio)?th?[ée]rap(?:ie|ia)\b|
\bpsychiat|\bpsychot|\bpsic[oó]t|\bpsiquiat|\bpsichiatr|心理治疗|心理治療|精神科|心療内科|
カウンセリング|정신과|심리 ?치료|\bc[áâ]ncer|\bcancro\b|\bopéré|\bwurde operiert|\bопухол|
\bинвалид|\bинсульт|\bмигрен|\bастм|\bбессонниц|\bincinta\b|\bgr[áa]vida\b|\basma\b|\bal[ée]rg|
\bintol[eé]r|\bmigraña|\bmigrän|\bmalatt|\bdoen[çc]a|\bherzinfarkt|\bschlaganfall|\binfarto|
\binfarctus|\bbehinder|\bhandicapé|\bdiscapacidad|\bdisabile\b|\bdisabilità|\bdeficiência|
\bsüchtig|\b(?:in|aus dem|auf) entzug\b|\balkoholi|\balcooli|\balcohólic|手术|手術|入院|高血压|
高血圧|中风|脳卒中|哮喘|喘息|失眠|不眠症|自闭|自閉|発達障害|우울|암 ?(?:환자|투병|치료)|수술|
고혈압|천식|불면증|자폐|(?:quadri|para|tetra)pl[eé]g|\bgelähmt|\bparalys|\bcrohn|\blupus\b|
\bfibromyal|\bmultiple s[ck]lero|\b(?:have|has|habe|hat) (?-i:MS)\b(?! (?:office|word|excel|
teams|sql))|\b(?:am|is|i'm|been|got) sober\b|\bsobriety|\b(?:am|is|i'm) in recovery\b|鬱|
うつ(?:です|だ|状態|気味)"""

_MEDICINES = r"""
\b(?:prozac|zoloft|xanax|valium|ritalin|adderall|ozempic|wegovy|metformin|sertralin|fluoxetin|
(?:es)?citalopram|venlafaxin|mirtazapin|quetiapin|risperidon|lamotrigin|warfarin|methadon|
levothyroxin|prednison|benzodiazepin|antipsychoti|antibioti|antid[eé]press?|beta-?blocker|
statin)|\b(?:takes?|took|taking|prescribed|nimmt|nehme|prends?|pren(?:de|do)|tom[ao]|
принима(?:ет|ю))\s+(?:\S+\s+){0,2}?(?:lithium|litio|lítio|литий|medicin|medicine|pills?\b|
painkiller|sleeping pill|medikament|tabletten\b|schmerzmittel|schlafmittel|médicament|medicament|
medicin|remédio|farmac[oi]|pastill|comprimid|pillol|лекарств|таблетк|препарат)(?![- ]?(?:ion|
batter|akku|pile))|服药|服藥|吃药|吃藥|服用|薬を飲|服薬|薬を服|약을 (?:먹|복용)|복용"""
"""What somebody takes says what they have."""

_ACCESS = r"""
\bblind|\bdeaf|\bdyslexi|\blow vision|\bvisually impaired|\bhard of hearing|\bhearing aid|
\bwheelchair|\bcolou?r-?blind|\btremor|失明|盲|聋|聾|色弱|難聴|弱視|\bgehörlos|\bschwerhörig|
\bsehbehindert|\brollstuhl|\bfarbenblind|\bmalvoyant|\baveugle|\bmalentendant|\bfauteuil roulant|
\bdaltonien|\bciego|\bciega|\bsord[oa]\b|\bsilla de ruedas|\bdaltónic|\bciec[oa]\b|\bipovedent|
\bsedia a rotelle|\bdaltonic|\bsurd[oa]\b|\bcadeira de rodas|\bслабовид|\bслабослыш|\bнезряч|
\bглух|\bдальтони|车椅子|車椅子|轮椅|輪椅|색맹|시각장애|청각장애|휠체어"""
"""What may be kept under the topic of accessibility, where the bot has to answer another way."""

_BELIEFS = r"""
\breligio|\bmuslim|\bislam|\bchristian(?:s|ity)?\b|\bcatholic|\bprotestant|\borthodox|\bjewish|
\bjudai|\bhindu|\bbuddhis|\bsikh|\batheis|\bagnostic\b|\bchurch\b|\bmosque|\bsynagogue|\bramadan|
\bpray(?:s|er|ing)?\b|\bkosher|\bhalal|\bpolitic|\bdemocrats?\b|\brepublicans?\b|\blabour party|
\btor(?:y|ies)\b|\bcommunis[mt]|\bsocialis[mt]|\bfascis[mt]|\bleft-?wing|\bright-?wing|
\bvoters?\b|\bvote[sd]? (?:for|against)|\btrade union|\blabou?r union|\bunion member|
\bgewerkschaft|\bsyndiqu|\bsindicato|\bpartei\b|\bmusulm|\bпартия|\bмусульман|\bправославн|宗教|
基督|天主教|伊斯兰|伊斯蘭|佛教|仏教|穆斯林|ムスリム|キリスト教|イスラム|神道|政治|投票|共产党|
共產黨|工会会员|労働組合|종교|기독교|불교|이슬람|정치|\bvot(?:e[sd]?|ing|er|ait|é|a|o|ó|ar|are|
ei|ou|ava|aba)\b\s+(?:\S+\s+){0,3}?(?:the |à |a |la |de |le |les |il |o |a la |para )*(?:left|
right(?! (?:away|now|after))|greens?|labou?r|conservative|liberal|gauche|droite|izquierda|
derecha|sinistra|destra|esquerda|direita|verdi|verdes|verts|socialist|sozialist|communist|
comunist|populaire|populist)|\b(?:vote|vota|voto) (?:pour|contre|por|contra|per|contro)\b|
\bwähl(?:e|t|en|te|ten)\b.{0,40}?(?:\bdie (?:grünen|linken?)(?=\W*(?:$|[.,;!?]|seit\b|und\b|
oder\b))|\b(?:links|rechts|konservativ|sozialdemokrat\w*)\b)|(?-i:\b(?:SPD|CDU|CSU|AfD|FDP|PSOE|
UKIP)\b)|\bstammwähler|\bwechselwähler|\bwahlkampf|\bparteimitglied|\bextrême[- ](?:gauche|
droite)|\b(?:est|suis|plutôt) de (?:gauche|droite)\b|\bes de (?:izquierdas?|derechas?)\b|
\bè di (?:sinistra|destra)\b|\bé de (?:esquerda|direita)\b|\bpol[ií]ti[ckqsz]|\bpolít|
\bполити[кч]|\bголос(?:ует|ую|овал\w*) за\b|\bпарти[июей]{1,2}\b(?! в )|\b(?:miembro|membro|
iscritt[oa]|membre) (?:de|do|del|du|al|d['’]un) (?:un )?part[iy]|\bafiliad[oa] al\b|\bsindacat|
\bsyndicat\b|\bпрофсоюз|工会|工會|労組|노동조합|노조|选民|選民|民主党|民主黨|共和党|共和黨|
国民党|國民黨|民进党|民進黨|自民党|公明党|共産党|選挙|투표|민주당|국민의힘|\b(?:goes|going|go|
went|walks?|off) to (?:\S+ )?mass\b(?! (?:transit|market|media|event))|\b(?:attends?|hears?|
celebrates?) (?:\S+ )?mass\b(?! (?:transit|market|media|event))|\bworship|\bsabbath|\bshabbat|
\bbapti[sz](?:ed|m|mal|ts?|ée?)\b|\bqur'?an\b|\bkoran\b|\bbible (?:study|group|class)|
\bevangelical|\bmormon|\bjehov|\bgospel choir|\bheilige messe|\bsonntags?(?:messe| zur messe|
 in die messe)|\bmesse\b.{0,20}\bsonntag|\bgottesdienst|\bkirch(?:e|lich)|\bmoschee|\bsynagoge|
\bbete[tn]\b|\bgläubige?[ns]?\b|\bgetauft|\bkatholi|\bevangelisch|\bjüd(?:isch|in)|\bmoslem|
\bmuslim|\bchristlich|\bglaubt an gott|\b(?:à|de|dans) (?:la )?messe\b|\béglise|\bmosquée|
\bprie[sz]?\b(?! de)|\bprière\b(?! de)|\bcroyante?\b|\bchrétien|\bjui(?:f|ve)s?\b|\bathée|\b(?:a|
de|la) misa\b|\biglesia|\bmezquita|\brez[ao]\b|\bcatólic|\bcreyente|\bjud[íe][ouai]s?\b|\bateo\b|
\b(?:a|alla) messa\b(?! (?:a |in ))|\bchiesa|\bmoschea|\bcattolic|\bcredente|\bebre[oai]\b|
\bmissa\b|\bigreja|\bmesquita|\bcristã[os]?|\bateu\b|\b(?:is|es|est|è|é|ist) crist?ian[oa]\b|
\bцерк(?:ов|в)|\bмечет|\bмоли(?:тся|тв)|\bмолюсь|\bкатоли|\bхристиан|\bиуде|\bверующ|\bатеис|
\bрелиги|弥撒|彌撒|教堂|清真寺|祷告|禱告|祈祷|祈禱|信佛|信教|信仰|ミサ(?!イル)|教会|礼拝|モスク|
クリスチャン|信者|미사(?!일)|교회|성당|예배|기도(?:하|를)|천주교|불자|\breligi[öeó]|\bjuden?\b|
党员|黨員|\big metall\b|\bver\.di\b"""

_PERSON = r"""
\b(?:homo|hetero|bi|pan|a)sexual|\bsexual|\bgay\b|\blesbian|\bqueer\b|\blgbt|\btransgender|
\btrans (?:man|woman)|\bnon-?binary|\bsex life|\bethnic|\bracial|\b(?:man|woman|
person) of colou?r|\bcaucasian|\bafrican[- ]american|\bindigenous\b|\bfingerprint|\bface ?id\b|
\bbiometric|\biris scan|\bdna\b|\bgenetic|\bcriminal|\bconvict(?:ed|ion)|\bfelon|\barrested|
\bprison\b|\bjail|\bprobation\b|\bparole\b|\bvorbestraft|\bschwul|\blesbisch|同性恋|同性戀|
同性愛|ゲイ(?![ンツト])|レズ|双性恋|性取向|性的指向|性生活|民族|人种|人種|指纹|指紋|基因|遗传|
遺伝|犯罪|前科|逮捕|坐牢|동성애|민족|인종|전과|\b(?:homo|hetero|bi|pan|trans)se(?:ks|x)u|
\bsexu(?:ell|el\b|elle)|\blesb|\btransident|\bг(?:ей|еем)\b|\bлесбиян|\b(?:гомо|би)сексуал|
\bethni|\b[ée]tni|\bэтнич|\bnationalité|\bhautfarbe|\bзаключ[её]нн|\bсудимост|\bосужд[её]н|
\bтюрьм|\bvorstrafe|\bverurteilt|\bverhaftet|\bgefängnis|\bcasier judiciaire|\bcondamné|
\ba été arrêté|\ben prison|\bantecedentes (?:penales|criminais)|\bcondenad|\bcárcel|
\bprecedenti penali|\bcondannat|\barrestat|\bcarcere|\bprisão\b|^(?:is|i am|i'm) (?:black|white|
asian|latin[oax]|hispanic)\b|\b(?:am|is|i'm|bin|ist) (?:trans|bi)\b|[回藏彝苗]族|维吾尔|維吾爾"""


_AT_A_WORD = r"\b"


def _any_of(*patterns: str) -> re.Pattern[str]:
    """Match any of the alternatives, those at the beginning of a word tried there alone.

    Asked for one by one at every letter they take ten times as long.
    """
    every = [each for pattern in patterns for each in _alternatives(pattern.replace("\n", ""))]
    words = [each.removeprefix(_AT_A_WORD) for each in every if each.startswith(_AT_A_WORD)]
    others = [each for each in every if not each.startswith(_AT_A_WORD)]
    return re.compile("|".join((rf"\b(?=\w)(?:{'|'.join(words)})", *others)), re.IGNORECASE)


def _alternatives(pattern: str) -> Iterator[str]:
    """Take a pattern apart where ``|`` stands outside of brackets."""
    depth = start = 0
    for place, sign in enumerate(pattern):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            yield pattern[start:place]
            start = place + 1
    yield pattern[start:]


_SENSITIVE = _any_of(_HEALTH, _MEDICINES, _BELIEFS, _PERSON)
_OF_ACCESS = _any_of(_ACCESS)
_FIRST_NAME = re.compile(r"\b(?:christian|cristian[oa]?|jude|reza|islam)\b", re.IGNORECASE)


def is_sensitive(text: str, topic: FactTopic) -> bool:
    """Say whether a text speaks of health, beliefs, orientation, origin, body or criminal record.

    How somebody sees or hears may be said under the topic of accessibility, for that is what the
    topic is; and under that of names *Christian* and the like are some.
    """
    if topic == "name":
        text = _FIRST_NAME.sub("", text)
    if _SENSITIVE.search(text) is not None:
        return True
    return topic != "accessibility" and _OF_ACCESS.search(text) is not None
