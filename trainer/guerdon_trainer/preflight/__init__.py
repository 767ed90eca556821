"""Looking at a run before it holds a GPU."""
