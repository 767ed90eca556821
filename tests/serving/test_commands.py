"""The commands, as typed."""

import json

import pytest
import typer
from tests.serving.keys import write_keys
from typer.testing import CliRunner

from guerdon import BundleError
from guerdon.plugins import load_plugins
from guerdon_serving.bundle.archive import unpack
from guerdon_serving.commands import add_commands
from guerdon_serving.plugin import register_commands


@pytest.fixture
def call(monkeypatch):
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_VERBOSITY", "HF_HUB_DISABLE_PROGRESS_BARS"):
        monkeypatch.setenv(name, "1" if "HUB" in name else "error")
    app = typer.Typer()
    app.command("nothing")(lambda: None)
    add_commands(app)

    def run(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.output

    return run


def test_export_writes_a_bundle_and_an_archive(call, run_folder, bundle, tmp_path):
    code, output = call("bundle", "export", run_folder, "-o", tmp_path / "out", "--tar", tmp_path / "b.tar.gz")
    assert code == 0
    assert bundle.id in output
    assert unpack(tmp_path / "b.tar.gz", tmp_path / "unpacked").id == bundle.id


def test_inspect_shows_what_matters(call, bundle):
    _, shown = call("bundle", "inspect", bundle.folder)
    assert bundle.id[:30] in shown
    assert "correctness 0.1.0" in shown
    _, text = call("bundle", "inspect", bundle.folder, "--json")
    assert json.loads(text) == bundle.facts.model_dump(mode="json")


def test_verify_at_each_level(call, bundle, server):
    assert "was not loaded" in call("bundle", "verify", bundle.folder, "--level", "static")[1]
    assert f"ok: {bundle.id} loads" in call("bundle", "verify", bundle.folder, "--id", bundle.digest12)[1]
    assert "answers the probes" in call("bundle", "verify", bundle.folder, "--level", "serve", "--url", server.url)[1]
    with pytest.raises(BundleError, match="--url"):
        call("bundle", "verify", bundle.folder, "--level", "serve")


def test_a_refusal_reaches_the_command_line(call, bundle):
    with pytest.raises(BundleError, match=r"bundle\.id: .* Remedy: "):
        call("bundle", "verify", bundle.folder, "--id", "0")


def test_a_signed_bundle_is_checked_by_its_key(call, bundle, tmp_path):
    private, public = write_keys(tmp_path)
    _, output = call("bundle", "sign", bundle.folder, "--key", private, "-o", tmp_path / "b.sig")
    assert output.strip() == str(tmp_path / "b.sig")
    options = ("--level", "static", "--public-key", public, "--signature", tmp_path / "b.sig")
    assert f"ok: {tmp_path / 'b.sig'} signs it" in call("bundle", "verify", bundle.folder, *options)[1]
    with pytest.raises(BundleError, match=r"signature\.wrong: there is no signature"):
        call("bundle", "verify", bundle.folder, "--public-key", public)


def test_merge_reports(call, bundle, tmp_path):
    _, output = call("bundle", "merge", bundle.folder, "-o", tmp_path / "merged")
    assert "21 matrices merged" in output


def test_plan_gives_vllms_flags(call, bundle):
    _, output = call("bundle", "plan", bundle.folder)
    assert output.startswith("dynamic\n")
    assert "--enable-lora --max-lora-rank 8" in output


def test_a_step_is_a_number_or_best(call, run_folder):
    with pytest.raises(BundleError, match="neither a number nor best"):
        call("bundle", "export", run_folder, "--step", "last")


def test_the_plugin_registers_through_the_hook():
    app = typer.Typer()
    register_commands(app=app)
    assert [group.name for group in app.registered_groups] == ["bundle"]
    assert [command.name for command in app.registered_commands] == ["serve", "smoke"]
    manager = load_plugins().manager
    import guerdon_serving.plugin

    if not manager.is_registered(guerdon_serving.plugin):
        manager.register(guerdon_serving.plugin)
        manager.check_pending()
