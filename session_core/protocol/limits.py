"""Every bound of the protocol layer, in bytes unless a name says otherwise.

Source: OSC 7501 revision 0.4, sections 2, 3 and 6, for the `STATUS_` names; the others are our choice.
"""

STATUS_SEQUENCE = 4096
"""Whole OSC 7501 sequence, ESC to terminator; a longer one is dropped and its end is found."""
STATUS_KEY = 16
STATUS_ID = 128
STATUS_ID_SEGMENT = 32
STATUS_ID_LEVELS = 8
STATUS_APP = 32
STATUS_TITLE_ENCODED = 256
STATUS_TITLE = 192
STATUS_MSG_ENCODED = 2732
STATUS_MSG = 2048
STATUS_RECORDS = 256
"""Records a pane holds; the least recently updated goes first."""

CONTROL_STRING = 64 * 1024
"""Payload kept of any other control string; a longer one is dropped and its end is found."""
PRIVATE_MODE = 40
"""Parameter bytes of a private mode sequence that is looked at; a longer one is not ours."""

SHOWN_TITLE_CHARACTERS = 200
SHOWN_MSG_CHARACTERS = 1024
SHOWN_PATH_CHARACTERS = 1024
SHOWN_LINE_CHARACTERS = 2000
"""Characters of program text that leave the core in one field; the rest is cut with an ellipsis."""
