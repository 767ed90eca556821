import pytest
from hypothesis import given
from hypothesis import strategies as st

from guerdon.ledger import Ledger
from guerdon.review.prompts import connected, read_prompts


def test_modalities_come_from_the_metadata(honest):
    prompts = read_prompts(Ledger(honest / "ledger"))
    assert prompts.source == "metadata"
    assert prompts.modality[prompts.number["eval-0000"]] == "text"
    assert prompts.modality[prompts.number["eval-0003"]] == "images"
    assert prompts.visual == ("image", "images")


def test_without_metadata_pictures_are_counted(built, tmp_path):
    folder = built.build_run(tmp_path / "run", metadata=False, steps=1, evaluations=(0,))
    prompts = read_prompts(Ledger(folder / "ledger"))
    assert prompts.source == "images"
    assert [prompts.modality[prompts.number[f"eval-000{k}"]] for k in range(4)] == ["text", "image", "image", "images"]


def test_prompts_that_share_a_picture_are_one_cluster(honest):
    prompts = read_prompts(Ledger(honest / "ledger"))
    # Prompt 3 shows the pictures 3 and 4; 4 is a text prompt; 5 and 6 show one picture of their own.
    third, fifth, sixth = (prompts.cluster[prompts.number[f"eval-000{k}"]] for k in (3, 5, 6))
    assert len({third, fifth, sixth}) == 3
    seventh, eighth = (prompts.cluster[prompts.number[f"eval-{k:04d}"]] for k in (7, 9))
    assert seventh != eighth


@pytest.mark.parametrize(
    ("pictures", "clusters"),
    [
        ([], []),
        ([[], []], [0, 1]),
        ([["a"], ["b"], ["a"]], [0, 1, 0]),
        ([["a"], ["b"], ["a", "b"]], [0, 0, 0]),
        ([["a", "b"], ["c"], ["c", "d"], ["d", "a"]], [0, 0, 0, 0]),
    ],
)
def test_links_reach_through(pictures, clusters):
    assert connected(pictures) == clusters


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=3), max_size=12))
def test_sharing_a_picture_means_sharing_a_cluster(pictures):
    clusters = connected(pictures)
    for one, first in zip(pictures, clusters, strict=True):
        for other, second in zip(pictures, clusters, strict=True):
            if set(one) & set(other):
                assert first == second
    assert all(pictures[cluster] == [] or cluster <= prompt for prompt, cluster in enumerate(clusters))
