"""The file that an app sends with upload_knowledge."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from packs.education.knowledge import MAX_BASE64, Base64
from rollcall.agent.approvals import check_size

FILE: TypeAdapter[str] = TypeAdapter(Base64)


def test_the_largest_file_sent_along_fits_into_an_approval() -> None:
    given = {"fileName": "א" * 200, "courseId": "c" * 64, "subject": "math", "grade": "ד"}
    given["fileBase64"] = FILE.validate_python("A" * MAX_BASE64)
    check_size(given, given)


def test_a_larger_one_is_refused_with_the_way_to_send_it() -> None:
    with pytest.raises(ValidationError, match=r"255,000 bytes; upload .* begin_upload.* fileId"):
        FILE.validate_python("A" * (MAX_BASE64 + 1))
