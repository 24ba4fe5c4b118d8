"""Helpers that all service packages share: values as JSON, differences, moments, pages, processes by their names."""
