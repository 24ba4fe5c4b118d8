"""Conductor nodes among all objects: of this type, in this place."""

from tenuto.model.ids import Partition, TypeName

NODE_TYPE = TypeName("Tenuto::Conductor")
NODE_PLACE = Partition(account="tenuto", region="conductors")
"""The account of nodes: no cloud's account has this name."""
