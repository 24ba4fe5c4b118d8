"""One frozen table per object type: what is allowed. Nothing else in Tenuto knows a transition."""
