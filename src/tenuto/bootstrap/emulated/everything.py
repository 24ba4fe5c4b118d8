"""The list of all that is added to moto."""

from tenuto.bootstrap.emulated import applicationautoscaling, codebuild, codecommit, codepipeline, kinesis


def add_everything() -> None:
    """Add it, in this process."""
    for service in (applicationautoscaling, codebuild, codecommit, codepipeline, kinesis):
        service.add()
