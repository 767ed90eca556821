"""Starting a reward of one's own: a small package, or a file."""

from guerdon.scaffold.new import new_file, new_package

__all__ = ["new_file", "new_package"]
