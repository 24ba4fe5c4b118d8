"""One frozen table per object type: the allowed moves. No other part of Tenuto knows a transition."""
