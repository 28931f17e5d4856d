"""Data of a bot and a backup of it, for tests that change neither."""

import pytest

from tests.adapters.backup_given import Given, back_up, contents, data_in


@pytest.fixture(scope="session")
def given_backup(tmp_path_factory: pytest.TempPathFactory) -> Given:
    folder = tmp_path_factory.mktemp("given")
    source = data_in(folder)
    said = contents(source)
    (folder / "backups").mkdir()
    back_up(source, folder / "backups" / "daybook.tar")
    return source, folder / "backups" / "daybook.tar", said
