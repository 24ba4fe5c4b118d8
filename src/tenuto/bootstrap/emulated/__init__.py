"""The calls that moto lacks and that types of AWS need, so that an emulated account shows their results.

Theory of operation. A type that nothing changes in place in an emulator would be believed without a trial, and a
composition with it would not converge there. So the calls that moto leaves out of such a type are added here, a module
for each service, by the documents that AWS publishes of them: each keeps the values that it is sent, and shows them.
None refuses the requests that AWS refuses, beyond things that are not there. Only the process that serves the emulator
imports this, as moto is an optional dependency.
"""
