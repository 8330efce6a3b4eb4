"""Whole files: bounded reads, mappings, and names that appear only when all is written."""

import errno
import os
import stat
import threading
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from cuzk.errors import FormatError, InputError
from cuzk.files import appending, map_file, read_bounded, replacing, replacing_together
from tests.full_disk import file_size_limit


def write_together(contents: dict[Path, bytes]) -> None:
    with replacing_together(*contents) as files:
        for file, content in zip(files, contents.values(), strict=True):
            file.write(content)


def append(path: Path, content: bytes) -> None:
    with appending(path) as file:
        file.write(content)


def test_a_file_is_read_up_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1000)
    assert read_bounded(path, 1000) == b"x" * 1000
    with pytest.raises(FormatError, match="file is too large: expected at most 999 bytes"):
        read_bounded(path, 999)
    with pytest.raises(InputError, match=r"cannot read .*missing: No such file"):
        read_bounded(tmp_path / "missing", 10)
    with pytest.raises(InputError, match="cannot read"):
        read_bounded(tmp_path, 10)


def test_a_read_takes_memory_for_the_file_not_for_the_bound(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(1 << 20))
    tracemalloc.start()
    try:
        read_bounded(path, 1 << 40)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 << 20


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(b"y" * 300_000))
    writer.start()
    try:
        assert read_bounded(path, 1 << 20) == b"y" * 300_000
    finally:
        writer.join()


def test_a_file_is_mapped_read_only(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    view = map_file(path)
    assert bytes(view) == b"abc"
    assert view.readonly
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="file is empty"):
        map_file(path)
    with pytest.raises(InputError, match="cannot read"):
        map_file(tmp_path / "missing")


def test_a_replaced_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    with replacing(path) as file:
        file.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask

    with suppress(KeyboardInterrupt), replacing(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"whole"
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_a_folder_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match=r"cannot write .*folder: Is a directory"), replacing(tmp_path / "folder"):
        pytest.fail("the work was begun")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for content in (b"first", b"second"):
        with replacing(link) as file:
            file.write(content)
        assert (link.readlink(), target.read_bytes()) == (target, content)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_device_or_a_pipe_is_not_replaced_by_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/null")):
        with pytest.raises(InputError, match=f"cannot write {path}: it is not a regular file"), replacing(path):
            pytest.fail("the work was begun")
    assert pipe.is_fifo()


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"cannot write .*file: No space left"), replacing(tmp_path / "file") as file:
        file.write(b"x")
    assert not list(tmp_path.iterdir())


def test_of_several_files_the_one_that_cannot_be_written_is_named_and_none_is_left(tmp_path: Path) -> None:
    large, small = tmp_path / "large", tmp_path / "small"
    small.write_bytes(b"as it was")
    for size in (1 << 20, 5000):  # refused when it is written, and when it is flushed
        with (
            file_size_limit(4096),
            pytest.raises(InputError, match=r"cannot write .*large: File too large"),
        ):
            write_together({small: b"x", large: bytes(size)})
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("small", b"as it was")]


def test_what_is_appended_names_the_file_that_has_no_room(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for _ in range(2):
        with appending(path) as file:
            file.write(b"abc")
    assert path.read_bytes() == b"abcabc"
    with file_size_limit(4096), pytest.raises(InputError, match=r"cannot write .*file: File too large"):
        append(path, bytes(5000))
    with pytest.raises(InputError, match=r"cannot write .*: Is a directory"):
        append(tmp_path, b"")


def test_what_else_fails_meanwhile_is_not_laid_at_the_files_door(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space left on device: 'other'"), replacing(tmp_path / "file"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "other")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write"), replacing(tmp_path / "file" / "under") as _:
        pass


def test_what_a_killed_writer_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "out.params"
    abandoned, others = tmp_path / ".out.params.a1b2c3_z", [tmp_path / ".out.params.lock", tmp_path / ".out.a1b2c3_z"]
    for file in (abandoned, *others):
        file.write_bytes(b"x")
    with replacing(path) as first:
        assert not abandoned.exists()
        with replacing(path) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
        first.write(b"first")
    assert path.read_bytes() == b"first"
    assert sorted(tmp_path.iterdir()) == sorted([path, *others])
