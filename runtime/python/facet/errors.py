"""What facet refuses or could not do."""

from __future__ import annotations


class Error(Exception):
    """Bad input, a failure, a missed contract: the text says what, where, and what to do, as the command line does.

    Attributes:
        exit: what ``facet`` would have ended with: 1 bad input, 2 a failure, 3 a missed contract, 4 stopped.
    """

    def __init__(self, text: str, exit: int = 1) -> None:
        super().__init__(text)
        self.exit = exit

    def __reduce__(self) -> tuple[type[Error], tuple[str, int]]:
        return type(self), (str(self), self.exit)
