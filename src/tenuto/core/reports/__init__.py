"""Reports: explanations, audits, notifications and the reasons of an unconverged process, as values and text."""
