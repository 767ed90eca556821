"""Dockerfile, scripts and static manifests: linted, and the scripts run with stand-ins for docker, aws and ray."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

DEPLOY = Path(__file__).parents[3] / "trainer" / "deploy"
BASE = f"nvidia/cuda:13.0.1-cudnn-devel-ubuntu24.04@sha256:{'b' * 64}"
DIGEST = f"sha256:{'c' * 64}"
SCRIPTS = ["build.sh", "slurm/train.sbatch", "slurm/node.sh"]


def tool(name):
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed; the extra dev has it where its package has a wheel")
    return found


@pytest.fixture
def stand_in(tmp_path):
    """Put a script in place of a program; what it was called with is in `calls`."""
    (tmp_path / "bin").mkdir()

    def make(name, body="exit 0"):
        path = tmp_path / "bin" / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>"{tmp_path}/calls"\n{body}\n')
        path.chmod(0o755)

    return make


def execute(script, tmp_path, *arguments, **environment):
    variables = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    return subprocess.run(
        [str(DEPLOY / script), *arguments],
        cwd=tmp_path,
        env=variables | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def complaints(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


def calls(tmp_path):
    return (tmp_path / "calls").read_text().splitlines()


def test_the_dockerfile_passes_hadolint():
    assert complaints(tool("hadolint"), "--no-color", DEPLOY / "Dockerfile") == ""


def test_the_scripts_pass_shellcheck():
    assert complaints(tool("shellcheck"), *(DEPLOY / name for name in SCRIPTS)) == ""


def test_the_image_is_pinned_non_root_and_from_the_lock_file():
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    assert "FROM ${BASE}" in lines
    assert [line for line in lines if line.startswith("USER ")] == ["USER 1000"]
    text = "\n".join(lines)
    assert "--require-hashes requirements.lock" in text
    assert "efa_installer.sh" in text
    assert "ARG SKYRL_VERSION=0.4.0" in text
    copied = [word for line in lines if line.startswith("COPY") for word in line.split()[2:-1]]
    root = DEPLOY.parents[1]
    assert copied
    assert [name for name in copied if not (root / name).exists()] == []


@pytest.fixture
def build(stand_in, tmp_path):
    stand_in("git", 'case "$*" in *rev-parse*) echo 0123456789ab ;; *status*) printf "%s" "${DIRTY:-}" ;; esac')
    stand_in("aws", "echo token")
    stand_in(
        "docker",
        'while [ $# -gt 0 ]; do [ "$1" = --metadata-file ] && '
        f'printf \'{{"containerimage.digest": "{DIGEST}"}}\' >"$2"; shift; done; cat >/dev/null </dev/null',
    )
    facts = {
        "AWS_REGION": "us-west-2",
        "AWS_ACCOUNT_ID": "111122223333",
        "EFA_VERSION": "1.43.2",
        "EFA_SHA256": "e" * 64,
    }
    return lambda *arguments, **more: execute("build.sh", tmp_path, *arguments, **(facts | {"BASE_IMAGE": BASE} | more))


def test_the_build_prints_and_writes_the_digest(build, tmp_path):
    done = build()
    name = "111122223333.dkr.ecr.us-west-2.amazonaws.com/guerdon-trainer"
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"{name}@{DIGEST}"
    written = json.loads((tmp_path / "image.json").read_text())
    assert written == {"image": f"{name}@{DIGEST}", "tag": "0123456789ab", "platform": "linux/amd64", "base": BASE}
    (line,) = (line for line in calls(tmp_path) if line.startswith("docker buildx build"))
    for part in ("--platform linux/amd64", "--push", f"--build-arg BASE={BASE}", f"--tag {name}:0123456789ab"):
        assert part in line


def test_the_manifests_read_what_the_build_wrote(build, tmp_path):
    from guerdon_trainer.deploy import load_target

    build()
    (tmp_path / "cluster.yaml").write_text((DEPLOY / "cluster.yaml").read_text())
    assert load_target(tmp_path / "cluster.yaml").image.endswith(DIGEST)


def test_the_platform_is_that_of_the_instance_type(build, tmp_path):
    build(INSTANCE_TYPE="ml.p6e-gb200.36xlarge")
    assert json.loads((tmp_path / "image.json").read_text())["platform"] == "linux/arm64"


@pytest.mark.parametrize(
    ("more", "message"),
    [({"BASE_IMAGE": "nvidia/cuda:13.0.1"}, "has no digest"), ({"DIRTY": " M x"}, "an image is built from a commit")],
)
def test_what_could_not_be_repeated_is_not_built(build, tmp_path, more, message):
    done = build(**more)
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "image.json").exists()
    assert not [line for line in calls(tmp_path) if line.startswith("docker buildx")]


@pytest.fixture
def node(stand_in, tmp_path):
    stand_in("ray")
    stand_in("scontrol", "printf 'node1\\nnode2\\n'")
    stand_in("python", "echo ${ALIVE:-2}")
    stand_in("guerdon", '[ "$1" = train ] || exit "${DOCTOR:-0}"; exit "${CODE:-0}"')
    facts = {"SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_NODELIST": "node[1-2]", "GUERDON_PATIENCE": "2"}
    return lambda number, **more: execute(
        "slurm/node.sh", tmp_path, "run.yaml", "runtime.steps=3", **(facts | {"SLURM_NODEID": str(number)} | more)
    )


@pytest.mark.parametrize("code", [0, 3])
def test_the_first_node_drives_and_its_code_counts(node, tmp_path, code):
    assert node(0, CODE=str(code)).returncode == code
    made = [line for line in calls(tmp_path) if not line.startswith(("scontrol", "python"))]
    assert made == [
        "ray start --head --port 6379 --dashboard-host 127.0.0.1 --disable-usage-stats",
        "guerdon doctor --ray node1:6379",
        "guerdon train run.yaml runtime.steps=3",
        "ray stop --grace-period 60",
    ]


def test_nodes_that_differ_are_not_trained_on(node, tmp_path):
    assert node(0, DOCTOR="1").returncode == 1
    assert not [line for line in calls(tmp_path) if line.startswith("guerdon train")]


def test_the_other_nodes_serve_until_the_head_stops(node, tmp_path):
    assert node(1).returncode == 0
    assert calls(tmp_path)[-1] == "ray start --address node1:6379 --block"


def test_the_slurm_job_resumes_by_itself():
    text = (DEPLOY / "slurm" / "train.sbatch").read_text()
    (step,) = (line for line in text.splitlines() if line.startswith("srun"))
    assert "--auto-resume=1" in step
    assert "rm " not in text


def documents(name):
    return list(yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text()))


@pytest.mark.parametrize("name", ["service-account.yaml", "volume.yaml"])
def test_core_kinds_are_what_kubernetes_takes(name):
    validate = pytest.importorskip("kubernetes_validate")
    for document in documents(name):
        validate.validate(document, validate.latest_version(), strict=True)


def test_the_claim_is_the_one_that_pods_mount():
    from guerdon_trainer.deploy import Target

    fields = Target.model_fields
    claim = next(document for document in documents("volume.yaml") if document["kind"] == "PersistentVolumeClaim")
    assert claim["metadata"]["name"] == fields["claim"].default
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    (account,) = documents("service-account.yaml")
    assert account["metadata"]["name"] == fields["service_account"].default


def test_the_scrape_target_is_the_metrics_port():
    from guerdon_trainer.deploy.pods import METRICS_PORT

    ((patch),) = documents("observability-patch.yaml")
    (scraped,) = patch["spec"]["customServiceScrapeTargets"]
    assert scraped["target"].endswith(f":{METRICS_PORT}")
    assert scraped.keys() == {"target", "metricsPath", "scrapeInterval"}


def test_the_role_may_no_more_than_it_must():
    policy = json.loads((DEPLOY / "aws" / "policy.json").read_text())
    for statement in policy["Statement"]:
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        assert not [action for action in actions if "*" in action]
        assert statement["Resource"] != "*" or statement["Condition"]
        if "s3:DeleteObject" in actions:
            assert statement["Resource"] == "arn:aws:s3:::BUCKET/runs/*"
    trust = json.loads((DEPLOY / "aws" / "trust.json").read_text())
    conditions = trust["Statement"][0]["Condition"]["StringEquals"]
    assert conditions["OIDC_PROVIDER:sub"] == "system:serviceaccount:NAMESPACE:guerdon-trainer"
