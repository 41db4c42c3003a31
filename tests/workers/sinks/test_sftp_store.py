"""SFTP: the suite of batch sinks on a real server, its keys, and what a person reads of a wrong configuration."""

import shutil
from pathlib import Path

import paramiko
import pytest

from tests.workers.batch_sink_suite import batch
from tests.workers.sink_suite import row
from tests.workers.sinks.test_stores import FilesOfLines
from workers.errors import OutputError, SinkUnavailable
from workers.sinks import Target, open_sink
from workers.sinks.sftp_store import SftpStore
from workers.sinks.stores import address_of

PASSWORD = "pa/ss@w0rd:?"


def address(server, folder, *, key="", known_hosts="", login="", form="{task}/"):
    login = login or server.user
    options = f"key={key or server.key}&known_hosts={known_hosts or server.known_hosts}"
    return f"sftp://{login}@127.0.0.1:{server.port}{folder}/deep/{form}?{options}"


class TestSftp(FilesOfLines):
    test_rows_come_back_as_they_were_written = None  # the bytes are those of files in a folder
    test_versions_of_an_article_and_rows_of_other_tasks_stand_side_by_side = None  # nor are others looked up

    @pytest.fixture
    def place(self, sshd, tmp_path, monkeypatch):
        monkeypatch.setenv("SFTP_PASSWORD", PASSWORD)
        return sshd, tmp_path

    def open(self, place):
        return open_sink(address(*place, login=f"{place[0].user}:${{SFTP_PASSWORD}}"), "t", None)

    def folder(self, place):
        return place[1] / "deep"

    def take_away(self, place):
        place[0].stop()

    def bring_back(self, place):
        place[0].start()

    def secrets(self, place):
        return (PASSWORD, "pa/ss", "w0rd")

    def failing(self, place):
        server, folder = place
        yield open_sink(address(server, folder, key=server.wrong_key, login="me:${SFTP_PASSWORD}"), "t", None)

    def test_a_folder_below_that_of_the_login(self, place):
        server, folder = place
        options = f"?key={server.key}&known_hosts={server.known_hosts}"
        sink = open_sink(f"sftp://{server.user}@127.0.0.1:{server.port}/~/.none-{folder.name}/{options}", "t", None)
        try:
            sink.write(batch(1, row(1)))
            with sink._store.errors("") as sftp:
                home = sftp.normalize(".")
                assert sftp.listdir(f".none-{folder.name}") == ["2026-03-12"]
        finally:
            shutil.rmtree(f"{home}/.none-{folder.name}")


def mistakes(server, folder):
    (folder / "empty").write_text("")
    (folder / "file").write_text("")
    [kind, *_] = (server.folder / "wrong.pub").read_text().split()[:1]
    other = (server.folder / "wrong.pub").read_text().rsplit(" ", 1)[0]
    (folder / "changed").write_text(f"[127.0.0.1]:{server.port} {other}\n")
    assert kind == "ssh-ed25519"
    command = f"ssh-keyscan -p {server.port} 127.0.0.1 >> {folder / 'empty'}"
    yield address(server, folder, known_hosts=folder / "empty"), OutputError, command
    yield address(server, folder, known_hosts=folder / "changed"), OutputError, "is not the one in"
    yield address(server, folder, known_hosts=folder / "none"), OutputError, "there is no known_hosts file"
    yield address(server, folder, key=server.wrong_key), OutputError, "refuses the login"
    yield address(server, folder, key=folder / "none"), OutputError, "there is no key file"
    yield address(server, folder / "file"), SinkUnavailable, "output unavailable"
    yield (
        address(server, folder).replace("127.0.0.1", "no-such-host.invalid"),
        SinkUnavailable,
        "Name or service not known",
    )
    yield address(server, folder).replace(str(server.port), "9"), SinkUnavailable, "Unable to connect"


def test_a_check_names_the_mistake(sshd, tmp_path):
    for output, error, words in mistakes(sshd, tmp_path):
        with pytest.raises(error) as unavailable:
            open_sink(output, "t", None).check()
        assert words in str(unavailable.value)
        with pytest.raises(SinkUnavailable) as unavailable:
            open_sink(output, "t", None).write(batch(1, row(1)))
        assert words in str(unavailable.value)


def sftp_store():
    return SftpStore(address_of(Target("sftp://me@host/rows/", "o", "t", Path("/"))))


class OldServer:
    """What a client sees of a server that renames only to free names."""

    def __init__(self, folder):
        self.folder = folder

    def posix_rename(self, old, new):
        raise OSError("Operation unsupported")

    def rename(self, old, new):
        if (self.folder / new).exists():
            raise OSError("Failure")
        (self.folder / old).rename(self.folder / new)

    def stat(self, name):
        attributes = paramiko.SFTPAttributes()
        attributes.st_size = (self.folder / name).stat().st_size
        return attributes

    def remove(self, name):
        (self.folder / name).unlink()


@pytest.mark.parametrize("before", [None, "same", ""])
def test_a_server_without_atomic_renaming_keeps_a_complete_file(tmp_path, before):
    if before is not None:
        (tmp_path / "final").write_text(before)
    (tmp_path / "temporary").write_text("same")
    sftp_store().rename(OldServer(tmp_path), "temporary", "final")
    assert [path.name for path in tmp_path.iterdir()] == ["final"]
    assert (tmp_path / "final").read_text() == "same"
