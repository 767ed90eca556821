"""The shipped small model, pictures, and prompts with none, one and two of them."""

from typing import Any

import pytest
from PIL import Image

from guerdon import LazyImage
from guerdon.config import RunConfig, build_config
from guerdon.manifest import Prompt
from guerdon_trainer.quickstart.checkpoint import checkpoint_path


@pytest.fixture(scope="session")
def model_path() -> str:
    return str(checkpoint_path())


@pytest.fixture(scope="session")
def processor(model_path) -> Any:
    from transformers import AutoProcessor

    return AutoProcessor.from_pretrained(model_path)


@pytest.fixture(scope="session")
def pictures(tmp_path_factory) -> list[LazyImage]:
    """Pictures of several shapes and colours."""
    folder = tmp_path_factory.mktemp("pictures")
    found = []
    for index, size in enumerate([(64, 64), (96, 48), (40, 130)]):
        path = folder / f"{index}.png"
        Image.new("RGB", size, [(250, 10, 10), (10, 200, 30), (20, 20, 220)][index]).save(path)
        found.append(LazyImage(str(path)))
    return found


def make_prompt(name: str, text: str, *images: LazyImage) -> Prompt:
    parts = [*({"type": "image", "image": image.source} for image in images), {"type": "text", "text": text}]
    content = parts if images else text
    return Prompt(name, [{"role": "user", "content": content}], {"type": "exact", "answer": "red"}, {}, images)


@pytest.fixture(scope="session")
def prompts(pictures) -> list[Prompt]:
    """No, one and two images, in that order."""
    return [
        make_prompt("none", "is a rectangle present?"),
        make_prompt("one", "what color is the shape?", pictures[0]),
        make_prompt("two", "what shape is present?", *pictures[1:]),
    ]


@pytest.fixture
def prompt() -> Any:
    return make_prompt


@pytest.fixture(scope="session")
def rendered(processor, prompts) -> list[Any]:
    """`prompts` as the model sees them."""
    import asyncio

    from guerdon_trainer.local.engine import LocalSampler

    sampler = LocalSampler(None, processor)

    async def render() -> list[Any]:
        return [await sampler.render(prompt) for prompt in prompts]

    return asyncio.run(render())


@pytest.fixture
def run_config(model_path, tmp_path) -> Any:
    """Build a configuration on the shipped model; sections are merged over a small default."""

    def build(**sections: dict[str, Any]) -> RunConfig:
        data: dict[str, Any] = {
            "run": {"name": "t"},
            "model": {"name_or_path": model_path},
            "adapter": {"rank": 8, "alpha": 16},
            "algorithm": {"group_size": 4},
            "runtime": {"gradient_accumulation_steps": 8, "steps": 4, "output_dir": str(tmp_path / "runs")},
            "data": {"train_manifest": "train.jsonl"},
            "outcome": "answer",
            "rewards": {"answer": {"use": "correctness", "answer_from": "any"}},
        }
        for name, fields in sections.items():
            data[name] = {**data[name], **fields} if isinstance(data.get(name), dict) else fields
        return build_config(data)[0]

    return build
