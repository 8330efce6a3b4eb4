"""`cuzk params`: what is in a parameter file, and whether it is good; the other subcommands live beside this."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cuzk.cli import params_generate, params_network, params_prepare
from cuzk.cli.output import Json, Threads, answer
from cuzk.devices.cpu import available_threads
from cuzk.errors import FormatError, InputError
from cuzk.filecoin.parameters.manifest import ManifestEntry, file_digest, folder_manifest
from cuzk.groth16.parameters import Parameters
from cuzk.groth16.points import Check
from cuzk.groth16.verifying_key import VerifyingKey

app = typer.Typer(no_args_is_help=True, add_completion=False)

app.command("generate", epilog="Example: cuzk params generate winning-2k")(params_generate.generate_command)
app.command("prepare", epilog="Example: cuzk params prepare winning-32g")(params_prepare.prepare_command)
app.command("list", epilog="Example: cuzk params list")(params_network.list_command)
app.command("fetch", epilog="Example: cuzk params fetch winning-32g")(params_network.fetch_command)

File = Annotated[Path, typer.Argument(help="A .params or .vk file.", metavar="FILE", show_default=False)]


@app.command("inspect", epilog="Example: cuzk params inspect circuit.params")
def inspect_command(file: File, json: Json = False) -> None:
    """Show what a parameter file or verifying key holds. Only its counts are read."""
    result = _describe(file)
    lines = [f"{file}: {result['kind']}, {result['bytes']:,} bytes, {_trust(result)}"]
    if "domain" in result:
        lines.append(f"  domain 2^{result['domain'].bit_length() - 1}")
    lines += [f"  {name:5} {count:>12,} points" for name, count in result["points"].items()]
    answer(result, "\n".join(lines), as_json=json)


@app.command("check", epilog="Example: cuzk params check circuit.params")
def check_command(file: File, threads: Threads = None, json: Json = False) -> None:
    """Check every point (canonical, on the curve, in the subgroup) and, where a manifest has the file, its digest.

    Exit code 0: good. 1: not good. 2: not a parameter file at all.
    """
    result = _describe(file)
    result["digest"] = file_digest(file)
    reason = None
    if result["expected_digest"] not in (None, result["digest"]):
        reason = f"{file} has the digest {result['digest']}, the manifest has {result['expected_digest']}"
    else:
        try:
            _open(file, Check.SUBGROUP, threads or available_threads())
        except FormatError as error:
            reason = str(error)
    result |= {"good": reason is None, "reason": reason}
    answer(result, reason or f"{file}: good, {_trust(result)}", as_json=json, yes=reason is None)


def _open(file: Path, check: Check, threads: int = 1) -> tuple[VerifyingKey, Parameters | None]:
    if not file.is_file():
        raise InputError(f"{file} is not a file")
    if file.suffix == ".vk":
        return VerifyingKey.open(file, check), None
    parameters = Parameters.open(file, check=check, threads=threads)
    return parameters.verifying_key, parameters


def _describe(file: Path) -> dict[str, Any]:
    key, parameters = _open(file, Check.STRUCTURE)
    entry: ManifestEntry | None = folder_manifest(file.parent).get(file.name)
    result: dict[str, Any] = {
        "file": str(file),
        "kind": "verifying key" if parameters is None else "parameters",
        "bytes": file.stat().st_size,
        "points": {"ic": len(key.ic)},
        "unsafe": None if entry is None else entry.unsafe,
        "expected_digest": None if entry is None else entry.digest,
    }
    if parameters is not None:
        result["domain"] = parameters.domain
        result["points"] |= {name: len(points) for name, points in parameters.vectors.items()}
    return result


def _trust(result: dict[str, Any]) -> str:
    """Say where a file comes from, as far as the manifests tell."""
    return {None: "in no manifest", True: "development parameters: unsafe", False: "in the manifest"}[result["unsafe"]]
