"""The emulator with all that is added, on a given port: `python -m tenuto.bootstrap.emulated -H HOST -p PORT`."""

from moto.server import main

from tenuto.bootstrap.emulated.everything import add_everything

add_everything()
main()
