"""From the wire's SubmitProofRequest to the engine's ProofRequest."""

from cuzk.engine.request import Priority, ProofRequest
from cuzk.filecoin.request import Request
from cuzk.proto import proving_pb2 as pb


def proof_request(message: pb.SubmitProofRequest) -> ProofRequest:
    """Take over a message; InputError for an unknown kind. Everything else is checked by the engine."""
    request = Request.from_message(message)
    return ProofRequest(
        kind=request.kind.display,
        request_id=request.request_id,
        sector_size=request.sector_size,
        registered_proof=request.registered_proof,
        priority=Priority(request.priority),
        vanilla_proof=request.vanilla_proof,
        vanilla_proofs=request.vanilla_proofs,
        sector_number=request.sector_number,
        miner_id=request.miner_id,
        randomness=request.randomness,
        partition_index=request.partition_index,
        comm_r_old=request.comm_r_old,
        comm_r_new=request.comm_r_new,
        comm_d_new=request.comm_d_new,
    )
