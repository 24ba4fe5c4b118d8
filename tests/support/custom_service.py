"""A service of custom resources on an emulated AWS: it gets requests through a topic, and answers like a function."""

import json
import threading
from collections.abc import Callable
from typing import Any

import urllib3
from live import Live

Answer = dict[str, Any]


class CustomService:
    """Answers every request in a thread of its own, as `answer` says; `asked` has all requests in their order."""

    def __init__(self, live: Live, answer: Callable[[Answer], Answer | None]) -> None:
        self.asked: list[Answer] = []
        self._answer = answer
        self._sqs = live.aws("sqs")
        self._queue = self._sqs.create_queue(QueueName="requests")["QueueUrl"]
        sns = live.aws("sns")
        self.token = sns.create_topic(Name="service")["TopicArn"]
        arn = self._sqs.get_queue_attributes(QueueUrl=self._queue, AttributeNames=["QueueArn"])["Attributes"][
            "QueueArn"
        ]
        sns.subscribe(TopicArn=self.token, Protocol="sqs", Endpoint=arn)
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "CustomService":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _serve(self) -> None:
        pool = urllib3.PoolManager()
        while not self._ends.is_set():
            got = self._sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10, WaitTimeSeconds=1)
            for message in got.get("Messages", ()):
                self._sqs.delete_message(QueueUrl=self._queue, ReceiptHandle=message["ReceiptHandle"])
                request = json.loads(json.loads(message["Body"])["Message"])
                self.asked.append(request)
                answer = self._answer(request)
                if answer is None:
                    continue
                common = {name: request[name] for name in ("RequestId", "StackId", "LogicalResourceId")}
                body = json.dumps({"Status": "SUCCESS", **common, **answer})
                pool.request("PUT", request["ResponseURL"], body=body, headers={"Content-Type": ""})
