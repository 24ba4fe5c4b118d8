"""The types of resources, as providers publish them, held against what is declared."""
