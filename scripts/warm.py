"""Import once what the commands import, so that it lies compiled.

A run starts several processes, and each would compile it anew where PYTHONDONTWRITEBYTECODE is set.
"""

import importlib
import warnings

from loguru import logger

logger.remove()
warnings.simplefilter("ignore")
for name in (
    "guerdon.__main__", "guerdon.scoring.engine", "guerdon.report.page", "guerdon.report.terminal",
    "guerdon_trainer.launch", "guerdon_trainer.quickstart.demo", "guerdon_trainer.skyrl",
    "guerdon_trainer.skyrl.experiment", "guerdon_trainer.local.backend", "guerdon_trainer.local.generate",
    "guerdon_serving.export", "guerdon_serving.server.run", "guerdon_serving.server.app", "guerdon_serving.engine",
    "ray._private.workers.default_worker", "ray._private.log_monitor", "ray.dashboard.agent",
    "ray._private.runtime_env.agent.main", "transformers.models.qwen3_vl.modeling_qwen3_vl",
    "transformers.models.qwen3_vl.processing_qwen3_vl", "transformers.models.qwen2_vl.image_processing_qwen2_vl",
    "torch._dynamo", "torch.utils.tensorboard", "tensorboard.compat.proto.summary_pb2", "peft", "math_verify.grader",
    "pint", "sympy", "scipy.stats", "scipy.optimize", "pytest", "hypothesis", "mypy.main",
):  # fmt: skip
    try:
        importlib.import_module(name)
    except (ImportError, SystemExit) as error:
        print(f"not compiled ahead: {name} ({error})")
