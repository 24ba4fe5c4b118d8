"""The phase engine: bulk runs of plugins, single flight, verdicts saved in one transaction, listeners."""
