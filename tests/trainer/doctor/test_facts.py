"""What a machine tells about itself."""

import os
import platform
import stat
from importlib import metadata

import pytest

from guerdon import load_plugins
from guerdon.plugins import InlineFile
from guerdon_trainer.doctor import Questions, gather


def test_versions_and_rewards_of_this_machine(monkeypatch):
    monkeypatch.setenv("GUERDON_IMAGE", "registry/guerdon@sha256:1")
    facts = gather(Questions())
    assert facts["python"] == platform.python_version()
    assert facts["ray"] == metadata.version("ray")
    assert facts["image"] == "registry/guerdon@sha256:1"
    installed = load_plugins().rewards
    assert {name.removeprefix("reward ") for name in facts if name.startswith("reward ")} == installed.keys()
    assert facts["reward correctness"] == installed["correctness"].code_hash[:12]


def test_a_package_that_is_not_there_is_absent(monkeypatch):
    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    assert gather(Questions())["peft"] == "absent"


@pytest.mark.parametrize(("has_gpu", "driver"), [(True, "absent"), (False, None), (None, None)])
def test_a_driver_applies_to_nodes_with_a_gpu(monkeypatch, tmp_path, has_gpu, driver):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert gather(Questions(), has_gpu=has_gpu)["driver"] == driver


def test_the_driver_is_what_nvidia_smi_says(monkeypatch, tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 580.65.06\necho 580.65.06\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert gather(Questions())["driver"] == "580.65.06"


def test_plugin_files_are_imported_and_failures_told():
    good, bad = InlineFile("a/good.py", b"x = 1"), InlineFile("a/bad.py", b"import no_such_module_here")
    facts = gather(Questions((good, bad)))
    assert facts["plugin good.py"] == good.digest[:12]
    assert "No module named 'no_such_module_here'" in (facts["plugin bad.py"] or "")


def test_a_model_is_told_by_names_and_sizes(tmp_path):
    first, second, gone = tmp_path / "a", tmp_path / "b", tmp_path / "gone"
    for folder in (first, second):
        folder.mkdir()
        (folder / "model.safetensors").write_bytes(b"1234")
    asked = [gather(Questions(model=str(folder)))["model"] for folder in (first, second, gone)]
    assert asked[0] == asked[1] != asked[2] == "absent"
    (second / "model.safetensors").write_bytes(b"123")
    assert gather(Questions(model=str(second)))["model"] != asked[0]
