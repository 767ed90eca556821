"""The contract of containers on SageMaker, as AWS's own library `model-hosting-container-standards` has it."""

import logging

import pytest

from guerdon_serving.server.sagemaker import ADAPTERS
from guerdon_serving.server.settings import Settings
from guerdon_serving.server.wire import AdapterRequest

level = logging.getLogger().level
from model_hosting_container_standards.sagemaker import SageMakerLoRAApiHeader  # noqa: E402
from model_hosting_container_standards.sagemaker.lora.models import SageMakerRegisterLoRAAdapterRequest  # noqa: E402

logging.getLogger().setLevel(level)  # importing it silences the root logger


def test_the_librarys_requests_are_understood_field_by_field():
    asked = SageMakerRegisterLoRAAdapterRequest(name="chart-qa", src="adapters/chart-qa")
    assert AdapterRequest.model_validate(asked.model_dump()).model_dump() == asked.model_dump()


def test_the_headers_that_name_an_adapter_are_the_librarys():
    assert set(ADAPTERS) == {SageMakerLoRAApiHeader.ADAPTER_IDENTIFIER, SageMakerLoRAApiHeader.ADAPTER_ALIAS}


@pytest.fixture(scope="module")
def container(run_server, bundle, tmp_path_factory):
    """As the image starts it: adapters come from below a folder, named by absolute paths."""
    return run_server(Settings(bundle.folder, bundles=tmp_path_factory.getbasetemp()))


def test_an_adapter_component_comes_answers_by_header_and_goes(container, other_bundle):
    request = SageMakerRegisterLoRAAdapterRequest(name="ic-adapter", src=str(other_bundle.folder))
    assert container.http.post("/adapters", json=request.model_dump()).status_code == 200
    body = {"messages": [{"role": "user", "content": "what is 2 plus 3?"}], "max_tokens": 2}
    headers = {SageMakerLoRAApiHeader.ADAPTER_IDENTIFIER: "ic-adapter"}
    answer = container.http.post("/invocations", json=body, headers=headers)
    assert answer.headers["x-guerdon-bundle"] == other_bundle.id
    assert container.http.delete("/adapters/ic-adapter").status_code == 200
    assert container.http.post("/invocations", json=body, headers=headers).status_code == 404
