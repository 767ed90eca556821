"""Reading completions: folding, reasoning, tags, boxes, declarations and numbers. All of it in linear time."""
