"""The checks that rules name."""

from collections.abc import Callable, Mapping

from guerdon_plugins.safety import code_checks, link_checks, personal_checks, secret_checks
from guerdon_plugins.safety.hit import Hit

type Check = Callable[[Hit], bool]

CHECKS: Mapping[str, Check] = {
    check.__name__: check
    for check in (
        code_checks.harmful_call,
        code_checks.harmful_script,
        code_checks.rm_root,
        code_checks.unknown_installer,
        link_checks.foreign_url,
        link_checks.mismatched_link,
        link_checks.script_link,
        link_checks.suspicious_url,
        link_checks.url_with_data,
        link_checks.url_with_secret,
        personal_checks.card,
        personal_checks.china_id,
        personal_checks.document_number,
        personal_checks.email,
        personal_checks.email_disguised,
        personal_checks.iban,
        personal_checks.phone,
        personal_checks.public_ip,
        personal_checks.ssn,
        secret_checks.assigned_value,
        secret_checks.key_body,
        secret_checks.pin_value,
        secret_checks.secret_value,
        secret_checks.strong_value,
        secret_checks.url_password,
        secret_checks.vendor_value,
    )
}
