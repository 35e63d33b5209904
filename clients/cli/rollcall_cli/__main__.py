"""python -m rollcall_cli"""

from __future__ import annotations

from rollcall_cli.main import run

if __name__ == "__main__":
    run()
