"""The stores behind `ports.store`, and the files beside them. `open` is the way in; nothing is imported before."""
