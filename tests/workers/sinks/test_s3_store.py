"""S3: the suite of batch sinks on moto's server, and what a person reads of a wrong configuration."""

import pytest

from tests.workers.batch_sink_suite import BatchSinkSuite, batch
from tests.workers.kills import KILLS
from tests.workers.sink_suite import row
from tests.workers.sinks.test_stores import lines
from tests.workers.store_servers import SECRET
from workers.errors import OutputError, SinkUnavailable
from workers.sinks import open_sink


class TestS3(BatchSinkSuite):
    kills = KILLS // 3
    test_rows_come_back_as_they_were_written = None  # the bytes are those of files in a folder
    test_versions_of_an_article_and_rows_of_other_tasks_stand_side_by_side = None  # nor are others looked up

    @pytest.fixture
    def place(self, s3, bucket):
        return s3, bucket

    def open(self, place):
        return open_sink(f"s3://{place[1]}/news/{{task}}.jsonl.zst", "t", None)

    def read(self, place):
        server, bucket = place
        return [one for name, data in server.objects(bucket).items() for one in lines(name, data)]

    def take_away(self, place):
        place[0].gate.close()

    def bring_back(self, place):
        place[0].gate.open()

    def secrets(self, place):
        return (SECRET,)

    def failing(self, place):
        yield open_sink(f"s3://{place[1]}-no/news/", "t", None)
        yield open_sink(f"s3://{place[1]}/news/?endpoint=http://127.0.0.1:9", "t", None)


def test_names_of_your_own_are_listed_by_their_start(s3, bucket):
    sink = open_sink(f"s3://{bucket}/{{task}}-{{date}}-{{batch}}.jsonl", "t", None)
    sink.check()
    assert s3.objects(bucket) == {}  # its probe is removed
    s3.client().put_object(Bucket=bucket, Key="t-2026-03-11-other.txt", Body=b"not ours")
    sink.write(batch(1, row(1), row(2)))
    sink.write(batch(2, row(2), row(3), again=True))
    assert sorted(s3.objects(bucket)) == [
        "t-2026-03-11-other.txt",
        f"t-2026-03-12-{1:032x}.jsonl",
        f"t-2026-03-12-{2:032x}.jsonl",
    ]


def test_a_region_and_an_endpoint_in_the_address(s3, bucket, monkeypatch):
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    open_sink(f"s3://{bucket}/x/?endpoint={s3.endpoint}&region=us-east-1", "t", None).write(batch(1, row(1)))
    assert len(s3.objects(bucket)) == 1


@pytest.mark.parametrize(
    ("bucket_name", "change", "error", "words"),
    [
        ("no-such-bucket", {}, OutputError, "no-such-bucket does not exist; create it"),
        ("", {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}, SinkUnavailable, "no connection to the endpoint"),
        ("", {"AWS_ENDPOINT_URL": "http://no-such-host.invalid"}, SinkUnavailable, "the name of its host is unknown"),
        ("", {"AWS_ENDPOINT_URL": "127.0.0.1:9"}, OutputError, "the endpoint or another setting"),
        ("", {"AWS_SECRET_ACCESS_KEY": None, "AWS_ACCESS_KEY_ID": None}, OutputError, "no credentials are set"),
    ],
)
def test_a_check_names_the_mistake(bucket, monkeypatch, bucket_name, change, error, words):
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/none")
    for name, value in change.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name)
    sink = open_sink(f"s3://{bucket_name or bucket}/x/", "t", None)
    with pytest.raises(error) as unavailable:
        sink.check()
    assert words in str(unavailable.value)


def test_rows_wait_until_a_person_has_corrected_the_mistake(s3, bucket):
    sink = open_sink(f"s3://{bucket}-later/x/", "t", None)
    with pytest.raises(SinkUnavailable, match=f"{bucket}-later does not exist"):
        sink.write(batch(1, row(1)))
    s3.client().create_bucket(Bucket=f"{bucket}-later")
    sink.write(batch(1, row(1), again=True))
    assert len(s3.objects(f"{bucket}-later")) == 1


def test_a_check_names_wrong_credentials(s3, bucket, monkeypatch):
    users = s3.client("iam")
    users.create_user(UserName="reader")
    key = users.create_access_key(UserName="reader")["AccessKey"]
    sink = open_sink(f"s3://{bucket}/x/", "t", None)
    s3.demand_credentials(after=0)
    try:
        for identity, secret, words in [
            ("unknown", "x", "access key is unknown there"),
            (key["AccessKeyId"], "wrong", "secret key is wrong"),
            (key["AccessKeyId"], key["SecretAccessKey"], f"access to {bucket} is denied"),
        ]:
            monkeypatch.setenv("AWS_ACCESS_KEY_ID", identity)
            monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secret)
            with pytest.raises(OutputError, match=words):
                sink.check()
    finally:
        s3.demand_credentials(after=None)
    sink.check()
