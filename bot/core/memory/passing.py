"""What is said in passing or about somebody else, as people put it in ten languages.

The law of this file: it stands behind the model's instructions, not in their place, and knows the
plain forms alone. A word that means something lasting in another language is no sign of anything.
"""

from __future__ import annotations

import re

_PASSING = r"""
\b(?:today|tonight|tomorrow|yesterday|for now|right now|at the moment|temporar\w*|workaround)\b|
\bthis (?:morning|afternoon|evening|week|weekend|month)\b|
(?<!von )\bheute\b|(?<!am )(?<!jeden )(?<!guten )\bmorgen\b|\bübermorgen\b|\b(?:vor)?gestern\b|
\b(?:im moment|momentan|zurzeit|zur zeit|vorübergehend|vorerst|fürs erste|vorläufig)\b|
\bdiese(?:n|s|r)? (?:woche|wochenende|monat)\b|
\baujourd['’]hui\b|\bdemain\b|\b(?:avant-hier|hier (?:soir|matin))\b|\bce(?:tte)? (?:soir|matin|
semaine|week-end|mois)\b|\bpour (?:l['’]instant|le moment)\b|\ben ce moment\b|\bprovisoire|
\btemporair|
\bhoy\b(?! en d[ií]a)|(?<!la )(?<!cada )\bmañana\b(?!s)|\bayer\b|\besta (?:semana|noche|tarde|
noite|manhã)\b|\beste (?:mes|mês|fin de semana|fim de semana)\b|\bpor (?:ahora|enquanto)\b|
\bde momento\b|\bahora mismo\b|\btemporalmente\b|
\boggi\b|\bdomani\b|\bieri\b|\bsta(?:sera|mattina|notte)\b|\bquest[ao] (?:settimana|sera|mattina|
mese|weekend|fine settimana)\b|\bper (?:ora|adesso)\b|\bal momento\b|\btemporane|
\bhoje\b(?! em dia)|(?<!de )\bamanhã\b|\bontem\b|\bneste momento\b|
\b(?:сегодня|завтра|послезавтра|вчера)\b|\bна этой неделе\b|\bв этом месяце\b|\bпока что\b|
\bвременно\b|
今天|明天|昨天|今晚|今早|今日(?!子)|明日(?!香)|昨日|今夜|今晩|今朝|今週|来週|今月|本周|这周|這週|
这个周末|這個週末|本月|暂时|暫時|とりあえず|一時的|오늘|내일|어제|이번 ?(?:주|달)|당분간|일시적"""

