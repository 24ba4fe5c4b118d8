"""Images of the local cloud: the folder of blobs, and the fetching of URLs. A host uses the same folder."""
