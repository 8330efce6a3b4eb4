"""`cuzk params list | fetch`: the network's parameter files, here and at the gateway."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cuzk.cli.output import Json, answer, progress_bar
from cuzk.errors import InputError
from cuzk.filecoin.parameters.fetch import DEFAULT_GATEWAY, FetchError, fetch
from cuzk.filecoin.parameters.folder import ParameterFolder, development_folder, network_folder
from cuzk.filecoin.parameters.manifest import ManifestEntry, network_manifest
from cuzk.filecoin.parameters.names import circuit_ids
from cuzk.filecoin.sectors import parse_size, shape_of

Folder = Annotated[
    Path | None,
    typer.Option(help="Parameter folder; $FIL_PROOFS_PARAMETER_CACHE or the usual one unless given.", metavar="DIR"),
]
DevParams = Annotated[bool, typer.Option("--dev-params", help="The development parameters, which are unsafe.")]


def list_command(folder: Folder = None, dev_params: DevParams = False, json: Json = False) -> None:
    """List the parameter files that the folder's manifest knows, and which of them are here. No digest is computed."""
    chosen = _folder(folder, dev_params)
    circuits = circuit_ids()
    rows: list[dict[str, Any]] = []
    for name, entry in sorted(chosen.manifest.items(), key=lambda item: (item[1].sector_size, item[0])):
        path = chosen.path / name
        rows.append(
            {
                "name": name,
                "circuit": circuits.get(name.rpartition(".")[0]),
                "sector_size": entry.sector_size,
                "digest": entry.digest,
                "cid": entry.cid,
                "unsafe": entry.unsafe,
                "present": path.is_file(),
                "bytes": path.stat().st_size if path.is_file() else None,
            }
        )
    result = {"folder": str(chosen.path), "development": chosen.development, "files": rows}
    if json:
        answer(result, "", as_json=True)
        return
    Console().print(_table(chosen, rows))


def _table(chosen: ParameterFolder, rows: list[dict[str, Any]]) -> Table:
    """Show one circuit a row: what is here of its two files."""
    table = Table(
        "circuit", ".params", ".vk", "name", title=f"{chosen.path}{' (unsafe)' if chosen.development else ''}"
    )
    table.columns[3].overflow = "fold"
    sizes = {row["name"]: f"{row['bytes']:,} bytes" if row["present"] else "-" for row in rows}
    for row in rows:
        stem, _, extension = row["name"].rpartition(".")
        if extension == "params":
            vk = sizes.get(f"{stem}.vk", "-")
            table.add_row(row["circuit"] or "-", sizes[row["name"]], vk, stem)
    return table


def fetch_command(
    circuit_id: Annotated[
        list[str] | None, typer.Argument(help="Circuits, such as winning-32g.", metavar="[ID]...", show_default=False)
    ] = None,
    sector_size: Annotated[
        list[str] | None, typer.Option(help="All circuits of this size; may be repeated.", metavar="SIZE")
    ] = None,
    vk_only: Annotated[bool, typer.Option("--vk-only", help="Only the verifying keys, which are small.")] = False,
    gateway: Annotated[
        str, typer.Option(help="An IPFS gateway; files are checked, so any will do.", envvar="IPFS_GATEWAY")
    ] = DEFAULT_GATEWAY,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Download parameter files of the network that are missing or bad; broken downloads are resumed.

    Exit code 0: all are here and good. 1: some could not be fetched.
    """
    chosen = _folder(folder, development=False)
    wanted = _wanted(circuit_id or [], sector_size or [], vk_only)
    files: list[dict[str, Any]] = []
    for name, entry in wanted.items():
        with progress_bar(name[-16:]) as progress:
            try:
                fetched = fetch(name, entry, chosen.path, gateway=gateway, progress=progress)
            except FetchError as error:
                files.append({"name": name, "good": False, "present": False, "reason": str(error)})
            else:
                files.append({"name": name, "good": True, "present": fetched.present, "reason": None})
        if not json:
            done = files[-1]
            print(f"{name}: {done['reason'] or ('was here' if done['present'] else 'fetched')}")
    good = all(file["good"] for file in files)
    if json:
        answer({"folder": str(chosen.path), "files": files}, "", as_json=True, yes=good)
    elif not good:
        raise typer.Exit(1)


def _folder(folder: Path | None, development: bool) -> ParameterFolder:
    if folder is not None:
        return ParameterFolder(folder, development)
    return development_folder() if development else network_folder()


def _wanted(ids: list[str], sizes: list[str], vk_only: bool) -> dict[str, ManifestEntry]:
    if not ids and not sizes:
        raise InputError("expected circuit ids (winning-32g) or --sector-size, got neither: all files are 200 GB")
    shapes = {parse_size(size) for size in sizes}
    circuits = circuit_ids()
    unknown = set(ids) - set(circuits.values())
    if unknown:
        raise InputError(f"unknown circuit id: expected one such as winning-32g, got {', '.join(sorted(unknown))}")
    wanted = {
        name: entry
        for name, entry in network_manifest().items()
        if circuits.get(name.rpartition(".")[0]) in ids or shape_of(entry.sector_size) in shapes
        if name.endswith(".vk") or not vk_only
    }
    if not wanted:
        raise InputError(f"the network has no parameters for {', '.join([*ids, *sizes])}")
    return wanted
