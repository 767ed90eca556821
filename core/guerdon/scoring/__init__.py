"""Running rewards and containing their failures."""
