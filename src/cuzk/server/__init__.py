"""The daemon: the engine behind gRPC and HTTP, and the web panel."""
