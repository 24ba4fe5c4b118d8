"""The residual language of compositions: calls, references and assertions, evaluated as far as values are known."""