_KIN = r"""
(?:(?:my|his|her|their|our|the)\s+)?(?:wife|husband|partner|girlfriend|boyfriend|spouse|mother|
father|mom|mum|dad|parents?|brother|sister|son|daughter|child(?:ren)?|kids?|uncle|aunt|cousin|
grand\w+|friend|colleague|coworker|boss|manager|neighbou?r|roommate|he|she|they)\b(?!/)|
(?:(?:mein|sein|ihr|unser)(?:e[nmrs]?)?\s+)?(?:ehe)?(?:frau|mutter|vater|bruder|schwester|sohn|
tochter|eltern|schwieger\w+)\b|
(?:mein|sein|ihr|unser)(?:e[nmrs]?)?\s+(?:mann|partner(?:in)?|freund(?:in|e)?|mama|papa|kind(?:er)?|
onkel|tante|oma|opa|groß\w+|chef(?:in)?|kolleg\w+|nachbar\w*|mitbewohner\w*|cousine?)\b|
(?:er|sie)\b(?![-/ ]?(?:form|zu)\b)(?=\s+\w)|
(?:(?:ma|sa|notre|leur|la)\s+)?(?:mère|sœur|soeur|épouse)\b|(?:(?:mon|son|notre|le)\s+)?(?:père|
frère|mari|conjoint)\b|
(?:mon|ma|mes|son|sa|ses|notre|nos|leurs?)\s+(?:femme|conjointe|compagnon|compagne|copine|copain|
amie?s?|maman|papa|parents|fils|fille|enfants?|oncle|tante|cousine?|grand\S+|collègues?|patronn?e?|
chef|voisine?|coloc\w*)\b|
(?:elle|ils|elles)\b|il\s+(?:est|a|aime|habite|travaille|vit|préfère|utilise)\b|
(?:(?:mi|su|nuestr[oa]|la|el)\s+)?(?:espos[oa]|marido|madre|padre|herman[oa]|hij[oa])s?\b|
(?:mis?|sus?|nuestr[oa]s?)\s+(?:mujer|pareja|novi[oa]|mamá|papá|tí[oa]|abuel[oa]|prim[oa]|amig[oa]|
compañer[oa]|jef[ae]|vecin[oa]|suegr[oa])s?\b|(?:él|ellas?|ellos)\b|
(?:(?:la|il|i)\s+)?(?:(?:mia|sua|mio|suo|miei|suoi|nostr[oa])\s+)?(?:moglie|marito|fratell[oi]|
sorell[ae]|figli[oa]?|genitori)\b|(?:(?:la|il)\s+)?(?:mia|sua|mio|suo)\s+(?:compagn[oa]|ragazz[oa]|
fidanzat[oa]|mamma|papà|zi[oa]|nonn[oa]|cugin[oa]|amic[oa]|collega|capo|vicin[oa])\b|(?:lui|loro)\b|
(?:(?:a|o|as|os)\s+)?(?:(?:minhas?|suas?|meus?|seus?)\s+)?(?:mãe|pai|pais|irmãos?|irmãs?|filh[oa]s?)
\b|(?:(?:a|o)\s+)?(?:minha|sua|meu|seu)\s+(?:mulher|namorad[oa]|companheir[oa]|ti[oa]|av[óô]|prim[oa]|
amig[oa]|colega|chefe|vizinh[oa])\b|(?:ele|ela)s?\b|
(?:(?:мо[йяиё]|его|е[её]|их|наш\w?)\s+)?(?:жена|муж|мать|мама|отец|папа|родители|брат|сестра|сын|
дочь|дети|дядя|т[её]тя|бабушка|дедушка|друг|подруга|коллега|начальник|сосед\w?|он|она|они)\b|
(?:我|他|她)?的?(?:妻子|老婆|丈夫|老公|男朋友|女朋友|男友|女友|妈妈|媽媽|爸爸|母亲|母親|父亲|父親|
父母|哥哥|弟弟|姐姐|妹妹|儿子|兒子|女儿|女兒|孩子|朋友|同事|老板|老闆|邻居|鄰居)|[他她]|
(?:私の|僕の|俺の|うちの)?(?:妻|夫|嫁|旦那|主人|彼女|彼氏|彼|母|父|両親|兄|弟|姉|妹|息子|娘|子供|
友達|友人|同僚|上司)(?:は|が|も)|
(?:제|내|우리)\s*(?:아내|남편|엄마|아빠|어머니|아버지|부모님|형|오빠|누나|언니|동생|아들|딸|친구|동료|
상사|여자친구|남자친구)|(?:그는|그녀는)"""
"""How a statement about somebody else begins; *they/them* is one about oneself.

Without a word for whose they are, only those that are nothing else in another of the languages.
"""

_IN_PASSING = re.compile(_PASSING.replace("\n", ""), re.IGNORECASE)
_OF_OTHERS = re.compile(_KIN.replace("\n", ""), re.IGNORECASE)


def is_in_passing(statement: str) -> bool:
    """Say whether a statement is about a day, a week or a makeshift."""
    return _IN_PASSING.search(statement) is not None


def is_of_another(statement: str) -> bool:
    """Say whether a statement begins with somebody else than who speaks."""
    return _OF_OTHERS.match(statement) is not None
