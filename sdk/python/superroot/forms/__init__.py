"""Answers of the service that carry proofs in JSON. Each is checked against what its proofs show."""
