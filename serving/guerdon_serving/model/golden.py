"""What template, tokenizer and processor make of the probes: recorded at export, held to ever after.

Another release of transformers may render a template otherwise, ignore ``max_pixels``, or lose special
tokens, without any file having changed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from guerdon_serving.bundle.files import canonical, digest
from guerdon_serving.bundle.read import Bundle
from guerdon_serving.bundle.schema import ProbeName, ProcessorFacts, TemplateFacts, TokenizerFacts
from guerdon_serving.codes import Code, RefusedError
from guerdon_serving.model.probes import make_probes
from guerdon_serving.model.prompting import Encoded, Prompter


@dataclass(frozen=True, slots=True)
class Golden:
    """The sections of ``bundle.json`` that are about prompts."""

    processor: ProcessorFacts
    tokenizer: TokenizerFacts
    template: TemplateFacts


def describe_prompting(prompter: Prompter, encoded: Mapping[ProbeName, Encoded]) -> Golden:
    """Record what becomes of the probes.

    Raises:
        RefusedError: no chat template, or nothing that would end a completion.
    """
    if not prompter.template:
        raise RefusedError(Code.BASE_INCOMPLETE, "the base has no chat template")
    return Golden(
        processor=ProcessorFacts(
            processor=type(prompter.processor).__name__,
            grids={name: _grid(shown) for name, shown in encoded.items()},
        ),
        tokenizer=_tokenizer(prompter),
        template=TemplateFacts(
            sha256=digest(prompter.template.encode()),
            renders={name: digest(prompter.render(probe.messages).encode()) for name, probe in make_probes().items()},
            token_ids={name: digest(canonical(shown.token_ids)) for name, shown in encoded.items()},
        ),
    )


def check_prompting(bundle: Bundle, found: Golden) -> None:
    """Compare with what the bundle recorded.

    Raises:
        RefusedError: names what has drifted.
    """
    facts = bundle.facts
    expected = Golden(facts.processor, facts.tokenizer, facts.chat_template)
    if found.tokenizer != expected.tokenizer:
        changed = [
            name
            for name in TokenizerFacts.model_fields
            if getattr(found.tokenizer, name) != getattr(expected.tokenizer, name)
        ]
        raise RefusedError(
            Code.TOKENIZER_FACTS, f"the tokenizer has another {', '.join(changed)} than bundle.json records"
        )
    if found.template.sha256 != expected.template.sha256:
        raise RefusedError(
            Code.TEMPLATE_HASH, f"the chat template's sha256 is {found.template.sha256}, not the recorded one"
        )
    for name, render in expected.template.renders.items():
        if (render, expected.template.token_ids.get(name)) != (
            found.template.renders[name],
            found.template.token_ids[name],
        ):
            raise RefusedError(Code.TEMPLATE_RENDER, f"probe {name} is rendered or tokenized otherwise than recorded")
    if found.processor.processor != expected.processor.processor:
        raise RefusedError(
            Code.PROCESSOR_FACTS,
            f"the processor is a {found.processor.processor}, recorded {expected.processor.processor}",
        )
    if found.processor != expected.processor:
        raise RefusedError(
            Code.PROCESSOR_GRID, f"image grids are {found.processor.grids}, recorded {expected.processor.grids}"
        )


def _grid(encoded: Encoded) -> list[list[int]]:
    return [] if encoded.image_grid_thw is None else [[int(size) for size in image] for image in encoded.image_grid_thw]


def _tokenizer(prompter: Prompter) -> TokenizerFacts:
    tokenizer = prompter.tokenizer
    ends = prompter.end_ids()
    if not ends:
        raise RefusedError(Code.BASE_INCOMPLETE, "neither generation_config.json nor the tokenizer names an end token")
    return TokenizerFacts(
        vocabulary_size=len(tokenizer),
        special_ids=prompter.special_ids(),
        end_ids=ends,
        pad_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else ends[0],
        forbidden_ids=prompter.forbidden_ids(),
    )
