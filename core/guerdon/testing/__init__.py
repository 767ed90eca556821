"""Checking rewards: conformance, and attacks made from samples. For plugin authors and their tests."""

from guerdon.testing.attacks import Attack, attacks
from guerdon.testing.cases import Case, read_cases
from guerdon.testing.check import check_reward
from guerdon.testing.defaults import default_cases
from guerdon.testing.report import Finding, Payout, Report

__all__ = ["Attack", "Case", "Finding", "Payout", "Report", "attacks", "check_reward", "default_cases", "read_cases"]
