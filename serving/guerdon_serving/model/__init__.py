"""Running what a bundle describes, with transformers and PEFT. Torch is loaded where a model is."""
