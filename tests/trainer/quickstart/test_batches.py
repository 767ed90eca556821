"""Batches of every modality, the labels over them, and the choice of tokens when generating."""

import pytest

from guerdon_trainer.quickstart.batches import IGNORED, complete, encode, labels
from guerdon_trainer.quickstart.mixture import draw_prompts

PROMPTS = draw_prompts("eval", 24, seed=0)
BY_MODALITY = {name: [it for it in PROMPTS if it.modality == name] for name in ("text", "image", "images")}


def test_every_modality_is_among_the_prompts():
    assert all(BY_MODALITY.values())


def test_a_mixed_batch_holds_all_its_pictures(student):
    batch = encode(student.processor, PROMPTS)
    pictures = sum(len(prompt.pictures) for prompt in PROMPTS)
    assert batch["pixel_values"].shape == (pictures * 64, 384)
    assert batch["image_grid_thw"].tolist() == [[1, 8, 8]] * pictures
    assert int(batch["mm_token_type_ids"].sum()) == pictures * 16


def test_padding_is_on_the_left(student):
    batch = encode(student.processor, PROMPTS)
    assert batch["attention_mask"][:, -1].all()
    assert not batch["attention_mask"][:, 0].all()


def test_a_batch_of_texts_has_no_pictures(student):
    assert "pixel_values" not in encode(student.processor, BY_MODALITY["text"])


def test_labels_cover_the_completion_and_its_end_alone(student):
    completions = [prompt.completion for prompt in PROMPTS]
    batch = encode(student.processor, PROMPTS, completions)
    for row, completion in zip(labels(student.processor, batch, completions), completions, strict=True):
        assert student.processor.tokenizer.decode(row[row != IGNORED]) == completion + "<|im_end|>"


@pytest.mark.parametrize("modality", ["text", "image", "images"])
def test_an_untrained_model_never_samples_a_picture_token(student, modality):
    for text in complete(student.model, student.processor, BY_MODALITY[modality][:2], sample=True):
        assert "<|" not in text
