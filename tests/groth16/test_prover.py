"""The two halves of the prover and the verifier, beyond bellperson's own bytes."""

import threading
from pathlib import Path

import numpy as np
import pytest

from cuzk.algebra import fr
from cuzk.algebra.group import G1
from cuzk.devices import CpuDevice
from cuzk.errors import InputError
from cuzk.groth16 import Proof, VerifyingKey, prove, prove_finish, prove_start, verify, verify_batch
from tests.groth16.fixtures import fixture


class WatchedLock:
    """A lock that knows whether it is held."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.times = 0

    def __enter__(self) -> None:
        self.lock.acquire()
        self.times += 1

    def __exit__(self, *_: object) -> None:
        self.lock.release()


def test_the_device_is_held_by_the_first_half_alone() -> None:
    case, lock = fixture("chain16"), WatchedLock()
    device = CpuDevice(1, lock)
    pending = prove_start(device, case.parameters(), case.circuit.density, case.assignment())
    assert lock.times == 1
    assert not lock.lock.locked()
    with device.exclusive():
        assert verify(case.parameters().verifying_key, case.public_inputs, prove_finish(pending))
    assert lock.times == 2


def test_the_evaluations_are_gone_after_the_first_half() -> None:
    case = fixture("chain16")
    assignment = case.assignment()
    prove_start(CpuDevice(1), case.parameters(), case.circuit.density, assignment)
    with pytest.raises(InputError, match="already consumed"):
        prove_start(CpuDevice(1), case.parameters(), case.circuit.density, assignment)


def test_parameters_of_another_circuit_are_refused_before_anything_is_consumed() -> None:
    case = fixture("chain16")
    assignment = case.assignment()
    with pytest.raises(InputError, match="belong to another circuit"):
        prove_start(CpuDevice(1), fixture("chain300").parameters(), case.circuit.density, assignment)
    assert assignment.evaluations


@pytest.mark.parametrize("blinding", [{"r": -1}, {"s": fr.MODULUS}])
def test_blinding_scalars_are_below_the_order(blinding: dict[str, int]) -> None:
    case = fixture("quirk")
    with pytest.raises(InputError, match="must be a scalar below"):
        prove(CpuDevice(1), case.parameters(), case.circuit.density, case.assignment(), **blinding)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_do_not_change_a_proof(threads: int) -> None:
    case = fixture("chain300")
    proof = prove(
        CpuDevice(threads),
        case.parameters(),
        case.circuit.density,
        case.assignment(),
        **case.blinding(1),
        threads=threads,
    )
    assert proof.to_bytes() == case.bytes("proof-1.bin")


def statements() -> tuple[VerifyingKey, list[tuple[np.ndarray, Proof]]]:
    case = fixture("chain300")
    proofs = [Proof.parse(case.bytes(f"proof-{number}.bin")) for number in range(3)]
    return VerifyingKey.parse(case.bytes("vk.bin")), [(case.public_inputs, proof) for proof in proofs]


def test_a_batch_is_valid_if_all_are() -> None:
    key, batch = statements()
    assert verify_batch(key, batch)
    assert verify_batch(key, batch[:1])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_batch_with_one_bad_statement_is_not_valid(place: int) -> None:
    key, batch = statements()
    inputs, proof = batch[place]
    changed = fr.add(inputs, fr.from_ints([1] * len(inputs)))
    for bad in ((changed, proof), (inputs, Proof(proof.a, proof.b, G1.neg(proof.c)))):
        wrong = list(batch)
        wrong[place] = bad
        assert not verify_batch(key, wrong)


def test_errors_that_cancel_in_a_plain_product_do_not_pass_a_batch() -> None:
    """C of one proof is moved by +G, that of another by -G: the product of the equations still holds."""
    key, batch = statements()
    (inputs, first), (_, second) = batch[0], batch[1]
    moved = [
        (inputs, Proof(first.a, first.b, G1.add(first.c, G1.generator))),
        (inputs, Proof(second.a, second.b, G1.add(second.c, G1.neg(G1.generator)))),
    ]
    assert not verify_batch(key, moved)


def test_an_empty_batch_is_refused() -> None:
    key, _ = statements()
    with pytest.raises(InputError, match="at least one"):
        verify_batch(key, [])


def test_public_inputs_are_counted_and_canonical() -> None:
    key, [(inputs, proof), *_] = statements()
    for bad in (inputs[:-1], np.concatenate([inputs, inputs])):
        with pytest.raises(InputError, match="expected 1 public inputs"):
            verify(key, bad, proof)
    not_canonical = np.full_like(inputs, np.uint64(0xFFFFFFFFFFFFFFFF))
    with pytest.raises(InputError, match="not below the group order"):
        verify(key, not_canonical, proof)


def test_every_flipped_bit_of_a_proof_is_noticed(tmp_path: Path) -> None:
    key, [(inputs, _), *_] = statements()
    data = fixture("chain300").bytes("proof-0.bin")
    rng = np.random.default_rng(1)
    for bit in rng.choice(8 * len(data), size=64, replace=False).tolist():
        flipped = bytearray(data)
        flipped[bit >> 3] ^= 1 << (bit & 7)
        try:
            proof = Proof.parse(bytes(flipped))
        except InputError:
            continue
        assert not verify(key, inputs, proof)
