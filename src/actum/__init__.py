"""An agent runtime in which the model's action is a Python program, and every act is on record."""

__version__ = "0.1.0"
