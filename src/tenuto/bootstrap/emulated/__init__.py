"""The calls that moto lacks and that types of AWS need, so that an emulated account shows what becomes of them.

Theory of operation. A type that nothing changes in place in an emulator would be believed without a trial, and a
composition with it would not converge there. So what moto leaves out of such a type is added here, a module for each
service, by what AWS publishes of the calls: each keeps what it is sent, and shows it. None refuses what AWS refuses,
beyond things that are not there. Only the process that serves the emulator imports this, as moto is an optional
dependency.
"""
