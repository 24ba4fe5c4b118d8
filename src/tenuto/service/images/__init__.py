"""Images: uploads, artifacts with their versions, and the blobs that hold the contents."""
