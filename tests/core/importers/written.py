"""Files as other trainers write them."""

import json

import pyarrow as pa
import pyarrow.parquet as pq

NAN = float("nan")


def trl(folder, steps=2, group=4, chat=False):
    """As TRL's GRPO trainer with log_completions: two prompts, two reward functions, one not for all."""
    (folder / "completions").mkdir(parents=True)
    for step in range(1, steps + 1):
        rows = [(prompt, index) for prompt in range(2) for index in range(group)]
        right = [float(index % 2) for _, index in rows]
        prompts = [f"what is {prompt}?" for prompt, _ in rows]
        answers = [f"it is {index}" for _, index in rows]
        table = {
            "step": [str(step)] * len(rows),
            "prompt": [[{"role": "user", "content": text}] for text in prompts] if chat else prompts,
            "completion": [[{"role": "assistant", "content": text}] for text in answers] if chat else answers,
            "accuracy_reward": right,
            "format_reward": [NAN if prompt else 0.5 for prompt, _ in rows],
            "solution": [str(prompt) for prompt, _ in rows],
            "advantage": [1.0 if one else -1.0 for one in right],
        }
        pq.write_table(pa.table(table), folder / "completions" / f"completions_{step:05d}.parquet")
    return folder


def verl(folder, steps=12):
    """As verl's trainer with rollout_data_dir."""
    folder.mkdir(parents=True)
    for step in range(1, steps + 1):
        lines = [
            {
                "input": f"user\nwhat is {prompt}?\nassistant\n",
                "output": f"it is {index}",
                "gts": str(prompt),
                "score": 1.1 if index else -0.5,
                "step": step,
                "acc": bool(index),
                "pred": f"{index}",
            }
            for index in range(3)
            for prompt in range(2)
        ]
        (folder / f"{step}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def skyrl(folder, steps=(0, 5)):
    """As SkyRL's trainer with dump_eval_results."""
    for step in steps:
        home = folder / "dumped_evals" / f"global_step_{step}_evals"
        home.mkdir(parents=True)
        for source in ("gsm8k", "chart"):
            lines = [
                {
                    "input_prompt": f"what is {prompt} of {source}?",
                    "output_response": f"it is {step}",
                    "score": [0.0, 0.0, float(step > prompt)],
                    "stop_reason": "length" if prompt else "stop",
                    "env_class": source,
                    "env_extras": {"reward_model": {"ground_truth": str(prompt)}},
                    "data_source": source,
                }
                for prompt in range(3)
            ]
            (home / f"{source}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (home / "aggregated_results.jsonl").write_text('{"eval/all/avg_score": 0.5}\n')
    return folder
