"""CloudFormation's template anatomy, read into values with positions and folded into a composition."""
