"""What travels with a job, what stays, and what is refused because it would be missed."""

import pytest

from guerdon import ConfigError
from guerdon.config.load import raw_config
from guerdon_trainer.jobs import package, staged
from guerdon_trainer.jobs.package import check_inside, travelling_files


def check(config, folder=None, overrides=()):
    check_inside(config, raw_config(config, overrides), folder or config.parent)


def test_the_working_folder_travels_as_it_is(work):
    config = work()
    with staged(config.parent) as copy:
        found = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
        assert (copy / "ours.py").read_text() == (config.parent / "ours.py").read_text()
    assert found == {"run.yaml", "ours.py", "data/train.jsonl", "data/images/1.png"}
    assert not copy.exists()


def test_secrets_environments_and_runs_stay(work):
    folder = work().parent
    for name in (".env", ".aws/credentials", ".git/config", "venv/pyvenv.cfg", "venv/lib/x.py", "__pycache__/x.pyc"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("secret")
    (folder / "runs" / "old" / "ledger").mkdir(parents=True)
    (folder / "runs" / "old" / "run.json").write_text("{}")
    (folder / ".gitignore").write_text("data/\n")
    found = {path.relative_to(folder).as_posix() for path in travelling_files(folder)}
    assert found == {"run.yaml", "ours.py", "data/train.jsonl", "data/images/1.png"}


def test_a_complete_folder_passes(work):
    check(work())


@pytest.mark.parametrize(
    ("sections", "field", "name"),
    [
        ({"data": {"train_manifest": "../far.jsonl"}}, "data.train_manifest", "far.jsonl"),
        ({"data": {"eval_manifest": "../far.jsonl"}}, "data.eval_manifest", "far.jsonl"),
        ({"plugins": ["../far.py"]}, "plugins", "far.py"),
        ({"model": {"name_or_path": "../model"}}, "model.name_or_path", "model"),
    ],
)
def test_a_file_outside_is_named(work, tmp_path, sections, field, name):
    with pytest.raises(ConfigError) as caught:
        check(work(**sections))
    message = str(caught.value)
    assert message.startswith(f"{field}: {tmp_path / name} lies outside the working folder {tmp_path / 'work'}")
    assert "--working-dir" in message


def test_a_wider_folder_takes_it_in(work, tmp_path):
    (tmp_path / "far.jsonl").write_text("")
    check(work(data={"train_manifest": "../far.jsonl"}), folder=tmp_path)


def test_a_picture_outside_is_named_with_its_line(work, tmp_path):
    config = work()
    manifest = config.parent / "data" / "train.jsonl"
    manifest.write_text(manifest.read_text() + manifest.read_text().replace("images/1.png", "../../far.png"))
    with pytest.raises(ConfigError, match=rf"data\.train_manifest, line 2: {tmp_path}/far\.png lies outside"):
        check(config)


def test_pictures_elsewhere_are_the_clusters(work):
    config = work()
    manifest = config.parent / "data" / "train.jsonl"
    text = manifest.read_text()
    for image in ("/fsx/images/1.png", "s3://bucket/1.png", "data:image/png;base64,AAAA"):
        manifest.write_text(text.replace("images/1.png", image))
        check(config)


def test_absolute_manifests_are_the_clusters(work):
    check(work(data={"train_manifest": "/fsx/data/train.jsonl"}))


def test_an_absolute_plugin_would_not_travel(work):
    with pytest.raises(ConfigError, match=r"plugins: /fsx/ours\.py is absolute; write it relative"):
        check(work(plugins=["/fsx/ours.py"]))


def test_a_hidden_file_does_not_travel(work):
    config = work(data={"train_manifest": "data/.train.jsonl"})
    (config.parent / "data" / ".train.jsonl").write_text("")
    with pytest.raises(ConfigError, match=r"data\.train_manifest: .* does not travel: it is missing, hidden"):
        check(config)


def test_a_configuration_outside_its_working_folder(work, tmp_path):
    (tmp_path / "other").mkdir()
    with pytest.raises(ConfigError, match=r"the configuration: .* lies outside the working folder"):
        check(work(), folder=tmp_path / "other")


def test_too_much_names_the_largest(work, monkeypatch):
    monkeypatch.setattr(package, "LIMIT_BYTES", 2**20)
    config = work()
    (config.parent / "weights.bin").write_bytes(b"0" * (2 * 2**20))
    with pytest.raises(ConfigError, match=r"holds 2 MiB; at most 1 MiB travel\. The largest: weights\.bin \(2 MiB\)"):
        staged(config.parent).__enter__()
