"""The ground of every room: values as JSON, differences, moments, pages, and the processes that names mean."""
