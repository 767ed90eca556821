"""Dashboards and alarms name metrics that a run has."""

import json

import pytest
from tests.trainer.deploy.test_manifests import run

from guerdon_trainer.deploy.dashboards import cloudwatch, grafana, panels, prometheus_name, put_alarms
from guerdon_trainer.deploy.observe import write_dashboards
from guerdon_trainer.metrics import NAMES, OURS

REWARDS = {"answer": {"use": "correctness"}, "shape": {"use": "format"}}


@pytest.fixture(scope="module")
def config():
    return run(rewards=REWARDS)


def test_every_curve_is_a_metric_under_our_names(config):
    shown = [metric for panel in panels(list(config.rewards)) for metric in panel.metrics]
    ours = set(NAMES.values())
    assert len(shown) == len(set(shown))
    assert [name for name in shown if name not in ours and not name.startswith((*OURS, "time/"))] == []


def test_the_four_groups_of_the_article_are_shown(config):
    text = json.dumps(grafana(config))
    for name in ("ray_guerdon_rollout_tokens_per_second", "ray_node_gpus_utilization", "ray_node_gram_used"):
        assert name in text
    for component in REWARDS:
        assert f"ray_guerdon_component_{component}_mean" in text
    assert "ray_guerdon_kl{" in text


def test_names_as_prometheus_takes_them():
    assert prometheus_name("component/a-b.c/mean") == "ray_guerdon_component_a_b_c_mean"


def test_panels_do_not_overlap(config):
    taken = set()
    for panel in grafana(config)["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert max(x for x, _ in cells) < 24
        taken |= cells


def test_each_reward_has_alarms_for_its_failures(config):
    names = {alarm["MetricName"] for alarm in put_alarms(config)}
    for component in REWARDS:
        assert {f"component/{component}/error", f"component/{component}/timeout"} <= names


def test_silence_is_an_alarm(config):
    (stalled,) = (alarm for alarm in put_alarms(config) if alarm["AlarmName"].endswith("stalled"))
    assert stalled["TreatMissingData"] == "breaching"


def test_what_cloudwatch_takes(config):
    validate = pytest.importorskip("botocore.validate")
    session = pytest.importorskip("botocore.session").get_session()
    shapes = session.get_service_model("cloudwatch")
    shape = shapes.operation_model("PutMetricAlarm").input_shape
    for alarm in put_alarms(config, "arn:aws:sns:us-east-1:111122223333:runs"):
        report = validate.ParamValidator().validate(alarm, shape)
        assert not report.has_errors(), report.generate_report()
    for widget in cloudwatch(config, "us-west-2")["widgets"]:
        assert widget["width"] <= 24
        assert all(metric[2:] == ["run", config.run.name] for metric in widget["properties"]["metrics"])


def test_they_are_written(config, tmp_path):
    written = write_dashboards(config, tmp_path / "observe", region="us-west-2")
    assert {path.name for path in written} >= {"grafana.json", "cloudwatch.json", "stalled.json", "answer-error.json"}
    for path in written:
        json.loads(path.read_text())
