"""The parts of a cluster, each tested by itself."""

import ssl
from datetime import UTC, datetime, timedelta

import pytest

from tests.helpers import written_runs
from tests.helpers.cli import evaluate, wordpl
from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest.cluster import ClusterAddress, certificates, manifest
from wordpl.contest.cluster.tasks import FileStore
from wordpl.core.messages import UserError
from wordpl.run.info import RunInfo, WorkerInfo


@pytest.mark.parametrize("text", ["10.0.0.5", "tls://10.0.0.5:8786", "10.0.0.5:8786"])
def test_addresses_are_normalized_to_one_form(text):
    assert ClusterAddress(text).url == "tls://10.0.0.5:8786"


@pytest.mark.parametrize("text", ["tcp://10.0.0.5:8786", "", "host:port", "10.0.0.5:99999", "a b"])
def test_invalid_and_unencrypted_addresses_are_refused(text):
    with pytest.raises(UserError, match="is not the address of a scheduler"):
        ClusterAddress(text)


@pytest.mark.slow
def test_both_sides_of_a_connection_demand_the_certificate_of_the_other(tmp_path):
    certificates.make(tmp_path / "own")
    security = certificates.security(tmp_path / "own")
    for role in ("client", "worker", "scheduler"):
        for context in (security.get_connection_args(role), security.get_listen_args(role)):
            assert context["ssl_context"].verify_mode == ssl.CERT_REQUIRED
            assert context["require_encryption"]


def test_certificates_are_private_expire_as_requested_and_are_never_overwritten(tmp_path):
    expiry = certificates.make(tmp_path / "own", days=30)
    assert timedelta(days=29) < expiry - datetime.now(UTC) < timedelta(days=31)
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "own").iterdir()} == {0o600}
    assert len(list((tmp_path / "own").iterdir())) == 3  # the authority's key is not among them
    with pytest.raises(UserError, match="already has certificates"):
        certificates.make(tmp_path / "own")


@pytest.mark.slow
def test_certificates_that_are_missing_readable_or_too_old_are_named(tmp_path):
    with pytest.raises(UserError, match="create them once with"):
        certificates.security(tmp_path)
    certificates.make(tmp_path / "own")
    (tmp_path / "own" / certificates.KEY).chmod(0o644)
    with pytest.raises(UserError, match="other users can read"):
        certificates.security(tmp_path / "own")
    certificates.make(tmp_path / "old", days=0)
    with pytest.raises(UserError, match="expired on"):
        certificates.security(tmp_path / "old")


def test_a_worker_gets_the_stored_files_by_checksum_and_limits_scaled_to_its_speed(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL})
    (tmp_path / "bot.py").write_text("edited since")
    run_manifest, files = manifest.make_manifest(run)
    (name,) = run_manifest.files
    assert name == f"bundles/{run.info.entries[0].sha256}/bot.py"
    assert files[run_manifest.files[name]] == run.folder / name
    info = RunInfo.from_json(run_manifest.info, "the manifest")
    config = manifest.scaled_for_worker(info, 2.0).config
    assert (config.timeout_s, config.enforced_s, config.warmup_s) == (1.0, 1.1, 20)


def test_a_stored_file_that_was_changed_is_requested_again(tmp_path):
    store = FileStore(tmp_path / "store")
    store.keep([b"one", b"two"])
    (first, second) = sorted((tmp_path / "store").iterdir())
    first.write_bytes(b"other")
    assert store.missing([first.name, second.name]) == [first.name]


def test_machines_of_similar_speed_have_the_same_limits():
    assert manifest.slowness(1.09, 1.0) == manifest.slowness(0.91, 1.0) == 1.0
    assert manifest.slowness(1.5, 1.0) == 1.5
    assert manifest.slowness(0.5, 1.0) == 0.5


def test_used_cpu_time_is_scaled_like_the_limits(tmp_path):
    run = written_runs.new_run(tmp_path / "run")
    run.entries[0].durations_path.write_text(
        "game;cpu_s;wall_s;machine;start_s\n0;1.0;2.0;slow;0\n1;1.0;2.0;;0\n2;;3.0;;0\n"
    )
    info = WorkerInfo(machine={}, level="A", versions={}, calibration_s=2.0, slowness=2.0)
    run.info.workers = {"slow": info}
    assert run.entries[0].cpu_used_s() == 4.5


@pytest.mark.slow
def test_options_that_cannot_be_combined_with_a_cluster_are_refused(tmp_path):
    result = evaluate("--official", "--cluster", "127.0.0.1", "--results", tmp_path)
    assert (
        "--official cannot be combined with --cluster: each worker would know the key of all secrets" in result.output
    )
    result = evaluate("--certificates", tmp_path, "--results", tmp_path)
    assert "--certificates needs --cluster" in result.output
    result = evaluate("n_guess", "--cluster", "127.0.0.1", "--certificates", tmp_path / "none", "--results", tmp_path)
    assert result.exit_code == 1
    assert "has no cluster certificates" in result.output


def test_the_command_makes_certificates_and_prints_the_next_step(tmp_path):
    result = wordpl("cluster", "certificates", tmp_path / "new")
    assert result.exit_code == 0
    assert "Copy the folder to each machine" in result.output
    assert certificates.security(tmp_path / "new")
