"""What SkyRL 0.4.0 needs before it can be imported or started as it stands.

* ``flash_attn.bert_padding`` is imported unconditionally, though its two functions are called only
  with ``remove_microbatch_padding``, which a vision-language model forbids.
* Importing its losses in a Ray worker starts two actors to share them, which takes seconds and shares
  nothing: every process registers the same functions by importing.
* ``vllm_router.RouterArgs.pd_disaggregation`` is read, and missing in vllm-router 0.1.15 to 0.1.17.
"""

import importlib.machinery
import importlib.util
import logging
import os
import sys
import types
from typing import Any

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
}
"""Environment of every process of a run. Models are resolved to local snapshots before."""


def prepare() -> None:
    """Make SkyRL importable; safe to call again."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    logging.getLogger("torch.distributed").setLevel(logging.ERROR)
    _stand_in_for_flash_attention()
    _complete_router_arguments()
    _import_losses()


def _import_losses() -> None:
    import ray

    connected = ray.is_initialized
    ray.is_initialized = lambda: False
    try:
        importlib.import_module("skyrl.backends.skyrl_train.utils.ppo_utils")
    finally:
        ray.is_initialized = connected


def _stand_in_for_flash_attention() -> None:
    if "flash_attn" in sys.modules or importlib.util.find_spec("flash_attn") is not None:
        return
    import transformers  # noqa: F401 - it must have looked for the real package before

    package = types.ModuleType("flash_attn")
    package.__path__ = []
    package.__version__ = "0.0.0"  # type: ignore[attr-defined]
    package.__spec__ = importlib.machinery.ModuleSpec("flash_attn", None, is_package=True)
    padding = types.ModuleType("flash_attn.bert_padding")
    padding.__spec__ = importlib.machinery.ModuleSpec("flash_attn.bert_padding", None)
    padding.pad_input = padding.unpad_input = _unavailable  # type: ignore[attr-defined]
    package.bert_padding = padding  # type: ignore[attr-defined]
    sys.modules |= {"flash_attn": package, "flash_attn.bert_padding": padding}


def _unavailable(*_: Any, **__: Any) -> Any:
    raise RuntimeError("flash-attn is not installed; trainer.remove_microbatch_padding must stay false")


def _complete_router_arguments() -> None:
    if importlib.util.find_spec("vllm_router") is None:
        return
    from vllm_router.router_args import RouterArgs

    if not hasattr(RouterArgs, "pd_disaggregation"):
        RouterArgs.pd_disaggregation = False
