"""The judge in the engine: a failing one masks, and takes nothing from its siblings."""

import asyncio

from guerdon import Group, Sample, Status, load_plugins
from guerdon.scoring.engine import Engine
from guerdon_plugins.judge.service import PassingError, Patience


def test_statuses_and_limits_in_the_engine(judge, server):
    rewards = {
        "good": judge(limits={"concurrency": 2, "requests_per_minute": 6000, "tokens_per_minute": 1e6}),
        "refuses": judge("refuses"),
        "stalls": judge("stalls", timeout_s=3.0),
        "keyless": judge(api_key_env="GUERDON_TEST_NO_SUCH_KEY"),
    }
    samples = [Sample(f"g/{i}", f"answer {i}", group_id="g", index=i) for i in range(4)]
    with Engine(rewards, plugins=load_plugins(), workers=1) as engine:
        rows = engine.score([Group("g", samples)])[0].records
    for row in rows:
        good, *failed = row
        assert (good.status, good.value) == (Status.OK, 0.7)
        assert all(
            (record.status, record.value, record.cause) == ("error", None, "infrastructure") for record in failed
        )
        assert all(record.masks for record in failed)
    assert len([one for one in server.seen if one[0] == "good"]) == 4


def test_retry_after_outweighs_the_back_off():
    async def wait():
        loop = asyncio.get_running_loop()
        begin = loop.time()
        await Patience(until=1e12, retries=1, backoff_s=0.001).pause(0, PassingError("busy", 0.2))
        return loop.time() - begin

    assert asyncio.run(wait()) >= 0.19
