"""The words by which English and Chinese texts declare, doubt, reject and withdraw an answer.

None of the expressions repeats without bound, so matching is linear.
"""

import re

from guerdon_plugins.parsing.listed import phrases

_NOUN = r"(?:answer|ans|choice|option|selection|solution|result|pick|verdict|conclusion)s?"
_COPULA = (
    r"(?:[ \t]{0,3}(?:is|are|was|would be|should be|must be|has to be|will be|turns out to be|comes out (?:as|to)"
    r"|becomes|equals)(?:[ \t]{1,3}(?:therefore|thus|hence|then|clearly|simply|just|probably|option|choice))?"
    r"(?![A-Za-z]))"
)
_GAP = r"[ \t*_`#\"'“”]{0,8}"
_WE = r"(?:i|we)(?:'ll|’ll|'d|’d| will| would| shall| must| can)?(?: now| finally| therefore| thus)?"
_CHOOSE = r"(?:choose|pick|select|settle on|settle for|go with|opt for|answer|conclude(?: that it is)?)"
_CHINESE_COPULA = r"(?:应该是|应当是|应该为|应是|应为|应选|选择|就是|便是|即为|就选|是|为|选|:|=)"
_HEADING = (
    r"(?m:^[ \t>]{0,4}(?:\#{1,6}[ \t]{1,3}[*_]{0,3}|[*_]{2,3})"
    r"(?:(?:the |my )?(?:final |correct )?answer|(?:最终|正确)?答案)[ \t*_:]{0,6}$)"
)
DECLARES = re.compile(
    rf"{_HEADING}|(?<![A-Za-z]){_NOUN}{_GAP}}}?{_GAP}(?:{_COPULA}(?:{_GAP}[:=])?|:|=|->|→|-(?=[ \t]))"
    rf"|(?<![A-Za-z]){_WE} {_CHOOSE}(?![A-Za-z])[ \t]?:?"
    rf"|(?:最终|正确|最后|我的)?(?:答案|答|选择|结果|结论)[ \t]?{_CHINESE_COPULA}[ \t]{{0,2}}:?"
    r"|(?:因此|所以|故|应该?|本题|我|只能|于是|最终|综上,?)选(?:择|项)?[ \t]{0,2}:?"
    r"|(?<![\u4e00-\u9fff])选(?=[ \t]?[A-Z(])",
    re.IGNORECASE,
)
"""An explicit declaration; what it declares begins where the match ends."""

WITHDRAWS = phrases(
    """wait, hold on, actually, on second thought, scratch that, correction, sorry, no, rather, i mean, let me correct,
    change my answer, make that""",
    "不对 等等 更正 应该改为 改为 改选 [哦噢啊]不 不[,，]",
)
"""What comes before is taken back."""

REJECTS_BEFORE = phrases(
    """not, cannot be, can['’]t be, never, neither, nor, without(?! (?:a )?doubt), except, rather than, instead of,
    unlike, against,
    ignore, disagree with, exclud(?:e|es|ed|ing), eliminat(?:e|es|ed|ing), rul(?:e|es|ed|ing) out, reject(?:s|ed|ing)?,
    discard(?:s|ed|ing)?, dismiss(?:es|ed|ing)?, isn['’]t, aren['’]t, wasn['’]t,
    (?<!no )(?<!without )(?<!without a )doubt, (?:anything|everything|all|any) but, other than""",
    "除 不是 不选 并非 而非 不能选 不会是 不应选 不应是 不可能是 否定 不为",
)
"""Words before a mention that reject it."""

REJECTS_AFTER = phrases(
    """not, isn['’]t, aren['’]t, doesn['’]t, don['’]t, can['’]t, cannot, can not, couldn['’]t, won['’]t, wrong,
    incorrect, false, impossible, excluded, eliminated, ruled out, out, fails?, invalid, contradicts?,
    inconsistent, rejected, discarded, no""",
    "不 错 排除 没有依据 没有根据 无关 有误 误 矛盾 否 没 ❌ ✗ ✘ ✖",
)
"""Words after a mention, in the same clause, that reject it."""

AFFIRMS_BEFORE = phrases(
    """choose, pick, select, settle on, settle for, go with, going with, opt for, it is, it['’]s, it must be, only,
    answer is, must be""",
    "只有 只能是 选择 故选 应选 应为 应该是 就是 答案是",
    after=r"[\W_]{0,6}(?:(?:the|option|choice|letter|answer|is|选项?)[\W_]{0,6}){0,3}$",
)
"""Words right before a mention that choose it."""

AFFIRMS_AFTER = phrases(
    "correct, right, true, the answer, best, the only one, fits, matches, the one, it",
    "对的 正确 符合 成立 最合适 为真 ✅ ✓ ✔ ☑",
)
"""Words after a mention, in the same clause, that choose it."""

HEDGES = phrases(
    """or, maybe, perhaps, possibly, could be, might be, may be, alternatively, either, could also be, might also be,
    also""",
    "或 或者 也许 可能 也可能 要么",
)
"""Words that keep several answers open."""

UNDECIDED = phrases(
    """unclear, unknown, unsure, not sure, uncertain, hard to (?:say|tell), unable to, no idea, undetermined, maybe,
    (?:can['’]t|cannot|can not|could not|couldn['’]t) (?:be )?(?:say|tell|determined?|answer(?:ed)?|decide), n/a,
    impossible to (?:say|tell|determine), none of the (?:above|options), not (?:enough|sufficient) information""",
    "不确定 无法 不知道 不清楚 难以判断 也许",
)
"""The text declines to decide."""
