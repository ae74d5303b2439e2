"""A stand-in for the Windows Host Networking Service (HNS) of one lab host.

It keeps what computenetwork.dll and vmcompute.dll (lab/native/hns) are asked to program, in the
schemas of Microsoft's hcn package, and answers as HNS does, errors included. No packet is moved:
only what programs look at on the machine itself is done there, in the host's own network
namespace (an endpoint attached to the host is an interface, a route is a route).

One process per host runs `python -m transom_lab.hns`; the lab talks to it with `client.HnsClient`.
"""
