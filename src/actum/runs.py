"""Recorded runs: open one, do it again, go on with it."""

import os
from pathlib import Path

from actum.agent import Agent, Run, ending_of, in_own_loop
from actum.assemble import Workshop
from actum.errors import SourceMissing
from actum.journal.index import find_run
from actum.journal.recording import read_run
from actum.journal.sqlite import SqliteStore
from actum.lifecycle.replay import Report
from actum.lifecycle.replay import replay as replay_events
from actum.loop.endings import Ending
from actum.settings.homes import actum_home, project_folder, project_key
from actum.settings.load import load_settings
