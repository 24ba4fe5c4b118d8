"""The list of all that is added to moto."""

from tenuto.bootstrap.emulated import applicationautoscaling, codebuild, codecommit, codepipeline


def add_everything() -> None:
    """Add it, in this process."""
    for service in (applicationautoscaling, codebuild, codecommit, codepipeline):
        service.add()
